"""What happens at the table, in lines of text. It remembers who won each trick state, for the photo finish (R4)."""

# ruff: noqa: D102, ARG002 - the methods below are one sentence for one class of event, which says what it is.
from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from rapid_client import Bye, Disconnected, Message, Presence, Reaction, Reply, View, Welcome
from rapid_client import events as ev

from . import words
from .settings import GROUPS, Rulesets, rounds_of
from .styles import Line, Style
from .wrap import padded, width

REMEMBERED_STATES = 256


class Teller:
    """Turns messages into lines. Feed every message in order, with the view as of it."""

    def __init__(self, seat: int | None = None, rulesets: Rulesets | None = None) -> None:
        self.seat = seat
        self._rulesets = rulesets or Rulesets()
        self._settings: Mapping[str, Any] = {}
        self._awaited: dict[int, int] = {}
        """Until when each chair is waited for, as of the message before."""
        self._names: dict[int, str] = {}
        self._winner: OrderedDict[int, int | None] = OrderedDict()
        self._state: int | None = None
        self._spectators = 0
        self._is_turned = self._was_turned = False

    def tell(self, message: Message | Disconnected, view: View) -> list[str]:
        """The lines for a message; none for what need not be said."""
        self._names.update({seat.seat: seat.name for seat in view.seats})
        self._remember(message, view)
        self._was_turned = self._is_turned
        self._is_turned = message.revolution if isinstance(message, ev.Played) else view.revolution
        line = _LINES.get(type(message))
        said = line(self, message, view) if line else None
        self._settings = view.settings
        self._awaited = {seat.seat: seat.until for seat in view.seats if seat.until is not None}
        style = self._style(message)
        return [Line.of((text, style)) for text in said.split("\n")] if said else []

    def _style(self, message: Message | Disconnected) -> Style:
        if isinstance(message, ev.Played):
            is_turning = message.revolution != self._was_turned
            return Style.ALARM if is_turning else Style.GOOD if message.seat == self.seat else Style.PLAIN
        if isinstance(message, ev.Passed | ev.Skipped | ev.RaceLost | ev.TrickClosed | ev.TrickOpened | Presence):
            return Style.DIM
        if isinstance(message, Disconnected | ev.TableClosed):
            return Style.BAD
        return Style.BOLD if isinstance(message, ev.Dealt | ev.RoundEnded | ev.GameEnded | ev.Finished) else Style.PLAIN

    def name(self, seat: int) -> str:
        """A seat's name, `you` for the viewer's own; known also after the seat was freed."""
        return "you" if seat == self.seat else self._names.get(seat, words.seat(seat))

    def verdict(self, reply: Reply, on: int | None, named: str = "") -> list[str]:
        """What became of an attempt that was not taken: beaten by whom and by how much, or why it was refused.

        What was taken, its events have told. `named` says which attempt it was, where that is not plain.
        """
        if reply.ok:
            return []
        return [Line.of((text, Style.BAD)) for text in f"-> {named}{self._refused(reply, on)}".split("\n")]

    def _refused(self, reply: Reply, on: int | None) -> str:
        winner = self._winner.get(on) if on is not None else None
        if reply.late_ms is not None and winner is not None and winner != self.seat:
            return f"beaten by {self.name(winner)} by {words.late(reply.late_ms)}"
        if reply.late_ms is not None:
            return f"too late by {words.late(reply.late_ms)}"
        # A variant's or an option's name stands in the message.
        rows = "".join(
            f"\n   {row.message}" if row.field in GROUPS else f"\n   {row.field}: {row.message}" for row in reply.errors
        )
        return f"refused: {words.refusal(reply.why, self._settings)}{rows}"

    def _remember(self, message: Message | Disconnected, view: View) -> None:
        if isinstance(message, ev.Played):
            self._winner[message.on] = message.seat
        elif isinstance(message, ev.TrickClosed) and self._state is not None:
            self._winner[self._state] = None
        while len(self._winner) > REMEMBERED_STATES:
            self._winner.popitem(last=False)
        self._state = view.trick.state if view.trick else None

    # -- one method a kind ---------------------------------------------------------------------------------------

    def welcome(self, message: Welcome, view: View) -> str | None:
        if message.view is None:
            return "Connected again."
        who = (
            f"You are {words.name(view, message.seat)}, {words.seat(message.seat)}."
            if message.seat is not None
            else "You watch."
        )
        return f"{self._rulesets.summary(view.settings)}. {who}"

    def disconnected(self, message: Disconnected, _view: View) -> str:
        return f"Connection lost; trying again in {message.retry_s:.1f} s. Nothing you type now is sent."

    def bye(self, message: Bye, _view: View) -> str | None:
        return "The server is restarting." if message.why == "leaving" else None

    def reaction(self, message: Reaction, _view: View) -> str:
        return f"{self.name(message.seat)}: {message.emoji}"

    def presence(self, message: Presence, _view: View) -> str | None:
        before, self._spectators = self._spectators, message.spectators
        return f"Watching: {message.spectators}" if before != message.spectators else None

    def seat_taken(self, event: ev.SeatTaken, _view: View) -> str:
        kind = f" ({event.level or ''} bot)".replace("( ", "(") if event.kind == "bot" else ""
        return f"{event.name}{kind} takes {words.seat(event.seat)}"

    def leaving(self, event: ev.Leaving, _view: View) -> str:
        how = "was removed" if event.why == "removed" else "left"
        return f"{self.name(event.seat)} {how}; a bot plays on for the seat"

    def seat_freed(self, event: ev.SeatFreed, _view: View) -> str:
        how = " was removed" if event.why == "removed" else ""
        return f"{self.name(event.seat)}{how}: the seat is free"

    def host_changed(self, event: ev.HostChanged, _view: View) -> str:
        return f"{self.name(event.seat)}: host now"

    def settings_changed(self, event: ev.SettingsChanged, _view: View) -> str:
        return f"Settings: {self._rulesets.changed(self._settings, event.settings)}"

    def connection_lost(self, event: ev.ConnectionLostEvent, _view: View) -> str:
        lost = f"{self.name(event.seat)}: connection lost"
        if event.until is None:
            return lost
        left_s, until = round((event.until - event.at) / 1000), time.localtime(event.until / 1000)
        return f"{lost}; awaited for {left_s} s, until {time.strftime('%H:%M:%S', until)}, then the game is cancelled"

    def connection_back(self, event: ev.ConnectionBack, _view: View) -> str | None:
        return None if event.seat == self.seat else f"{self.name(event.seat)}: connected"

    def standin(self, event: ev.StandinStarted | ev.StandinEnded, _view: View) -> str:
        begins = isinstance(event, ev.StandinStarted)
        return f"{self.name(event.seat)}: " + ("a stand-in plays" if begins else "back in the seat")

    def dealt(self, event: ev.Dealt, view: View) -> str:
        title = f"\n=== Round {event.round}{rounds_of(view.settings)} ==="
        return title + ("\n" + words.HOW if event.round == 1 and self.seat is not None else "")

    def exchange_opened(self, event: ev.ExchangeOpened, view: View) -> str:
        lines = [self._move(move) for move in event.moves]
        lines += [f"{self._owes(owe.giver)} {self.name(owe.to)} {words.due(owe.count, owe.pick)}" for owe in event.owes]
        step = f", step {event.step} of 2" if event.step else ""
        return f"Exchange{step}: {'; '.join(lines)}"

    def _owes(self, seat: int) -> str:
        return "you owe" if seat == self.seat else f"{self.name(seat)} owes"

    def given(self, event: ev.Given, view: View) -> str:
        what = words.cards(event.cards) if event.cards else words.count(event.count)
        return f"{self.name(event.giver)} → {self.name(event.to)}: {what}{self._by(event.giver, event.by, view)}"

    def exchange_closed(self, event: ev.ExchangeClosed, _view: View) -> str | None:
        mine = [self._move(move) for move in event.moves if move.to == self.seat]
        if event.step == 1:  # 4.4: the President's return comes next
            return "; ".join(mine)
        return " ".join(["Exchange done.", "; ".join(mine)]).strip()

    def _move(self, move: ev.Move) -> str:
        what = words.cards(move.cards) if move.cards else words.count(move.count)
        return f"{self.name(move.giver)} → {self.name(move.to)}: {what}"

    def trick_opened(self, event: ev.TrickOpened, _view: View) -> str:
        leads = "anyone may open" if event.leader is None else f"{self.name(event.leader)} to lead"
        return f"Trick {event.trick}: {leads}"

    def turn_began(self, event: ev.TurnBegan, _view: View) -> str | None:
        if event.seat != self.seat:
            return None
        return "Your turn" + (f": a {event.rank}, or pass" if event.rank else "")

    def played(self, event: ev.Played, view: View) -> str:
        turned = ""
        if event.revolution != self._was_turned:
            turned = " · REVOLUTION" if event.revolution else " · back to the normal order"
        if event.order:
            turned += ", and the direction turns"
        seat = view.seat(event.seat)
        left = f" · {seat.cards} left" if seat else ""
        return (
            f"  {self.name(event.seat)}: {words.cards(event.cards)}{self._by(event.seat, event.by, view)}{left}{turned}"
        )

    def passed(self, event: ev.Passed, view: View) -> str:
        return f"  {self.name(event.seat)}: pass{self._by(event.seat, event.by, view)}"

    def _by(self, seat: int, by: str, view: View) -> str:
        """Who acted for the seat, where that is news."""
        taken = view.seat(seat)
        return "" if taken and taken.kind == by and not taken.leaving else words.BY.get(by, "")

    def skipped(self, event: ev.Skipped, _view: View) -> str:
        return f"  {self.name(event.seat)}: skipped"

    def race_lost(self, event: ev.RaceLost, _view: View) -> str | None:
        # One's own attempt was answered already, at once, by its reply.
        return (
            None if event.seat == self.seat else f"  {self.name(event.seat)}: too late by {words.late(event.late_ms)}"
        )

    def finished(self, event: ev.Finished, _view: View) -> str:
        return f"  {self.name(event.seat)}: out of cards" + (
            " with a 2: a place at the bottom" if event.penalised else ""
        )

    def trick_closed(self, event: ev.TrickClosed, _view: View) -> str:
        return f"Trick {event.trick} closed: {words.CLOSINGS.get(event.why, event.why)}"

    def round_ended(self, event: ev.RoundEnded, _view: View) -> str:
        titles = {seat: words.role(event.roles.get(seat)) for seat in event.standings}
        # As wide as they are and no wider: a narrow terminal has room for the whole row.
        name, title = max(map(width, map(self.name, titles)), default=0), max(map(len, titles.values()), default=0)
        rows = [
            f"  {place}. {padded(self.name(seat), name)}  {titles[seat]:<{title}}"
            f"  {event.points.get(seat, 0):+d}  total {event.totals.get(seat, 0)}"
            for place, seat in enumerate(event.standings, 1)
        ]
        return "\n".join([f"Round {event.round} is over", *rows])

    def game_ended(self, event: ev.GameEnded, _view: View) -> str:
        rows = sorted(event.totals.items(), key=lambda row: -row[1])
        totals = ", ".join(f"{self.name(seat)} {total}" for seat, total in rows)
        winners = " and ".join(map(self.name, event.winners))
        won = f" Winner{'s' if len(event.winners) > 1 else ''}: {winners}." if winners else ""
        why = self._missing(event) or words.ENDINGS.get(event.why, event.why)
        return f"\nGame over: {why}.{won} Totals: {totals}"

    def _missing(self, event: ev.GameEnded) -> str | None:
        """3.10: who was not back in time, if that is why."""
        late = [self.name(seat) for seat, until in self._awaited.items() if until <= event.at]
        return f"{words.ENDINGS['cancelled']}: {' and '.join(late)} did not come back" if late else None

    def resumed(self, event: ev.Resumed, _view: View) -> str:
        return f"The table goes on after {event.lost_ms / 1000:.1f} s"

    def table_closed(self, event: ev.TableClosed, _view: View) -> str:
        return f"The table is closed: {words.TABLE_ENDS.get(event.why, event.why)}"


_LINES: dict[type, Callable[[Teller, Any, View], str | None]] = {
    Welcome: Teller.welcome,
    Disconnected: Teller.disconnected,
    Bye: Teller.bye,
    Reaction: Teller.reaction,
    Presence: Teller.presence,
    ev.SeatTaken: Teller.seat_taken,
    ev.Leaving: Teller.leaving,
    ev.SeatFreed: Teller.seat_freed,
    ev.HostChanged: Teller.host_changed,
    ev.SettingsChanged: Teller.settings_changed,
    ev.ConnectionLostEvent: Teller.connection_lost,
    ev.ConnectionBack: Teller.connection_back,
    ev.StandinStarted: Teller.standin,
    ev.StandinEnded: Teller.standin,
    ev.Dealt: Teller.dealt,
    ev.ExchangeOpened: Teller.exchange_opened,
    ev.Given: Teller.given,
    ev.ExchangeClosed: Teller.exchange_closed,
    ev.TrickOpened: Teller.trick_opened,
    ev.TurnBegan: Teller.turn_began,
    ev.Played: Teller.played,
    ev.Passed: Teller.passed,
    ev.Skipped: Teller.skipped,
    ev.RaceLost: Teller.race_lost,
    ev.Finished: Teller.finished,
    ev.TrickClosed: Teller.trick_closed,
    ev.RoundEnded: Teller.round_ended,
    ev.GameEnded: Teller.game_ended,
    ev.Resumed: Teller.resumed,
    ev.TableClosed: Teller.table_closed,
}
