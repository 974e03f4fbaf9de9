-- Take a table that nobody can decide at any more out of all listings; what its log holds expires like any other's.
-- KEYS: log tables rows public present watch    ARGV: table kept_ms
local log, tables, rows, public, present, watch = unpack(KEYS)
local name, kept = unpack(ARGV)
if redis.call('SREM', tables, name) == 0 then return 0 end
redis.call('HDEL', rows, name)
redis.call('ZREM', public, name)
redis.call('DEL', present, watch)
redis.call('PEXPIRE', log, kept)
return 1
