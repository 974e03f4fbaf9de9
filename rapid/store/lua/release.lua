-- Give a shard up, if it is still this worker's.
-- KEYS: lease planned holder    ARGV: worker planned_ms    (planned_ms "": not planned)
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[3])
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[2]) else redis.call('DEL', KEYS[2]) end
return 1
