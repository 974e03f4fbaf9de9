"""`python -m loadtests SCENARIO`: see `./ops/loadtest --help`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from loadtests.stopping import Stopped, held_back, listen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a scenario, print its report; 1 if anything is wrong, 128 and its number behind a signal."""
    listen()
    try:
        # All the rest takes a second to load, and a signal is heard from the first moment on. It waits for the end of
        # that: what is raised in the midst of an import may be lost there.
        with held_back():
            command = importlib.import_module("loadtests.command")
        code: int = command.run(arguments)
    except Stopped as stopped:
        print(f"loadtest: {stopped}", file=sys.stderr)
        return stopped.exit_code
    return code


if __name__ == "__main__":
    sys.exit(main())
