"""A scenario from the command line to its report."""

from __future__ import annotations

import importlib
import io
import os
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console

from loadtests.generator.fleet import GeneratorFailed
from loadtests.options import Options, parse
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.scenarios.against import NothingHeld
from loadtests.scenarios.churn import churn
from loadtests.scenarios.idle import idle
from loadtests.scenarios.limit import limit
from loadtests.scenarios.mixed import mixed
from loadtests.scenarios.race import race
from loadtests.scenarios.slow import slow
from loadtests.scenarios.spectators import spectators
from loadtests.under_test.children import NotStarted
from rapid.errors import RapidError

Scenario = Callable[[Options, Display], Report]
SCENARIOS: Final[Mapping[str, Scenario]] = {
    "race": race,
    "spectators": spectators,
    "idle": idle,
    "churn": churn,
    "slow": slow,
    "mixed": mixed,
    "limit": limit,
}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a scenario, print its report; 1 if anything is wrong."""
    options = parse(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every terminal has a µ
    most = _raise_open_files()
    if options.open_files > most:
        return _failed(
            f"a process needs {options.open_files:,} open files for this load and may have {most:,} (ulimit -Hn): "
            "raise that, or take fewer tables or spectators"
        )
    return _run(options)


def _failed(why: str) -> int:
    print(f"loadtest: {why}", file=sys.stderr)
    return 1


def _run(options: Options) -> int:
    try:
        with Display(Console(stderr=True), is_quiet=options.quiet) as display:
            display.say("starting")
            report = SCENARIOS[options.scenario](options, display)
    except (GeneratorFailed, NothingHeld, NotStarted, RapidError, OSError) as error:
        return _failed(str(error))
    is_handed_out = _hand_out(report, options)
    return 0 if report.is_correct and is_handed_out else 1


def _hand_out(report: Report, options: Options) -> bool:
    """Each way by itself, what is read by programs first; return whether all could be written."""
    ways: list[tuple[str, Callable[[], None]]] = [("no text", partial(_print, report.as_text()))]
    if options.json is not None:
        ways.insert(0, ("no JSON", partial(report.write_json, options.json)))
    if (file := options.picture_file) is not None:
        ways.append(("no picture", partial(_draw, report, file)))
    missing = 0
    for what, write in ways:
        try:
            write()
        except OSError as error:
            missing += _failed(f"{what}: {error}")
    return not missing


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except OSError:
        # What is left of it would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _draw(report: Report, file: Path) -> None:
    # Only now: the library that draws takes a second to load, and nobody waits for that before the run.
    importlib.import_module("loadtests.report.picture").draw(report, file)
    _print(f"  picture: {file}")


def _raise_open_files() -> int:
    """Raise how many a process may have, here and in the servers that are started from here; return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard
