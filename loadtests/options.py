"""The command line of `./ops/loadtest`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

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
        """Return them for the report."""
        hidden = {"scenario", "json", "picture", "no_picture", "quiet"}
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in hidden}


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


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; usage errors leave with 2."""
    parser = argparse.ArgumentParser(
        prog="./ops/loadtest",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n" + "\n".join(f"  {example}" for _, example, _ in SCENARIOS.values()),
    )
    commands = parser.add_subparsers(dest="scenario", required=True, metavar="SCENARIO")
    for name, (help_, example, defaults) in SCENARIOS.items():
        command = commands.add_parser(
            name,
            help=help_,
            description=f"{help_[0].upper()}{help_[1:]}.",
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
            epilog=f"example: {example}",
        )
        _add_load(command, name)
        _add_server(command, name)
        _add_report(command)
        command.set_defaults(**defaults)
    given = vars(parser.parse_args(arguments))
    if given.get("reaction") == "human":
        given["rate"] = 0.0  # it is what comes of it
    return Options(**given)


def _add_load(command: argparse.ArgumentParser, scenario: str) -> None:
    add = command.add_argument_group("load").add_argument
    add("--tables", type=_positive, default=100, help="tables that are played at")
    add("--seats", type=int, choices=range(3, 7), default=4, help="seats of each")
    add("--seed", type=int, default=1, help="of who moves and how fast people think")
    add("--generators", type=_positive, default=1, metavar="N", help="processes that hold the clients")
    add("--codec", choices=("msgpack", "json"), default="msgpack", help="subprotocol of the clients")
    held = "how long the last load is held" if scenario == "limit" else "how long is measured"
    add("--seconds", type=_more_than_none, default=10.0, help=held)
    if scenario == "idle":
        return
    first = "; what is begun with" if scenario == "limit" else ""
    add("--rate", type=_more_than_none, default=1000.0, help=f"intents a second over all tables{first}")
    add("--contention", type=_positive, default=1, metavar="N", help="seats that play at once on each trick state")
    add("--idle", type=int, default=0, metavar="N", help="further tables, seated and at rest")
    if scenario != "limit":
        help_ = "machine: at --rate; human: each table acts as fast as people do, whatever --rate says"
        add("--reaction", choices=("machine", "human"), default="machine", help=help_)
    if scenario in {"spectators", "mixed"}:
        add("--watchers", type=int, default=0, metavar="N", help="spectators of each table")
    if scenario in {"slow", "mixed"}:
        add("--slow", type=int, default=0, metavar="N", help="spectators that stop reading, over all tables")


def _add_server(command: argparse.ArgumentParser, scenario: str) -> None:
    add = command.add_argument_group("server").add_argument
    add("--url", help="a running server, as http://127.0.0.1:8080; none: one is started and ended")
    add("--split", action="store_true", help="gateway and worker in processes of their own")
    add("--fsync", choices=("everysec", "always"), default="everysec", help="when its Redis syncs to disk")
    add(
        "--limits",
        choices=("raised", "default"),
        default="raised",
        help="of messages and tables for each client: as an operator raises them for a load test, or the server's own",
    )
    if scenario == "spectators":
        add("--watch-gateway", action="store_true", help="spectators have a gateway of their own")
    if scenario in {"race", "limit"}:
        add("--against", choices=("floor",), help="the same load on the floor in turn, and the ratios")
        add("--decide-us", type=float, default=0.0, help="with --against: the floor's busy time for a decision, in µs")
    if scenario in {"race", "limit", "spectators", "slow"}:
        add("--repeats", type=_positive, default=3, metavar="N", help="how often each side has its turn, if two do")


def _add_report(command: argparse.ArgumentParser) -> None:
    report = command.add_argument_group("report")
    report.add_argument("--json", type=Path, default=None, metavar="FILE", help="write it as JSON too")
    report.add_argument("--picture", type=Path, metavar="FILE", help="where its picture goes (loadtest-SCENARIO.png)")
    report.add_argument("--no-picture", action="store_true", help="draw none")
    report.add_argument("--quiet", action="store_true", help="the report alone")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _more_than_none(text: str) -> float:
    number = float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return number
