"""An event loop in virtual time, in which processes can be stopped, continued and killed at every await.

Time stands still while anything is ready and then jumps to the next timer: a day costs nothing,
and one seed always runs alike. Which process a callback belongs to is in its context, which
tasks and timers take over from whoever made them: so the real code knows nothing of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from itertools import count
from typing import Any

START_S = 1_000_000.0


class Stuck(AssertionError):
    """Nothing is ready and no timer runs: the simulation has come to a stop."""


class Process:
    """One process of the system: what runs in it can be held up, and ends without a last word."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_dead = False
        self.is_stopped = False
        self.steps = 0
        self.dies_at_step: int | None = None
        self.on_death: Callable[[], None] = lambda: None
        self.skew_s = 0.0
        """Its monotonic clock against everybody else's."""
        self.held: list[asyncio.Handle] = []
        self.tasks: list[asyncio.Task[Any]] = []
        self.context = copy_context()
        self.context.run(_PROCESS.set, self)

    def stop(self) -> None:
        """SIGSTOP."""
        self.is_stopped = True

    def go_on(self) -> None:
        """SIGCONT: all that had become ready meanwhile happens now, in its order."""
        self.is_stopped = False
        held, self.held = self.held, []
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.put(held)

    def kill(self) -> None:
        """SIGKILL: nothing of it ever runs again."""
        if self.is_dead:
            return
        self.is_dead = True
        self.held.clear()
        self.on_death()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in this process."""
        return self.context.run(lambda: asyncio.get_running_loop().create_task(work))

    def monotonic(self) -> float:
        """Return the seconds of its own clock."""
        return asyncio.get_running_loop().time() + self.skew_s


_PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


def current_process() -> Process | None:
    """Return the process whose code runs now; None: the world's."""
    return _PROCESS.get()


class _NoSelector:
    """There is no I/O."""

    def close(self) -> None: ...


class VirtualLoop(asyncio.BaseEventLoop):
    """First come, first served; `time()` is virtual."""

    def __init__(self) -> None:
        super().__init__()
        self._now = START_S
        self._selector = _NoSelector()
        self._timers: list[tuple[float, int, Any]] = []
        self._order = count()
        self._abandoned: set[asyncio.Task[Any]] = set()
        self.failures: list[str] = []
        """Exceptions that nobody caught."""
        self.set_task_factory(_make_task)
        self.set_exception_handler(self._note_failure)

    def time(self) -> float:
        return self._now

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Of two timers for one moment the one set first comes first."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._order), handle))
        return handle

    def put(self, handles: list[asyncio.Handle]) -> None:
        """Let these be run next, behind what is ready already."""
        self._ready.extend(handles)  # type: ignore[attr-defined]

    def outside(self, delay_s: float, callback: Callable[..., Any], *args: Any) -> None:
        """Call later, in no process: what the network and Redis do. It cannot be cancelled, and costs less."""
        heapq.heappush(self._timers, (self._now + delay_s, next(self._order), (callback, args)))

    def outside_at(self, when: float, callback: Callable[..., Any], *args: Any) -> None:
        """The same, at a time."""
        heapq.heappush(self._timers, (when, next(self._order), (callback, args)))

    def _run_once(self) -> None:
        ready, timers = self._ready, self._timers  # type: ignore[attr-defined]
        while timers and type(timers[0][2]) is not tuple and timers[0][2]._cancelled:
            heapq.heappop(timers)
        if not ready:
            if not timers:
                raise Stuck("nothing is ready and no timer runs")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            ready.append(heapq.heappop(timers)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if type(handle) is tuple:
                handle[0](*handle[1])
            elif not handle._cancelled:
                self._run_handle(handle)

    def _run_handle(self, handle: asyncio.Handle) -> None:
        process = handle._context.get(_PROCESS)  # type: ignore[attr-defined]
        if process is None:
            handle._run()
            return
        if process.is_dead:
            return
        if process.is_stopped:
            process.held.append(handle)
            return
        process.steps += 1
        handle._run()
        if process.dies_at_step is not None and process.steps >= process.dies_at_step:
            process.kill()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are dropped when they come up."""

    def _process_events(self, event_list: object) -> None: ...

    def _write_to_self(self) -> None: ...

    def _asyncgen_finalizer_hook(self, agen: object) -> None: ...

    def abandon(self) -> None:
        """End every task where it stands. Cleanups run for nobody: the world they speak to is given up."""
        here = asyncio.current_task()
        while tasks := [task for task in asyncio.all_tasks(self) if task is not here and task not in self._abandoned]:
            for task in tasks:
                self._abandoned.add(task)
                with contextlib.suppress(BaseException):
                    task.get_coro().close()  # type: ignore[union-attr]

    def _note_failure(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.failures.append(f"{context.get('message')}: {error!r}")


def _make_task(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **options)
    # It may be dropped with its process: that is no oversight.
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    process = _PROCESS.get()
    if process is not None:
        # Kept, so that the end of a killed process runs no cleanup of its own.
        tasks = process.tasks
        tasks.append(task)
        if len(tasks) % 256 == 0:
            process.tasks = [kept for kept in tasks if not kept.done()]
    return task


async def _run(loop: VirtualLoop, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        await main()
    finally:
        loop.abandon()


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> list[str]:
    """Run in a virtual loop of its own; return the failures nobody caught."""
    loop = VirtualLoop()
    try:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_run(loop, main))
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    return loop.failures
