"""The twin of the Redis store: the same ports in memory, with a clock that is set and faults that are asked for."""

from rapid.store.memory.clock import MemoryClock
from rapid.store.memory.store import MemoryStore, memory_store

__all__ = ["MemoryClock", "MemoryStore", "memory_store"]
