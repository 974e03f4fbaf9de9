-- A connection is gone: post that if it was the seat's present one (DESIGN decision 8).
-- KEYS: present held inbox    ARGV: seat conn gateway place disconnect
local present, held, inbox = unpack(KEYS)
local seat, conn, gateway, place, disconnect = unpack(ARGV)
local holder = redis.call('HGET', present, seat)
if holder ~= conn .. ' ' .. gateway then
  -- Another gateway has the seat, or nobody: this one answers for it no longer.
  if not holder or string.match(holder, '^%d+ (.*)$') ~= gateway then redis.call('HDEL', held, place) end
  return 0
end
redis.call('HDEL', held, place)
redis.call('HDEL', present, seat, seat .. ' opened')
redis.call('XADD', inbox, '*', 'e', disconnect)
return 1
