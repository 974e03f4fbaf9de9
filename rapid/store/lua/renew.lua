-- Keep a shard for longer, if it is still this worker's. A lease that ran out is taken up again while nobody else
-- has taken the shard: a worker that was only held up for a moment still knows all there is to know.
-- KEYS: lease holder    ARGV: worker lease_ms
local owner = redis.call('GET', KEYS[1])
if (owner or redis.call('GET', KEYS[2])) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
