-- Make a connection the present one of a seat, and post that it is there (DESIGN decision 8).
-- KEYS: present held inbox    ARGV: seat conn gateway place connect disconnect
-- Returns `CONN GATEWAY` of the connection it replaces, false if none. Entering twice posts once.
local present, held, inbox = unpack(KEYS)
local seat, conn, gateway, place, connect, disconnect = unpack(ARGV)
local time = redis.call('TIME')
local mine = conn .. ' ' .. gateway
local before = redis.call('HGET', present, seat)
-- The time tells apart what was entered before the gateway was taken for dead and after it came back.
redis.call('HSET', held, place, time[1] .. string.format('%06d', time[2]) .. ' ' .. disconnect)
if before == mine then return false end
redis.call('HSET', present, seat, mine)
redis.call('XADD', inbox, '*', 'e', connect)
return before
