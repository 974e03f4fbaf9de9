-- Make a connection the present one of a seat, and post that it is there (DESIGN decision 8).
-- KEYS: present held inbox    ARGV: seat conn gateway place connect disconnect again
-- Returns `CONN GATEWAY` of the connection it replaces, false if none. Entering twice posts once.
-- `again` ('1'): it has entered before, and changes nothing where another gateway has the seat, which opened it later.
-- Taking it and giving it back would lose the seat if we died between the two.
local present, held, inbox = unpack(KEYS)
local seat, conn, gateway, place, connect, disconnect, again = unpack(ARGV)
local time = redis.call('TIME')
local mine = conn .. ' ' .. gateway
local before = redis.call('HGET', present, seat)
if before and again == '1' and string.match(before, '^%d+ (.*)$') ~= gateway then return before end
local replaced = nil
if before and before ~= mine then
  local theirs = string.match(held, '^{[^}]*}:held:') .. string.match(before, '^%d+ (.*)$')
  replaced = string.match(redis.call('HGET', theirs, place) or '', '^%d+ (.*)$')
end
-- The time tells apart what was entered before the gateway was taken for dead and after it came back.
redis.call('HSET', held, place, time[1] .. string.format('%06d', time[2]) .. ' ' .. disconnect)
if before == mine then return false end
redis.call('HSET', present, seat, mine)
-- Of another holder of the chair (a lost tail may bring one back): whoever that was is gone, and nobody else will say so.
if replaced and replaced ~= disconnect then redis.call('XADD', inbox, '*', 'e', replaced) end
redis.call('XADD', inbox, '*', 'e', connect)
return before
