"""What a scenario adds to the report, in words: no figure stands there as Python or JSON would write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

UNKNOWN: Final = "not known"
"""A part that is missing beside others that are quoted: nobody could look, as at the CPU of a server elsewhere."""


class Said(Struct, frozen=True):
    """How one figure is introduced, and what is said in its place where there is none."""

    label: str
    none: str = "not quoted"
    empty: str | None = None
    """What is said where it may be quoted and nothing was counted; None: the same."""


FIGURES: Final[Mapping[str, Said]] = {
    "floor_cpu_us_at_4000": Said("CPU of the floor for each intent at 4,000 a second, µs"),
    "floor_rate": Said("rate of the floor, intents a second"),
    "ratios_of_each_repetition": Said("ours / floor, each repetition"),
    "happened": Said("happened", UNKNOWN),
    "welcomes": Said("connections welcomed"),
    "connected_to_welcome_ms": Said("connection to welcome, ms", empty="none"),
    "connections": Said("seated connections"),
    "kb_per_seated_connection": Said("kB for each seated connection", UNKNOWN),
    "percent_of_a_core_at_rest": Said("% of a core at rest", UNKNOWN),
    "with_spectators_to_without": Said("with spectators / without, medians"),
    "event_to_spectator_ms": Said("intent to event at spectators, ms", empty="none"),
    "cpu_us_per_recipient": Said("CPU that each spectator adds to an intent, µs"),
    "with_slow_readers_to_without": Said("with slow readers / without, medians"),
    "slow_readers": Said("slow readers"),
    "slow_readers_cut_off": Said("slow readers cut off", UNKNOWN),
    "bytes_due_to_each": Said("bytes due to each slow reader, at least"),
    "viewer_buffer_max_bytes": Said("bytes that the server keeps for each viewer"),
    "memory_grown_kb": Said("memory grown, kB", UNKNOWN),
}
PARTS: Final[Mapping[str, str]] = {
    "cpu": "CPU",
    "drops": "connections lost",
    "storms": "all connections lost at once",
    "tables": "tables played to their end",
    "left": "people who left",
    "lost": "intents lost with their connection",
}
"""Names within a figure that are no words of their own."""
COUNTED: Final = frozenset(("happened",))
"""Figures whose parts have names of several words: a colon stands between name and number."""


def in_words(name: str, value: Any) -> str:
    """Return a line of the report."""
    said = FIGURES.get(name) or Said(_spaced(name))
    between = ": " if name in COUNTED else " "
    return f"{said.label}: {_shown(value, said, between)}"


def _shown(value: Any, said: Said, between: str) -> str:
    none = said.none
    if value is None:
        return none
    if isinstance(value, Mapping):
        if all(one is None for one in value.values()):
            return said.empty or none
        parts = value.items()
        return ", ".join(f"{PARTS.get(part) or _spaced(part)}{between}{_listed(one, UNKNOWN)}" for part, one in parts)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_listed(one, none) for one in value) or "none"
    return _listed(value, none)


def _listed(value: Any, none: str) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " and ".join(_listed(one, none) for one in value) if value else "none"
    if value is None:
        return none
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
    return str(value)


def _spaced(name: str) -> str:
    return name.replace("_", " ")
