"""`rapid backup` and `rapid restore`: the tables of a data folder in one file, and back."""

from __future__ import annotations

from pathlib import Path

from rapid.commands.running import run
from rapid.store import backup


def back_up(archive: Path, data: Path) -> int:
    """Make a new archive; the folder's server may be running."""
    made = run(backup.back_up(data, archive))
    print(f"{archive}: {made.bytes} bytes of {data}, as they were at {made.made_at}")
    return 0


def restore(archive: Path, data: Path) -> int:
    """Make a data folder of an archive."""
    found = run(backup.restore(archive, data))
    print(f"{data}: {found.tables} open tables, as they were at {found.manifest.made_at}")
    return 0
