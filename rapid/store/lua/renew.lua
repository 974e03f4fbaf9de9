-- Keep a shard for longer, if it is still this worker's.
-- KEYS: lease    ARGV: worker lease_ms
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
