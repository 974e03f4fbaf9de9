-- Note that a gateway lives. 0: it was not known to live (new, taken for dead, or Redis has forgotten).
-- KEYS: gateways    ARGV: gateway
local before = redis.call('ZSCORE', KEYS[1], ARGV[1])
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), ARGV[1])
if before and tonumber(before) > 0 then return 1 end
return 0
