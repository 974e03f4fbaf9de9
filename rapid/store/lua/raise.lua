-- Raise the epoch of a shard in this worker's charge to at least so much; in another run of Redis, beyond
-- all that any run before may have handed out (see `acquire`).
-- KEYS: lease epoch run    ARGV: worker least
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
-- Beyond 2^53 a number here is not exact, and a text is none: no owner has had such an epoch, whatever wrote it. It goes
-- on from the time, as behind a restart.
local function number_of(text)
  local number = tonumber(text or '0')
  if number and number >= 0 and number < 2 ^ 53 then return number end
end
local known = number_of(redis.pcall('GET', KEYS[2]))
local present = known or 0
local epoch = math.max(present, number_of(ARGV[2]) or 0)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
if not known or redis.call('GET', KEYS[3]) ~= run then
  redis.call('SET', KEYS[3], run)
  local time = redis.call('TIME')
  epoch = math.max(epoch, present + 1, time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('SET', KEYS[2], string.format('%.0f', epoch))
return epoch
