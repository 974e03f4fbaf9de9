-- Note how far a shard's inbox is decided; drop what is decided and old.
-- KEYS: epoch cursor inbox run    ARGV: epoch cursor kept_ms kept    (kept_ms "": do not drop now)
local epoch, cursor, inbox, run = unpack(KEYS)
local owner, decided, kept_ms, kept = unpack(ARGV)
if redis.call('GET', epoch) ~= owner then return 0 end
-- An owner that has not noticed yet that this is another run knows what was lost with the old one's tail, and has
-- decided by it: that is no reason to pass over what came since.
if redis.call('GET', run) ~= string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') then return 0 end
-- Before the note: where memory is full this frees some, and then the note may be written too.
if kept_ms ~= '' and redis.call('XLEN', inbox) > tonumber(kept) then
  -- Neither undecided, nor younger than `kept_ms`, nor one of the `kept` newest.
  local function is_before(one, other)
    local ms, n = string.match(one, '^(%d+)-(%d+)$')
    local other_ms, other_n = string.match(other, '^(%d+)-(%d+)$')
    if ms ~= other_ms then return tonumber(ms) < tonumber(other_ms) end
    return tonumber(n) < tonumber(other_n)
  end
  local time = redis.call('TIME')
  local least = string.format('%.0f-0', math.max(time[1] * 1000 + math.floor(time[2] / 1000) - kept_ms, 0))
  local newest = redis.call('XREVRANGE', inbox, '+', '-', 'COUNT', kept)
  for _, id in ipairs({decided, newest[#newest][1]}) do
    if is_before(id, least) then least = id end
  end
  redis.call('XTRIM', inbox, 'MINID', '~', least)
end
if redis.pcall('GET', cursor) ~= decided then redis.call('SET', cursor, decided) end
return 1
