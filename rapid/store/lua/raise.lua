-- Raise the epoch of a shard in this worker's charge to at least so much.
-- KEYS: lease epoch    ARGV: worker least
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local present = tonumber(redis.call('GET', KEYS[2]) or '0')
if present >= tonumber(ARGV[2]) then return present end
redis.call('SET', KEYS[2], ARGV[2])
return tonumber(ARGV[2])
