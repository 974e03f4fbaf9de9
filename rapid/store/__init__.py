"""Redis: keys, connection, inbox, log, leases, presence; twins in memory; and a server of our own."""

from rapid.store.limits import DEFAULT_LIMITS, Limits
from rapid.store.redis_store import RedisStore, open_store

__all__ = ["DEFAULT_LIMITS", "Limits", "RedisStore", "open_store"]
