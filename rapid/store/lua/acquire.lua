-- Take a shard that is free, or that is this worker's already: its epoch rises (DESIGN decision 5).
-- KEYS: lease epoch holder run    ARGV: worker lease_ms
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[3], ARGV[1])
-- Beyond 2^53 a number here is not exact, and a text is none: no owner has had such an epoch, whatever wrote it. It goes
-- on from the time, as behind a restart.
local function number_of(text)
  local number = tonumber(text or '0')
  if number and number >= 0 and number < 2 ^ 53 then return number end
end
local known = number_of(redis.pcall('GET', KEYS[2]))
local epoch = (known or 0) + 1
-- Another run of Redis may have lost epochs with its unsynced tail, and their owners live on. Handed out a second
-- time an epoch would fence nobody: behind a restart they go on from the time, which no run before has reached.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
if not known or redis.call('GET', KEYS[4]) ~= run then
  redis.call('SET', KEYS[4], run)
  if not known or epoch > 1 then
    local time = redis.call('TIME')
    epoch = math.max(epoch, time[1] * 1000 + math.floor(time[2] / 1000))
  end
end
redis.call('SET', KEYS[2], string.format('%.0f', epoch))
return epoch
