"""The parent's side of the generators: started, told, listened to, ended."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any, Final, Self

from loadtests.generator import process
from loadtests.generator.loop import now_s
from loadtests.generator.plan import Progress
from loadtests.generator.upward import BEAT
from loadtests.stopping import held_back, out_of_the_terminals_reach

TICK_SECONDS: Final = 0.25
SILENT_SECONDS: Final = 30.0
"""A generator that works says something several times as often."""
LISTENED_SECONDS: Final = 1.0
END_SECONDS: Final = 10.0
Watch = Callable[[int, Progress], None]


class GeneratorFailed(Exception):
    """A generator could not do what it was told."""


class Fleet:
    """So many generator processes. Use as a context."""

    def __init__(self, count: int) -> None:
        self._pipes: list[Pipe] = []
        self._processes: list[SpawnProcess] = []
        self.ended: set[int] = set()
        """Numbers of generators whose process has ended by itself; nothing is asked of them any more."""
        self.faults: list[str] = []
        """What was wrong besides what was answered."""
        self.broken_off: str | None = None
        """Why what is measured from now on is nobody's figure: a server or a generator is gone."""
        self.heed: Callable[[str], object] = lambda _why: None
        """Is told at once when that is so."""
        self._count = count
        self._silent_s = [0.0] * count
        """For how long each has said nothing while it was listened to."""

    def __enter__(self) -> Self:
        try:
            for _ in range(self._count):
                self._start()
        except BaseException:
            self._end(at_once=True)
            raise
        return self

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        with held_back():
            child = context.Process(target=process.main, args=(theirs,), daemon=False)
            with out_of_the_terminals_reach():
                child.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(child)

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None) -> None:
        with held_back():
            self._end(at_once=kind is not None)

    def _end(self, *, at_once: bool) -> None:
        for pipe in self._pipes:
            pipe.close()
        if at_once:  # nobody waits for what it is doing
            for child in self._processes:
                child.terminate()
        for child in self._processes:
            child.join(END_SECONDS)
            if child.is_alive():
                child.kill()
                child.join()

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [child.pid or 0 for child in self._processes]

    def tell(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Give each a command, return their answers in order. Raises `GeneratorFailed`."""
        self.send(name, values)
        return self.answers()

    def send(self, name: str, values: Sequence[Any]) -> None:
        """Give each a command."""
        for number, (pipe, value) in enumerate(zip(self._pipes, values, strict=True)):
            if number not in self.ended:
                self._silent_s[number] = 0.0
                try:
                    pipe.send((name, value))
                except OSError:
                    self._has_ended(number)
        if self.broken_off is not None:
            self._end_windows()

    def answers(self, watch: Watch | None = None, tick: Callable[[], None] | None = None) -> list[Any]:
        """Return the answers in order, of those whose process is still there.

        `watch` hears of progress, `tick` is called a few times a second meanwhile.
        """
        answers: dict[int, Any] = {}
        now = now_s()
        while open_ := [pipe for number, pipe in enumerate(self._pipes) if number not in {*answers, *self.ended}]:
            for pipe in wait(open_, TICK_SECONDS):
                number = self._pipes.index(pipe)  # type: ignore[arg-type]
                self._take(number, watch, answers)
            before_s, now = now, now_s()
            # More than a moment, and it is we who have not listened: a terminal stops all of a run at once.
            listened_s = min(now - before_s, LISTENED_SECONDS)
            for number in {*range(self._count)} - {*answers, *self.ended}:
                self._silent_s[number] += listened_s
                if self._silent_s[number] > SILENT_SECONDS:
                    self._give_up(number)
            if tick is not None:
                tick()
        return [answers[number] for number in sorted(answers)]

    def _take(self, number: int, watch: Watch | None, answers: dict[int, Any]) -> None:
        try:
            said = self._pipes[number].recv()
        except (EOFError, ConnectionResetError):
            self._has_ended(number)
            return
        self._silent_s[number] = 0.0
        if said == BEAT:
            return
        if isinstance(said, Progress):
            if watch is not None:
                watch(number, said)
        elif said[0] == "failed":
            raise GeneratorFailed(said[1])
        else:
            answers[number] = said[1]
            self.faults += said[2]
            if said[3] is not None:
                self._break_off(said[3])

    def _has_ended(self, number: int) -> None:
        self.ended.add(number)
        self._break_off(f"generator {number + 1} has ended: its tables are not judged")

    def _give_up(self, number: int) -> None:
        self.ended.add(number)
        self._processes[number].kill()
        said = f"has said nothing for {SILENT_SECONDS:g} s and is given up"
        self._break_off(f"generator {number + 1} {said}: its tables are not judged")

    def _break_off(self, why: str) -> None:
        if self.broken_off is None:
            self.broken_off = why
            self.heed(why)
        if why not in self.faults:
            self.faults.append(why)
        self._end_windows()

    def _end_windows(self) -> None:
        """Whoever is still there need not measure on."""
        for number, pipe in enumerate(self._pipes):
            if number not in self.ended:
                with suppress(OSError):  # gone too: whoever waits for its answer sees it
                    pipe.send((process.BREAK_OFF, None))
