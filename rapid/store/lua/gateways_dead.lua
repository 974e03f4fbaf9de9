-- Take gateways without a beat for dead. Returns the time in µs, those newly dead, all dead ones, and the time in ms
-- before which a dead one may be forgotten, once it has been reaped.
-- KEYS: gateways    ARGV: dead_ms forgotten_ms
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newly = redis.call('ZRANGEBYSCORE', KEYS[1], '0', string.format('(%.0f', now - ARGV[1]))
for _, gateway in ipairs(newly) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', -now), gateway)
end
return {time[1] .. string.format('%06d', time[2]), newly, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(0'),
  string.format('%.0f', now - ARGV[2])}
