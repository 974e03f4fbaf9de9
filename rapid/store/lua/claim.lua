-- Append the bare claim `<epoch>-0` of a new owner to a log (DESIGN decision 5).
-- KEYS: log epoch    ARGV: epoch
-- 1: claimed; 0: another epoch is in charge, or the log is at the claim or beyond it, or not there.
-- `pcall`: what is no stream is no log.
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local last = redis.pcall('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or tonumber(string.match(last[1], '^%d+')) >= tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], ARGV[1] .. '-0', 'c', '')
return 1
