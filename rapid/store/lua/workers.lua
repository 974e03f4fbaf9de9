-- Note that a worker lives for so long without another beat, forget the dead, return the living.
-- KEYS: workers    ARGV: worker dead_ms
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', now))
return redis.call('ZRANGE', KEYS[1], 0, -1)
