-- Make a connection the present one of a seat, and post that it is there (DESIGN decision 8).
-- KEYS: present held inbox    ARGV: seat conn gateway place connect disconnect unmarked again over
-- Returns {WHAT, OPENED, BEFORE}: BEFORE is the connection it replaces, as `CONN GATEWAY`, false if none; or, if WHAT is
-- not empty, the one that has kept the seat, nothing being changed. Entering twice posts once.
-- OPENED: when the connection was opened, as the id of its `Connect`: ids of an inbox are in the order of all that happens.
-- 'held': where the chair's present connection is another holder's (entered with another `since` or mark, so that
-- `disconnect` differs), unless it is `over`: one of the two has lost the seat, and the log alone says which. `unmarked`:
-- as a gateway of the version before has entered the same holder.
-- 'elsewhere': `again` (OPENED of one that has entered before) takes the seat from another gateway's connection only if
-- that was opened earlier: a lost tail has brought it back. Of our own we know who sits there.
-- Taking it and giving it back would lose the seat if we died between the two.
local present, held, inbox = unpack(KEYS)
local seat, conn, gateway, place, connect, disconnect, unmarked, again, over = unpack(ARGV)
local mine, opening = conn .. ' ' .. gateway, seat .. ' opened'
local before = redis.call('HGET', present, seat)
-- One that a gateway of the version before has entered has no such time.
local opened, of = string.match(redis.call('HGET', present, opening) or '', '^(%d+%-%d+) (.*)$')
if of ~= before then opened = nil end

local function is_later(one, other)
  local ms, n = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_n = string.match(other, '^(%d+)%-(%d+)$')
  if ms ~= other_ms then return tonumber(ms) > tonumber(other_ms) end
  return tonumber(n) > tonumber(other_n)
end

local function hold()
  -- The time tells apart what was entered before the gateway was taken for dead and after it came back.
  local time = redis.call('TIME')
  redis.call('HSET', held, place, time[1] .. string.format('%06d', time[2]) .. ' ' .. disconnect)
end

if before == mine then
  hold()
  return {'', opened or again, false}
end
if before then
  local there = string.match(before, '^%d+ (.*)$')
  local is_elsewhere = there ~= gateway
  local theirs = string.match(held, '^{[^}]*}:held:') .. there
  local replaced = string.match(redis.call('HGET', theirs, place) or '', '^%d+ (.*)$')
  local is_others = replaced and replaced ~= disconnect and replaced ~= unmarked
  if is_others and over ~= before and (is_elsewhere or again == '') then return {'held', again, before} end
  local is_older = opened and again ~= '' and is_later(again, opened)
  if is_elsewhere and again ~= '' and not is_older then return {'elsewhere', again, before} end
  -- Of another holder of the chair (a lost tail may bring one back): whoever that was is gone, and nobody else says so.
  if is_others then redis.call('XADD', inbox, '*', 'e', replaced) end
end
hold()
local id = redis.call('XADD', inbox, '*', 'e', connect)
if again ~= '' then id = again end
-- Later than the one it replaces, though the clock was set back and the ids in front of it were lost.
if again == '' and opened and is_later(opened, id) then id = opened end
redis.call('HSET', present, seat, mine, opening, id .. ' ' .. mine)
return {'', id, before}
