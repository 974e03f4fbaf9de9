"""How decisions are read: each is a generator that is sent the events that must follow (PROTOCOL section 4)."""

from __future__ import annotations

from collections.abc import Generator

from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.table import Game, Round, Table
from rapid.engine.replay.trick import Trick

# Yields the kinds that may come next and is sent the event that came; () between decisions.
Steps = Generator[tuple[str, ...], Event, None]
OneStep = Generator[tuple[str, ...], Event, Event]


def need(table: Table, *kinds: str) -> OneStep:
    """The next event of the same decision, which must be one of these kinds."""
    event = yield kinds
    demand(event.kind in kinds, "{} where {} must follow", event.kind, " or ".join(kinds))
    demand(event.at == table.at, "at {} differs from {} within one decision", event.at, table.at)
    return event


def game_of(table: Table) -> Game:
    """The game in progress."""
    game = table.game
    if game is None or not table.is_in_game:
        raise WrongError("no game is in progress")
    return game


def round_of(table: Table) -> Round:
    """The round in progress."""
    now = game_of(table).round
    if now is None or not table.is_in_round:
        raise WrongError("no round is in progress")
    return now


def trick_of(table: Table) -> Trick:
    """The trick that is open."""
    trick = round_of(table).trick
    if trick is None:
        raise WrongError("no trick is open")
    return trick
