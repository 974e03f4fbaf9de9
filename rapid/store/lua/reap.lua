-- All that a gateway held in this shard before a moment is lost: seats become lost connections.
-- KEYS: held watched inbox    ARGV: gateway before_us tag
-- The names of the tables' keys come from `held` and `watched`; they have the same hash tag.
local held, watched, inbox = unpack(KEYS)
local gateway, before, tag = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local lost = 0
local seats = redis.call('HGETALL', held)
for i = 1, #seats, 2 do
  local entered, entry = string.match(seats[i + 1], '^(%d+) (.*)$')
  if tonumber(entered) < before then
    local name, seat = string.match(seats[i], '^(.*) (%d+)$')
    local present = tag .. ':present:' .. name
    local holder = redis.call('HGET', present, seat)
    redis.call('HDEL', held, seats[i])
    if holder and string.match(holder, '^%d+ (.*)$') == gateway then
      redis.call('HDEL', present, seat, seat .. ' opened')
      redis.call('XADD', inbox, '*', 'e', entry)
      lost = lost + 1
    end
  end
end
local tables = redis.call('HGETALL', watched)
for i = 1, #tables, 2 do
  if tonumber(tables[i + 1]) < before then
    redis.call('HDEL', tag .. ':watch:' .. tables[i], gateway)
    redis.call('HDEL', watched, tables[i])
  end
end
return lost
