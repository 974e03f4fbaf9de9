"""Redis: keys, connection, inbox, log, leases, presence; twins in memory; and a server of our own."""

from rapid.store.bundle import Store
from rapid.store.limits import DEFAULT_LIMITS, Limits
from rapid.store.memory import MemoryClock, MemoryStore, memory_store
from rapid.store.redis_store import RedisStore, open_store

__all__ = [
    "DEFAULT_LIMITS",
    "Limits",
    "MemoryClock",
    "MemoryStore",
    "RedisStore",
    "Store",
    "memory_store",
    "open_store",
]
