"""Seats taken from this machine, so that running again takes them back. A token is never printed."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rapid_client import Address, Place

APP = "rapid"


@dataclass(frozen=True, slots=True)
class Kept:
    """A seat of a table, and the key to it."""

    seat: int
    name: str
    token: str = field(repr=False)


def default_state_dir(environ: dict[str, str], home: Path) -> Path:
    """Where a program keeps its state: `XDG_STATE_HOME`, else below the home directory."""
    base = environ.get("XDG_STATE_HOME")
    return (Path(base) if base else home / ".local" / "state") / APP / "seats"


class Seats:
    """One file a seat, readable by its owner alone. Without a directory nothing is kept."""

    def __init__(self, state_dir: Path | None, address: Address) -> None:
        self._dir = state_dir
        self._prefix = re.sub(r"[^A-Za-z0-9.]+", "_", address.base) + "_"

    def keep(self, place: Place, name: str) -> None:
        """Remember a seat."""
        if self._dir is None:
            return
        self._dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(self._dir, place.table, place.seat)
        fresh = path.with_suffix(f".{os.getpid()}.new")
        # Made with its mode, and moved in place when whole: at no moment can others read it, or we half of it.
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"seat": place.seat, "name": name, "token": place.token}, file)
        fresh.replace(path)

    def find(self, table: str, name: str | None) -> Kept | None:
        """The seat taken last at the table, or the one taken under this name."""
        if self._dir is None:
            return None
        paths = sorted(self._dir.glob(f"{self._prefix}{table}_*.json"), key=lambda path: -path.stat().st_mtime_ns)
        kept = [seat for path in paths if (seat := _load(path))]
        return next((seat for seat in kept if name in {None, seat.name}), None)

    def forget(self, table: str, seat: int) -> None:
        """Drop a seat whose token is void."""
        if self._dir is not None:
            self._path(self._dir, table, seat).unlink(missing_ok=True)

    def _path(self, directory: Path, table: str, seat: int) -> Path:
        return directory / f"{self._prefix}{table}_{seat}.json"


def _load(path: Path) -> Kept | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads(path.read_text(encoding="utf-8"))
        return Kept(int(data["seat"]), str(data["name"]), str(data["token"]))
    return None
