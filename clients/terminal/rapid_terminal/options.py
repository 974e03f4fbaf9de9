"""What the command line hands over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OK = 0
FAILURE = 1
USAGE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a terminal may be used for, where there is one: colour, and a row of its own for the typed line."""

    colour: bool = True
    row: bool = True


def look_from(environ: Mapping[str, str]) -> Look:
    """What the environment asks for: `NO_COLOR`, and a terminal that can do nothing."""
    is_able = environ.get("TERM", "") not in {"", "dumb"}
    return Look(colour=is_able and not environ.get("NO_COLOR"), row=is_able)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """How to play. `settings` and `bots` count for a table opened here; None leaves a setting to the server.

    `name` None is `Player`, or whoever sat at the table before. `state_dir` is where seat tokens are kept; None keeps
    none. `is_fresh` takes a new seat even where an old one is known. `is_auto` plays by itself, starts every round it
    may start, and ends with the game.
    """

    name: str | None = None
    bots: int = 3
    settings: Mapping[str, Any] = field(default_factory=dict)
    state_dir: Path | None = None
    is_fresh: bool = False
    is_auto: bool = False
    use_json: bool = False
    look: Look = Look()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """How to watch. `until_final` ends with the game instead of with the table."""

    until_final: bool = False
    use_json: bool = False
    look: Look = Look()


def settings_from(**given: Any) -> dict[str, Any]:
    """Settings from options of the same names: those left out (None) stay the server's choice."""
    return {name: value for name, value in given.items() if value is not None}
