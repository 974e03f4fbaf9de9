"""A scenario from the command line to its report."""

from __future__ import annotations

import importlib
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
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
    _raise_open_files()
    return _run(options)


def _run(options: Options) -> int:
    try:
        with Display(Console(stderr=True), is_quiet=options.quiet) as display:
            display.say("starting")
            report = SCENARIOS[options.scenario](options, display)
    except (GeneratorFailed, NothingHeld) as error:
        print(f"loadtest: {error}", file=sys.stderr)
        return 1
    print(report.as_text())
    if options.json is not None:
        report.write_json(options.json)
    if (file := options.picture_file) is not None:
        # Only now: the library that draws takes a second to load, and nobody waits for that before the run.
        try:
            importlib.import_module("loadtests.report.picture").draw(report, file)
        except OSError as error:
            print(f"loadtest: no picture: {error}", file=sys.stderr)
            return 1
        print(f"  picture: {file}")
    return 0 if report.is_correct else 1


def _raise_open_files() -> None:
    """A connection is an open file, here and in the servers that are started from here."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
