-- Note how far a shard's inbox is decided; trim what is well behind.
-- KEYS: epoch cursor inbox    ARGV: epoch cursor least_ms kept    (least_ms "": do not trim now)
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
local kept = tonumber(ARGV[4])
if ARGV[3] ~= '' and redis.call('XLEN', KEYS[3]) > kept then
  -- Neither younger than `least_ms`, nor one of the newest, nor undecided: `least_ms` is before the cursor.
  local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', kept)
  local oldest_kept = newest[#newest][1]
  if tonumber(string.match(oldest_kept, '^%d+')) > tonumber(ARGV[3]) then oldest_kept = ARGV[3] end
  redis.call('XTRIM', KEYS[3], 'MINID', '~', oldest_kept)
end
return 1
