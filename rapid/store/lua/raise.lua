-- Raise the epoch of a shard in this worker's charge to at least so much; in another run of Redis, beyond
-- all that any run before may have handed out (see `acquire`).
-- KEYS: lease epoch run    ARGV: worker least
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local present = tonumber(redis.call('GET', KEYS[2]) or '0')
local epoch = math.max(present, tonumber(ARGV[2]))
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
if redis.call('GET', KEYS[3]) ~= run then
  redis.call('SET', KEYS[3], run)
  local time = redis.call('TIME')
  epoch = math.max(epoch, present + 1, time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('SET', KEYS[2], string.format('%.0f', epoch))
return epoch
