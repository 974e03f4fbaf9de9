"""The command line of `./ops/loadtest`."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from rapid.config import Fsync

DESCRIPTION: Final = """\
Simulated clients over real sockets that play whole games by the rules, and what the server makes of it: rate, latency,
CPU, memory. Behind every run the judges hold what each viewer was sent against the logs; exit code 1 if anything is
lost, doubled, out of order or wrong."""


class Options(Struct, frozen=True, kw_only=True):
    """What was asked for. Each scenario reads what its help names."""

    scenario: str
    tables: int = 100
    seats: int = 4
    seconds: float = 10.0
    rate: float = 1000.0
    contention: int = 1
    reaction: str = "machine"
    watchers: int = 0
    slow: int = 0
    idle: int = 0
    watch_gateway: bool = False
    url: str | None = None
    codec: str = "msgpack"
    seed: int = 1
    generators: int = 1
    split: bool = False
    fsync: Fsync = "everysec"
    limits: str = "raised"
    against: str | None = None
    repeats: int = 3
    decide_us: float = 0.0
    json: Path | None = None
    picture: Path | None = None
    no_picture: bool = False
    quiet: bool = False

    def shown(self) -> dict[str, Any]:
        """Return them for the report; null where they say nothing of a server that was not started here."""
        hidden = {"scenario", "json", "picture", "no_picture", "quiet"}
        unknown = OF_OUR_OWN_SERVER if self.url is not None else ()
        return {
            name: None if name in unknown else getattr(self, name)
            for name in self.__struct_fields__
            if name not in hidden
        }

    @property
    def is_together(self) -> bool | None:
        """Whether gateway and worker are one process; None if that is not known."""
        return None if self.url is not None else not self.split

    @property
    def open_files(self) -> int:
        """How many files one process needs to have open at once: a connection is one."""
        watching = self.tables * self.watchers + self.slow
        seated = self.seats * (self.tables + self.idle)
        here = -(-(seated + watching) // self.generators)
        there = max(seated, watching) if self.watch_gateway else seated + watching
        return SPARE_FILES + (here if self.url is not None else max(here, there))

    @property
    def picture_file(self) -> Path | None:
        """Where the picture goes, None if there is none."""
        return None if self.no_picture else self.picture or Path(f"loadtest-{self.scenario}.png")


MOST: Final = 1_000_000
"""Intents a second, tables, people, µs of a decision: many times what any machine carries."""
SECONDS_MOST: Final = 86_400.0
SPARE_FILES: Final = 64
"""What a process has open besides its clients' connections: twice what was seen."""
OF_OUR_OWN_SERVER: Final = ("split", "fsync", "limits", "watch_gateway")
"""What is chosen for a server that is started for the run."""
SHOWN_CHARACTERS: Final = 40
PICTURE_KINDS: Final = (".png", ".svg", ".pdf", ".jpg")


SCENARIOS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "race": (
        "tables that race, at a steady rate of intents",
        "./ops/loadtest race --tables 100 --seats 4 --rate 4000 --seconds 10",
        {},
    ),
    "spectators": (
        "one table and thousands who watch it",
        "./ops/loadtest spectators --watchers 5000 --rate 2",
        {"tables": 1, "watchers": 2000, "rate": 2.0},
    ),
    "idle": (
        "seated connections at rest: what each costs",
        "./ops/loadtest idle --tables 500",
        {"tables": 500, "rate": 0.0, "seconds": 5.0},
    ),
    "churn": (
        "joining, leaving, reconnect storms, table after table",
        "./ops/loadtest churn --tables 20 --seconds 20",
        {"tables": 20, "seconds": 20.0, "rate": 200.0},
    ),
    "slow": (
        "readers that stop reading, beside tables that race on",
        "./ops/loadtest slow --slow 100 --rate 1000",
        {"tables": 10, "slow": 100},
    ),
    "mixed": (
        "racing tables, spectators, tables at rest and slow readers at once",
        "./ops/loadtest mixed --tables 50 --watchers 10 --idle 200 --slow 20",
        {"tables": 50, "watchers": 10, "idle": 200, "slow": 20},
    ),
    "limit": (
        "raises the load until it does not hold, and names the highest that did: p99 within 50 ms, nothing failed",
        "./ops/loadtest limit",
        {},
    ),
}


class _Formatter(argparse.ArgumentDefaultsHelpFormatter):
    """Says defaults, but for those that are nothing a user could write: their help says what happens then."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        is_said = action.default is not None and action.default is not False
        return super()._get_help_string(action) if is_said else action.help


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; usage errors leave with 2."""
    parser = argparse.ArgumentParser(
        prog="./ops/loadtest",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n" + "\n".join(f"  {example}" for _, example, _ in SCENARIOS.values()),
    )
    commands = parser.add_subparsers(dest="scenario", required=True, metavar="SCENARIO")
    by_name = {}
    for name, (help_, example, defaults) in SCENARIOS.items():
        command = by_name[name] = commands.add_parser(
            name,
            help=help_,
            description=f"{help_[0].upper()}{help_[1:]}.",
            formatter_class=_Formatter,
            epilog=f"example: {example}",
        )
        _add_load(command, name)
        _add_server(command, name)
        _add_report(command)
        command.set_defaults(**defaults)
    given = vars(parser.parse_args(arguments))
    named = [name for name in OF_OUR_OWN_SERVER if name in given]
    if given.get("reaction") == "human":
        given["rate"] = 0.0  # it is what comes of it
    options = Options(**given)
    wrong = _wrong(options, named)
    if wrong is not None:
        by_name[options.scenario].error(wrong)
    return options


def _wrong(options: Options, named: Sequence[str]) -> str | None:
    """Return what cannot be, None if all can; `named`: what is said of a server of our own."""
    if options.url is not None and named:
        return f"--{named[0].replace('_', '-')} is of a server that is started for the run, not of one at --url"
    if options.contention > options.seats:
        return f"--contention {options.contention} are more than --seats {options.seats}"
    if options.decide_us and options.against is None:
        return "--decide-us is of the floor: it needs --against floor"
    if options.generators > options.tables:
        return f"--generators {options.generators} are more than --tables {options.tables}"
    json, picture = options.json, options.picture_file
    if json is not None and picture is not None and json.resolve() == picture.resolve():
        return f"--json and --picture are the same file, {json}"
    return _unwritable("--json", options.json) or _no_picture("--picture", options.picture_file)


def _unwritable(option: str, file: Path | None) -> str | None:
    if file is None:
        return None
    if file.is_dir():
        return f"{option} {file} is a folder"
    if not file.parent.is_dir():
        return f"{option} {file}: there is no folder {file.parent}"
    if file.exists() and not file.is_file():  # a pipe waits for its reader, so it is not opened here
        return None if os.access(file, os.W_OK) else f"{option} {file} cannot be written"
    # Nothing but the attempt is certain: root may write everywhere, and in /proc nobody can.
    place = file.resolve()  # a link may lead to what is not there yet
    is_new = not place.exists()
    try:
        os.close(os.open(place, os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if is_new else 0), 0o666))
        if is_new:
            place.unlink()
    except OSError as error:
        return f"{option} {file} cannot be written: {error.strerror}"
    return None


def _no_picture(option: str, file: Path | None) -> str | None:
    if file is not None and file.suffix.lower() not in PICTURE_KINDS:
        return f"{option} {file} is none of {' '.join(PICTURE_KINDS)}"
    return _unwritable(option, file)


def _add_load(command: argparse.ArgumentParser, scenario: str) -> None:
    add = command.add_argument_group("load").add_argument
    add("--tables", type=_positive, default=100, help="tables that are played at")
    add("--seats", type=int, choices=range(3, 7), default=4, help="seats of each")
    add(
        "--seed",
        type=int,
        default=1,
        help="of which seat moves and how fast people think; the cards are the server's, so no two runs are the same",
    )
    add("--generators", type=_positive, default=1, metavar="N", help="processes that hold the clients")
    add("--codec", choices=("msgpack", "json"), default="msgpack", help="subprotocol of the clients")
    held = "how long the last load is held" if scenario == "limit" else "how long is measured"
    add("--seconds", type=_seconds, default=10.0, help=held)
    if scenario == "idle":
        return
    first = "; what is begun with" if scenario == "limit" else ""
    add("--rate", type=_rate, default=1000.0, help=f"intents a second over all tables{first}")
    add("--contention", type=_positive, default=1, metavar="N", help="seats that play at once on each trick state")
    add("--idle", type=_none_or_more, default=0, metavar="N", help="further tables, seated and at rest")
    if scenario != "limit":
        help_ = "machine: at --rate; human: each table acts as fast as people do, whatever --rate says"
        add("--reaction", choices=("machine", "human"), default="machine", help=help_)
    if scenario in {"spectators", "mixed"}:
        add("--watchers", type=_none_or_more, default=0, metavar="N", help="spectators of each table")
    if scenario in {"slow", "mixed"}:
        add("--slow", type=_none_or_more, default=0, metavar="N", help="spectators that stop reading, over all tables")


def _add_server(command: argparse.ArgumentParser, scenario: str) -> None:
    add = command.add_argument_group("server").add_argument
    add("--url", type=_address, help="a running server, as http://127.0.0.1:8080 (default: one is started for the run)")
    # Without a default: these are said of a server of our own alone.
    own = argparse.SUPPRESS
    help_ = "gateway and worker in processes of their own"
    add("--split", action="store_true", default=own, help=help_)
    help_ = "when its Redis syncs to disk (default: everysec)"
    add("--fsync", choices=("everysec", "always"), default=own, help=help_)
    help_ = (
        "of messages and tables for each client: as an operator raises them for a load test, or the server's own"
        " (default: raised)"
    )
    add("--limits", choices=("raised", "default"), default=own, help=help_)
    if scenario == "spectators":
        help_ = "spectators have a gateway of their own"
        add("--watch-gateway", action="store_true", default=own, help=help_)
    if scenario in {"race", "limit"}:
        add(
            "--against",
            choices=("floor",),
            help="the same load on the floor in turn, and the ratios (default: this server alone)",
        )
        add(
            "--decide-us",
            type=_microseconds,
            default=0.0,
            help="with --against: the floor's busy time for a decision, in µs",
        )
    if scenario in {"race", "limit", "spectators", "slow"}:
        add("--repeats", type=_positive, default=3, metavar="N", help="how often each side has its turn, if two do")


def _add_report(command: argparse.ArgumentParser) -> None:
    report = command.add_argument_group("report")
    report.add_argument(
        "--json", type=Path, default=None, metavar="FILE", help="write it as JSON too (default: it is not)"
    )
    report.add_argument(
        "--picture", type=Path, metavar="FILE", help="where its picture goes (default: loadtest-SCENARIO.png, here)"
    )
    report.add_argument("--no-picture", action="store_true", help="draw none")
    report.add_argument("--quiet", action="store_true", help="the report alone")


def _positive(text: str) -> int:
    return _whole(text, 1)


def _none_or_more(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or not least <= _number(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{_short(text)} is not a whole number from {least} to {MOST:,}")
    return int(text)


def _seconds(text: str) -> float:
    if not 0 < _number(text) <= SECONDS_MOST:
        raise argparse.ArgumentTypeError(
            f"{_short(text)} is not a number above 0 and at most {SECONDS_MOST:,.0f}, a day"
        )
    return float(text)


def _rate(text: str) -> float:
    if not 0 < _number(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{_short(text)} is not a number above 0 and at most {MOST:,}")
    return float(text)


def _microseconds(text: str) -> float:
    if not 0 <= _number(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{_short(text)} is not a number from 0 to {MOST:,}")
    return float(text)


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _address(text: str) -> str:
    wrong = argparse.ArgumentTypeError(f"{text!r} is not an address such as http://127.0.0.1:8080")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme != "http" or not parts.hostname or port == 0 or parts.username is not None:
        raise wrong
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise wrong
    return text
