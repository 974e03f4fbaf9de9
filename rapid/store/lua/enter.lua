-- Make a connection the present one of a seat, and post that it is there (DESIGN decision 8).
-- KEYS: present held inbox    ARGV: seat conn gateway place connect disconnect unmarked again over
-- Returns `CONN GATEWAY` of the connection it replaces, false if none. Entering twice posts once.
-- Where the chair's present connection is another holder's (entered with another `since` or mark, so that `disconnect`
-- differs) nothing is changed, and a list of that one returned, unless it is `over`: one of the two has lost the seat,
-- and the log alone says which. `unmarked`: as a gateway of the version before has entered the same holder.
-- `again` ('1'): it has entered before, and changes nothing where another gateway has the seat, which opened it later;
-- of our own we know who sits there.
-- Taking it and giving it back would lose the seat if we died between the two.
local present, held, inbox = unpack(KEYS)
local seat, conn, gateway, place, connect, disconnect, unmarked, again, over = unpack(ARGV)
local time = redis.call('TIME')
local mine = conn .. ' ' .. gateway
local before = redis.call('HGET', present, seat)
local is_elsewhere = before and string.match(before, '^%d+ (.*)$') ~= gateway
local replaced = nil
if before and before ~= mine then
  local theirs = string.match(held, '^{[^}]*}:held:') .. string.match(before, '^%d+ (.*)$')
  replaced = string.match(redis.call('HGET', theirs, place) or '', '^%d+ (.*)$')
end
local is_others = replaced and replaced ~= disconnect and replaced ~= unmarked
if is_others and over ~= before and (is_elsewhere or again ~= '1') then return {before} end
if is_elsewhere and again == '1' then return before end
-- The time tells apart what was entered before the gateway was taken for dead and after it came back.
redis.call('HSET', held, place, time[1] .. string.format('%06d', time[2]) .. ' ' .. disconnect)
if before == mine then return false end
redis.call('HSET', present, seat, mine)
-- Of another holder of the chair (a lost tail may bring one back): whoever that was is gone, and nobody else will say so.
if is_others then redis.call('XADD', inbox, '*', 'e', replaced) end
redis.call('XADD', inbox, '*', 'e', connect)
return before
