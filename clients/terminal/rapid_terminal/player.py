"""One stay at a table: messages become text, typed lines become requests, until one of both ends it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rapid_client import ConnectionLost, Final, Reply, Table, View
from rapid_client import events as ev
from rapid_client.messages import Disconnected, Message, Welcome

from .auto import attempts
from .commands import Command, Explain, Give, Host, Mistake, Play, React, Simple, parse
from .help import help_lines
from .lines import Lines
from .screen import Screen
from .settings import GROUPS, Rulesets
from .status import situation, status
from .teller import Teller

BREATH_S = 0.2
TICK_S = 0.25


class End(Enum):
    """How a stay ended."""

    OVER = "the table closed in order, or the game ended and nobody plays on by hand"
    QUIT = "the player went; the seat stays"
    LEFT = "the player gave the seat up"
    JOIN = "a spectator wants a seat"


@dataclass(slots=True, eq=False)
class _Attempt:
    """A request under way, and the line that asked for it; empty: nobody typed it."""

    line: str
    is_one_of_several: bool = False

    @property
    def named(self) -> str:
        """The line, before its verdict: needed only where the verdict might be that of another one."""
        return f"{self.line}: " if self.line and self.is_one_of_several else ""


class Stay:
    """A seat's, or a spectator's, stay. `lines` None: nothing is typed. Reading of `shown` stamps typed lines."""

    def __init__(
        self,
        table: Table,
        screen: Screen,
        rulesets: Rulesets,
        *,
        is_auto: bool = False,
        until_final: bool = False,
    ) -> None:
        self._table, self._screen = table, screen
        self._is_auto, self._until_final = is_auto, until_final
        self._rulesets = rulesets
        self._teller = Teller(table.seat, rulesets)
        self._drawn: tuple[object, ...] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way: list[_Attempt] = []
        self._tried: set[Command] = set()
        self._tried_in: tuple[object, ...] | None = None
        self._is_trying = self._is_leaving = False
        self.shown: View = table.view

    async def run(self, lines: Lines[View] | None) -> End:
        """Play on until the end. Raises `Final`."""
        listening = asyncio.create_task(self._listen(lines))
        typing = asyncio.create_task(self._type(lines)) if lines else None
        running: set[asyncio.Task[End]] = {task for task in (listening, typing) if task}
        ticking = asyncio.create_task(self._tick())
        try:
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if typing in done and self._tasks:
                await asyncio.wait(self._tasks)
            ended = listening if listening in done else done.pop()
            return ended.result()
        finally:
            for task in (ticking, *running, *self._tasks):
                task.cancel()
            await asyncio.gather(ticking, *running, *self._tasks, return_exceptions=True)

    # -- what the table says -------------------------------------------------------------------------------------

    async def _listen(self, lines: Lines[View] | None) -> End:
        async for message in self._table:
            if lines:
                lines.drain()
            self._show(message)
            if isinstance(message, ev.GameEnded) and (self._is_auto or self._until_final):
                return End.OVER
            if isinstance(message, Welcome):
                # Plays are never tried again (R3); but a start that was lost with its connection must be.
                self._tried = {command for command in self._tried if isinstance(command, Play | Simple)}
            if self._is_auto and not self._table.has_more:
                self._try()
        return End.LEFT if self._is_leaving else End.OVER

    def _show(self, message: Message | Disconnected) -> None:
        view = self._table.seen
        self._teller.seat = view.you.seat if view.you else None
        self._screen.show(self._teller.tell(message, view))
        self.shown = view
        if not self._table.has_more and situation(view) != self._drawn:
            self._draw()

    def _draw(self) -> None:
        self._drawn = situation(self.shown)
        self._screen.show(status(self.shown, self._table.remaining_s(self.shown.deadline)))
        self._ask()

    def _ask(self) -> None:
        """What is left of the running timer stands before the typed line."""
        left_s = self._table.remaining_s(self.shown.deadline)
        if self._screen.console:
            self._screen.console.ask("> " if left_s is None else f"{math.ceil(left_s):2d} s > ")

    async def _tick(self) -> None:
        while self._screen.console:
            self._ask()
            await asyncio.sleep(TICK_S)

    # -- what the player says ------------------------------------------------------------------------------------

    async def _type(self, lines: Lines[View]) -> End:
        while (typed := await lines.get()) is not None:
            line, shown = typed
            command = parse(line, shown, self._rulesets)
            if command == Simple("quit"):
                return End.QUIT
            if command == Simple("join") and shown.you is None:
                return End.JOIN
            if command is not None:
                self._start(self._do(command, shown, line.strip()))
        if self._is_auto:
            # Nobody types any more, but the game goes on by itself.
            await asyncio.Event().wait()
        return End.QUIT

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _do(self, command: Command, shown: View, line: str) -> None:
        if isinstance(command, Mistake):
            about = self._rulesets.explain(shown.settings, command.about) if command.about else []
            self._screen.show([command.text, *about])
        elif command == Simple("help"):
            self._screen.show(help_lines(shown))
        elif command == Simple("rules"):
            self._screen.show(self._rulesets.rules(shown.settings))
        elif isinstance(command, Explain):
            name, settings = command.name, shown.settings
            self._screen.show(self._rulesets.explain(settings, name) if name else self._rulesets.in_full(settings))
        elif command == Simple("look"):
            self._draw()
        elif command == Simple("join"):
            self._screen.show(["you have a seat"])
        elif (isinstance(command, Play) and shown.trick is None) or (command == Simple("pass") and shown.trick is None):
            self._screen.show(["no trick is open"])
        else:
            await self._attempt(command, shown, line)

    async def _attempt(self, command: Command, shown: View, line: str = "") -> Reply | None:
        """Send one request, once, and say what became of it (R3: it is never sent again)."""
        on = shown.trick.state if shown.trick else None
        attempt = self._begin(line)
        try:
            reply = await self._send(command, shown, on)
        except ConnectionLost as lost:
            self._screen.show([f"-> {attempt.named}not known: {lost}"])
            return None
        except Final:
            return None
        finally:
            self._under_way.remove(attempt)
        self._screen.show(self._teller.verdict(reply, on, attempt.named))
        if reply.why == "bad_settings" and isinstance(command, Host):
            self._screen.show(f"   {line}" for line in self._what_can_be(command, shown))
        return reply

    def _begin(self, line: str) -> _Attempt:
        attempt = _Attempt(line)
        self._under_way.append(attempt)
        if len(self._under_way) > 1:
            for one in self._under_way:
                one.is_one_of_several = True
        return attempt

    def _what_can_be(self, command: Host, shown: View) -> list[str]:
        """What a setting that was refused is now, and can be."""
        laid = dict(command.fields).get("settings", {})
        names = [inner for name, value in laid.items() for inner in (value if name in GROUPS else [name])]
        return [line for name in names for line in self._rulesets.explain(shown.settings, name)]

    async def _send(self, command: Command, shown: View, on: int | None) -> Reply:
        match command:
            case Play(cards):
                return await self._table.play(cards, on=on)
            case Give(cards):
                return await self._table.give(cards, round_number=shown.round)
            case Host(do, fields):
                return await self._table.host(do, **dict(fields))
            case React(emoji):
                return await self._table.react(emoji)
            case Simple("pass"):
                return await self._table.pass_(on=on)
            case _:
                self._is_leaving = True
                return await self._table.leave()

    # -- playing by itself ---------------------------------------------------------------------------------------

    def _try(self) -> None:
        """One attempt at a time, each different one once in a situation."""
        view = self._table.seen
        if self._is_trying or not self._table.is_connected:
            return
        if situation(view) != self._tried_in:
            self._tried_in = situation(view)
            self._tried.clear()
        command = next((one for one in attempts(view) if one not in self._tried), None)
        if command is not None:
            self._is_trying = True
            self._tried.add(command)
            self._start(self._try_once(command, view))

    async def _try_once(self, command: Command, view: View) -> None:
        try:
            reply = await self._attempt(command, view)
            if reply is not None and reply.why in {"rate_limited", "unavailable"}:
                self._tried.discard(command)
                await asyncio.sleep(BREATH_S)
        finally:
            self._is_trying = False
        if reply is not None and not self._table.has_more:
            self._try()
