-- Append one decision to a table's log, with all that belongs to it, and push it (DESIGN decisions 4-6).
-- KEYS: log epoch tables rows public channel present watch
-- ARGV: epoch n table record opens closes row score      ("" where there is none)
-- 1: durable and published; 0: refused by the fence, nothing changed.
local log, epoch, tables, rows, public, channel, present, watch = unpack(KEYS)
local owner, n, name, record, opens, closes, row, score = unpack(ARGV)
if redis.call('GET', epoch) ~= owner then return 0 end
if opens == '1' then
  if n ~= '1' or redis.call('EXISTS', log) == 1 then return 0 end
else
  -- Exactly the id before must stand last: no hole can be written over, no decision doubled.
  -- `pcall`: what is no stream is no log, and stops no other table.
  local last = redis.pcall('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if not last or last[1] ~= owner .. '-' .. string.format('%.0f', n - 1) then return 0 end
  if redis.call('SISMEMBER', tables, name) == 0 then return 0 end
end
local id = owner .. '-' .. n
redis.call('XADD', log, id, 'r', record)
if closes ~= '' then
  redis.call('SREM', tables, name)
  redis.call('HDEL', rows, name)
  redis.call('ZREM', public, name)
  redis.call('DEL', present, watch)
  redis.call('PEXPIRE', log, closes)
else
  if opens == '1' then redis.call('SADD', tables, name) end
  if row ~= '' then
    redis.call('HSET', rows, name, row)
    if score ~= '' then redis.call('ZADD', public, score, name) else redis.call('ZREM', public, name) end
  end
end
redis.call('PUBLISH', channel, 'r' .. id .. ' ' .. record)
return 1
