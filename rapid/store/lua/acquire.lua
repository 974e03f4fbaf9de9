-- Take a shard that is free, or that is this worker's already: its epoch rises (DESIGN decision 5).
-- KEYS: lease epoch holder    ARGV: worker lease_ms
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[3], ARGV[1])
return redis.call('INCR', KEYS[2])
