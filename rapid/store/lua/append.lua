-- Append one decision that opens and closes nothing and changes no listing: most of them. Same fence as in `commit`.
-- KEYS: log epoch tables channel    ARGV: epoch id before table record    (`before`: the id that stands last)
-- 1: durable and published; 0: refused by the fence, nothing changed.
local call = redis.call
if call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
-- Exactly the id before must stand last: no hole can be written over, no decision doubled.
-- `pcall`: what is no stream is no log, and stops no other table.
local last = redis.pcall('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= ARGV[3] then return 0 end
if call('SISMEMBER', KEYS[3], ARGV[4]) == 0 then return 0 end
call('XADD', KEYS[1], ARGV[2], 'r', ARGV[5])
call('PUBLISH', KEYS[4], 'r' .. ARGV[2] .. ' ' .. ARGV[5])
return 1
