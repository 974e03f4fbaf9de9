-- Note a gateway's number of spectators at a table.
-- KEYS: watch watched    ARGV: table gateway count
if ARGV[3] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[2])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[1], time[1] .. string.format('%06d', time[2]))
end
return 1
