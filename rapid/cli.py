"""The command line (PROTOCOL section 6): options in, an exit code out.

Every option can be set by a variable `RAPID_<OPTION>`; what is typed wins. Exit codes: 0, 1
failure, 2 usage, 130 if Ctrl-C ended it, as shells count. What a command does is imported when
it is run, so that `rapid simulate` does not wait for a web server's modules.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rapid.config import LOG_KEPT_LEAST_DAYS, LOG_KEPT_MOST_DAYS, Limits, ServerOptions, StoreOptions, from_environment
from rapid.errors import ConfigError, RapidError

OK, FAILURE, USAGE, INTERRUPTED = 0, 1, 2, 130
PREFIX = "RAPID_"
LEASE_LEAST_MS = 200
PORT_MOST = 65_535
Number = TypeVar("Number", int, float)
LOGGED = frozenset({"serve", "gateway", "worker", "tables", "close", "export", "backup", "restore"})
"""Commands that run parts of the server, which write log lines."""
LOG_LEVELS = ("debug", "info", "warning", "error")
YES = ("1", "true", "yes", "on")
NO = ("", "0", "false", "no", "off")

Run = Callable[[argparse.Namespace, Mapping[str, str]], int]


class Options:
    """Adds options to a command; each takes its default from the environment."""

    def __init__(self, parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
        """Add to this parser."""
        self._parser = parser
        self._environ = environ

    def value(self, name: str, help_: str, **more: Any) -> None:
        """Add `--name VALUE`."""
        variable = PREFIX + name.replace("-", "_").upper()
        # argparse reads a text default like one that was typed, and complains alike.
        more["default"] = self._environ.get(variable) or more.get("default")
        shown = "" if more["default"] is None else f" (default {more['default']})"
        self._parser.add_argument(f"--{name}", help=f"{help_}{shown} [{variable}]", **more)

    def flag(self, name: str, help_: str) -> None:
        """Add `--name`, off unless the environment says otherwise."""
        variable = PREFIX + name.replace("-", "_").upper()
        text = self._environ.get(variable, "").lower()
        if text not in YES + NO:
            self._parser.error(f"{variable}={text!r} is neither {YES[1]} nor {NO[2]}")
        self._parser.add_argument(f"--{name}", action="store_true", default=text in YES, help=f"{help_} [{variable}]")


def build_parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="rapid", description="President as a race. Every option can be set by a variable RAPID_<OPTION>."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, help_: str, run: Run) -> tuple[argparse.ArgumentParser, Options]:
        command = commands.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".")
        command.set_defaults(run=run, parser=command)
        return command, Options(command, environ)

    _add_servers(add)
    _add_tables(add)
    _add_logs(add)
    _add_terminal(add)
    return parser


Add = Callable[[str, str, Run], tuple[argparse.ArgumentParser, Options]]


def _add_servers(add: Add) -> None:
    _, options = add("serve", "start everything in one go, and print the addresses to open", _serve)
    _address_options(options)
    _redis_options(options, serves=True)
    _worker_options(options)
    _log_options(options)
    _, options = add("gateway", "start a gateway: HTTP and WebSocket, any number against one Redis", _serve)
    _address_options(options)
    _redis_options(options)
    _log_options(options)
    _, options = add("worker", "start a worker: it decides at tables, any number against one Redis", _serve)
    _redis_options(options)
    _worker_options(options)
    _log_options(options)
    options.value("metrics-port", "port to show Prometheus metrics on, 0 for any; none: not shown", type=_port)


def _log_options(options: Options) -> None:
    options.value("log-level", "least level of log lines", type=_one_of(*LOG_LEVELS), default="info")


def _worker_options(options: Options) -> None:
    options.value(
        "lease-ms",
        "tables of a worker that dies or hangs wait so many milliseconds for another one",
        type=_lease,
        default=str(StoreOptions().lease_ms),
    )
    _kept_option(options)


def _kept_option(options: Options) -> None:
    options.value(
        "log-kept-days",
        "days for which the log of a table can still be read once it is closed; then it expires",
        type=_days,
        default=f"{StoreOptions().log_kept_days:g}",
    )


def _address_options(options: Options) -> None:
    options.value("host", "address to listen on", default=ServerOptions().host)
    options.value("port", "port to listen on, 0 for any that is free", type=_port, default=str(ServerOptions().port))
    options.value("origins", "further origins whose pages may connect, with commas between", metavar="URL,URL")
    options.flag("dev", "take settings that only tests want (PROTOCOL section 2)")


def _redis_options(options: Options, *, serves: bool = False) -> None:
    data = str(StoreOptions().data)
    if serves:
        options.value("redis", "address of your Redis; none: a server of our own under --data", metavar="URL")
        options.value("data", "folder of our own Redis, kept across restarts", type=Path, default=data)
        options.value(
            "fsync",
            "when our own Redis syncs to disk: everysec loses at most a second if the machine dies, always nothing",
            type=_one_of("everysec", "always"),
            default=StoreOptions().fsync,
        )
    else:
        options.value("redis", "address of the Redis; none: that of a serve with the same --data", metavar="URL")
        options.value("data", "folder of a serve, whose Redis is used, and started if need be", type=Path, default=data)
    shards = str(StoreOptions().shards)
    options.value("shards", "number of shards, fixed at the first start", type=_positive, default=shards)


def _add_tables(add: Add) -> None:
    _, options = add("tables", "list the tables: owner, phase, seats, age", _with_store)
    _redis_options(options)
    command, options = add("close", "close a table", _with_store)
    command.add_argument("table", metavar="TABLE")
    _redis_options(options)
    _kept_option(options)
    command, options = add("export", "write a table's whole log, nothing hidden but token hashes", _with_store)
    command.add_argument("table", metavar="TABLE")
    _redis_options(options)

    command, options = add("backup", "copy the tables of a data folder into one file; it may be in use", _backup)
    command.add_argument("archive", metavar="ARCHIVE", type=Path)
    options.value("data", "folder of a serve", type=Path, default=str(StoreOptions().data))
    command, options = add("restore", "make a data folder of such a file", _backup)
    command.add_argument("archive", metavar="ARCHIVE", type=Path)
    options.value("data", "folder to make; it must be new, or empty", type=Path, default=str(StoreOptions().data))


def _add_logs(add: Add) -> None:
    command, _ = add("verify", "replay exported logs: rules, cards, commitments", _verify)
    command.add_argument("files", metavar="FILE", nargs="+", help="exported logs; -: standard input")
    _, options = add("simulate", "let bots play whole games without a server, and write their logs", _simulate)
    options.value("ruleset", "which game", default="president")
    options.value("mode", "rapid or turns; left out: the ruleset's default")
    options.value("seats", "bots at the table", type=_whole, default="4")
    options.value(
        "rounds",
        "rounds a game, 1 to 50, 5 if left out; of a ruleset that plays to points: the host ends the game after so "
        "many, if it still goes on; left out: it is played to its end",
        type=_rounds,
    )
    options.value(
        "target",
        "points that end a game, of a ruleset that plays to points; left out: 11; none (escoria): 50 rounds",
        type=_target,
    )
    options.value("games", "games", type=_whole, default="1")
    options.value("seed", "the same seed gives the same logs, byte for byte", type=_whole, default="1")
    options.value("variants", "exactly those that are on, as a,b or none; left out: the ruleset's")
    options.value("options", "options of the ruleset, as k=v,…")
    options.value("level", "how well the bots play: easy, normal, hard", default="normal")


def _add_terminal(add: Add) -> None:
    command, options = add("play", "play in the terminal: at a table's address, or at a new table of a bare one", _play)
    command.add_argument("url", metavar="URL")
    options.value("name", "your name")
    options.value("bots", "bots at a table opened here", type=_whole, default="3")
    options.value("settings", "of a table opened here, as ruleset=presi,mode=turns,race_seconds=5,… (PROTOCOL 2)")
    options.value("variants", "of a table opened here: exactly those that are on, as a,b or none")
    options.value("options", "of the rules of a table opened here, as jokers=2,joker=wild,…")
    options.flag("auto", "play by itself, and end with the game")
    options.flag("fresh", "take a new seat even where you had one")
    options.flag("json", "speak JSON instead of MessagePack")
    command, options = add("watch", "watch a table in the terminal", _watch)
    command.add_argument("url", metavar="URL")
    options.flag("until-final", "end with the game instead of with the table")
    options.flag("json", "speak JSON instead of MessagePack")


def _one_of(*choices: str) -> Callable[[str], str]:
    """Return a check for `type`: argparse's own `choices` does not look at defaults, and so at no variable."""

    def check(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(choices)}")
        return text

    return check


def _number(kind: type[Number], what: str) -> Callable[[str], Number]:
    # Not the type itself, which argparse would name to whoever typed something else.
    def check(text: str) -> Number:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what}") from None

    return check


_whole = _number(int, "whole number")
_rounds = _number(int, "number of rounds: 1 to 50")
_number_of_days = _number(float, "number of days")


def _port(text: str) -> int:
    port = _whole(text)
    if not 0 <= port <= PORT_MOST:
        raise argparse.ArgumentTypeError(f"{text} is no port: 0 to {PORT_MOST}")
    return port


def _target(text: str) -> int | str:
    if text == "none":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of points nor none") from None


def _lease(text: str) -> int:
    lease_ms = _whole(text)
    if lease_ms < LEASE_LEAST_MS:
        raise argparse.ArgumentTypeError(f"a lease of {text} ms could not be kept up: {LEASE_LEAST_MS} at least")
    return lease_ms


def _days(text: str) -> float:
    days = _number_of_days(text)
    if not LOG_KEPT_LEAST_DAYS <= days <= LOG_KEPT_MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text} days: {LOG_KEPT_LEAST_DAYS:g} (a second) to {LOG_KEPT_MOST_DAYS:g}")
    return days


def _positive(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is too few: 1 at least")
    return number


def _store_options(given: argparse.Namespace, environ: Mapping[str, str]) -> StoreOptions:
    names = ("redis", "data", "fsync", "shards", "lease_ms", "log_kept_days")
    values = {name: getattr(given, name) for name in names if getattr(given, name, None) is not None}
    return from_environment(StoreOptions, environ, values)


def _serve(given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    store, limits = _store_options(given, environ), from_environment(Limits, environ)
    if given.command == "worker":
        from rapid.commands.worker import worker  # noqa: PLC0415

        return worker(store, limits, given.metrics_port)
    from rapid.commands import serve  # noqa: PLC0415

    origins = tuple(filter(None, (origin.strip() for origin in (given.origins or "").split(","))))
    server = ServerOptions(host=given.host, port=given.port, dev=given.dev, origins=origins)
    if given.command == "gateway":
        return serve.gateway(server, store, limits)
    return serve.everything(server, store, limits)


def _with_store(given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    from rapid.commands import tables  # noqa: PLC0415

    store = _store_options(given, environ)
    if given.command == "tables":
        return tables.list_tables(store)
    if given.command == "close":
        return tables.close(store, given.table)
    return tables.export(store, given.table)


def _backup(given: argparse.Namespace, _environ: Mapping[str, str]) -> int:
    from rapid.commands import backup  # noqa: PLC0415

    act = backup.back_up if given.command == "backup" else backup.restore
    return act(given.archive, given.data)


def _verify(given: argparse.Namespace, _environ: Mapping[str, str]) -> int:
    from rapid.commands import logs  # noqa: PLC0415

    return logs.verify(given.files)


def _simulate(given: argparse.Namespace, _environ: Mapping[str, str]) -> int:
    from rapid.commands import logs  # noqa: PLC0415

    names = ("ruleset", "mode", "seats", "rounds", "target", "games", "seed", "level")
    return logs.simulate({name: getattr(given, name) for name in names}, given.variants, given.options)


def _play(given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    from rapid.commands import terminal  # noqa: PLC0415

    return terminal.play(
        given.url,
        environ,
        settings=given.settings,
        rules=given.options,
        variants=given.variants,
        name=given.name,
        bots=given.bots,
        is_auto=given.auto,
        is_fresh=given.fresh,
        use_json=given.json,
    )


def _watch(given: argparse.Namespace, environ: Mapping[str, str]) -> int:
    from rapid.commands import terminal  # noqa: PLC0415

    return terminal.watch(given.url, environ, until_final=given.until_final, use_json=given.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; usage errors leave with 2 like argparse's own."""
    environ = os.environ
    given, unknown = build_parser(environ).parse_known_args(arguments)
    if unknown:
        # Not `parse_args`, which would show the usage of `rapid` and not that of the command.
        given.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if given.command in LOGGED:
        from rapid.telemetry.logs import configure_logging  # noqa: PLC0415  # see the module's docstring

        # What is not configured writes to standard output, which is the command's own.
        configure_logging(sys.stderr, level=getattr(given, "log_level", "info"))
    run: Run = given.run
    try:
        return run(given, environ)
    except ConfigError as error:
        print(f"rapid: {error}", file=sys.stderr)
    except RapidError as error:
        print(f"rapid: {error}", file=sys.stderr)
    except BrokenPipeError:
        # Whoever read us has enough; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILURE
