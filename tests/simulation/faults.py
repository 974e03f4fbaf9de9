"""What goes wrong: one fault after the other, drawn by the seed, each counted under its name."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from rapid.store.memory.lease import rise
from tests.simulation.clients import Person
from tests.simulation.network import CALM, Weather
from tests.simulation.processes import SimProcess
from tests.simulation.redis_model import ServerClock
from tests.simulation.scene import RESTART_S, Scene

LEASE_AND_MORE_S = (0.05, 3.5)
"""A stopped process: from a moment to well over its lease."""
JUMP_MS = 1_500
WEATHERS: tuple[tuple[str, Weather], ...] = (
    ("calm", CALM),
    ("slow", replace(CALM, slow=0.04)),
    ("lossy", replace(CALM, request_lost=0.004, reply_lost=0.004)),
    ("pushes", replace(CALM, push_lost=0.03, push_doubled=0.03, push_reordered=0.03, answer_doubled=0.2)),
    (
        "all",
        replace(
            CALM,
            slow=0.02,
            request_lost=0.002,
            reply_lost=0.003,
            push_lost=0.02,
            push_doubled=0.02,
            push_reordered=0.02,
            answer_doubled=0.1,
        ),
    ),
)


class Faults:
    """Makes faults until it is told to stop, and then mends everything."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene = scene
        self.dice = random.Random(f"faults {seed}")
        self.is_over = False
        self.waiting: dict[str, float] = {}
        """Kinds that nobody has recovered from yet, since when."""
        self.slowest: tuple[float, str] = (0.0, "")
        scene.net.on_fault = self._happened
        scene.world.on_played = self._played
        self._mean_s = self.dice.choice([0.5, 1.5, 3.0])
        scene.net.weather = self.dice.choice(WEATHERS)[1]
        self._later(self._next)

    def stop(self) -> None:
        """No more faults; what is stopped goes on, what is down comes up, what is dead is started again."""
        scene = self.scene
        self.is_over = True
        scene.net.weather = CALM
        if scene.world.is_down:
            scene.world.come_up()
        for process in scene.processes():
            if process.process.is_stopped:
                process.process.go_on()
            process.process.dies_at_step = None
            process.store.mend()
        for client in scene.clients:
            if client.line is not None and client.line.socket is not None:
                client.line.socket.stall(stalls=False)
        scene.tend()

    def _later(self, callback: Callable[[], None]) -> None:
        self.scene.loop.call_later(self.dice.expovariate(1 / self._mean_s), callback)

    def _next(self) -> None:
        if self.is_over:
            return
        kind, fault = self.dice.choice(KINDS)
        if fault(self):
            self.scene.trace("fault", kind)
            self.scene.net.note(kind)
        self._later(self._next)

    def _happened(self, kind: str) -> None:
        self.waiting.setdefault(kind, self.scene.loop.time())

    def _played(self, table: str) -> None:
        """Recovered from all that happened before; what happened while no race was on counts from its start."""
        now, racing_since = self.scene.loop.time(), self.scene.world.racing_since.get(table, 0.0)
        for kind, since in self.waiting.items():
            self.slowest = max(self.slowest, (now - max(since, racing_since), kind))
        self.waiting.clear()

    def _some(self, group: list[SimProcess]) -> SimProcess | None:
        living = [process for process in group if process.is_alive and not process.process.is_stopped]
        return self.dice.choice(living) if living else None

    def _worker(self) -> SimProcess | None:
        return self._some(list(self.scene.workers))

    def _gateway(self) -> SimProcess | None:
        return self._some(list(self.scene.gateways))

    def _person(self) -> Person | None:
        persons = [one for one in self.scene.clients if isinstance(one, Person) and one.is_there]
        return self.dice.choice(persons) if persons else None

    def _between(self, low_high: tuple[float, float]) -> float:
        return self.dice.uniform(*low_high)

    # Processes

    def _crash(self, process: SimProcess | None) -> bool:
        """Between any two awaits of it: some steps from now."""
        if process is None or process.process.dies_at_step is not None:
            return False
        process.process.dies_at_step = process.process.steps + self.dice.randint(1, 60)
        self.scene.loop.call_later(self._between(RESTART_S), self.scene.tend)
        return True

    def _pause(self, process: SimProcess | None) -> bool:
        if process is None:
            return False
        process.process.stop()
        self.scene.loop.call_later(self._between(LEASE_AND_MORE_S), self._go_on, process)
        return True

    def _go_on(self, process: SimProcess) -> None:
        if process.is_alive and process.process.is_stopped:
            process.process.go_on()

    def _drain(self, process: SimProcess | None) -> bool:
        if process is None or process.is_leaving:
            return False
        process.leave()
        self.scene.loop.call_later(self._between((0.0, 0.5)), self.scene.tend)
        return True

    def worker_crash(self) -> bool:
        """SIGKILL of a worker."""
        return self._crash(self._worker())

    def gateway_crash(self) -> bool:
        """SIGKILL of a gateway."""
        return self._crash(self._gateway())

    def worker_pause(self) -> bool:
        """SIGSTOP and SIGCONT of a worker."""
        return self._pause(self._worker())

    def gateway_pause(self) -> bool:
        """SIGSTOP and SIGCONT of a gateway."""
        return self._pause(self._gateway())

    def worker_drain(self) -> bool:
        """SIGTERM of a worker."""
        return self._drain(self._worker())

    def gateway_drain(self) -> bool:
        """SIGTERM of a gateway."""
        return self._drain(self._gateway())

    # Redis

    def redis_restart(self) -> bool:
        """It is killed and comes back with everything."""
        world = self.scene.world
        if world.is_down:
            return False
        world.go_down()
        self.scene.loop.call_later(self._between((0.05, 1.2)), self._come_up)
        return True

    def _come_up(self) -> None:
        if self.scene.world.is_down:
            self.scene.world.come_up()

    def redis_loses_tail(self) -> bool:
        """What was synced is kept; the machine dies some time within the next second."""
        scene = self.scene
        if scene.world.is_down:
            return False
        kept, run = scene.world.checkpoint(), scene.world.run
        dies_in_s = self._between((0.02, 0.9))

        def die() -> None:
            # Another restart in between has synced more.
            if scene.world.is_down or scene.world.run != run or self.is_over:
                return
            scene.world.go_down()
            scene.lose_tail(kept)
            scene.world.data = kept
            scene.loop.call_later(self._between((0.05, 1.2)), self._come_up)
            if self.dice.random() < 0.3:
                self.worker_crash()

        scene.loop.call_later(dies_in_s, die)
        return True

    def redis_clock_jump(self) -> bool:
        """Redis' clock is set."""
        clock = self.scene.world.clock
        assert isinstance(clock, ServerClock)
        clock.jump(self.dice.randint(-JUMP_MS, JUMP_MS))
        return True

    def clock_jump(self) -> bool:
        """A process' clock goes ahead: its machine was asleep for a moment, as far as it knows."""
        process = self._some([*self.scene.workers, *self.scene.gateways])
        if process is None:
            return False
        process.process.skew_s += self.dice.uniform(0.0, 3.0)
        return True

    def lease_lost(self) -> bool:
        """A lease is gone before its time: two owners at once, for a moment."""
        data = self.scene.world.data
        if not data.leases:
            return False
        shard = self.dice.choice(sorted(data.leases))
        owner, _ = data.leases[shard]
        others = [one for one in self.scene.workers if one.is_alive and one.name != owner and not one.is_leaving]
        charge = others[0].worker.runner.charge if others else None
        if charge is None or shard in charge.owned:
            return False
        # The other one has asked for it and got it.
        data.leases[shard] = (others[0].name, self.scene.world.clock.now_ms() + self.scene.world.limits.lease_ms)
        epoch = rise(self.scene.world, data, shard, data.epochs[shard] + 1)
        others[0].process.context.run(charge.take, shard, epoch, planned=False)
        return True

    # Links

    def cut_off(self) -> bool:
        """A process cannot reach Redis for a while."""
        process = self._some([*self.scene.workers, *self.scene.gateways])
        if process is None or process.store.link.is_cut:
            return False
        process.store.cut()
        self.scene.loop.call_later(self._between((0.05, 3.0)), process.store.mend)
        return True

    def connection_break(self) -> bool:
        """A process' connections to Redis break, and stand again."""
        process = self._some([*self.scene.workers, *self.scene.gateways])
        if process is None or process.store.link.is_cut:
            return False
        process.store.break_off()
        return True

    def subscription_break(self) -> bool:
        """A gateway's subscription breaks, and stands again."""
        gateway = self._gateway()
        if gateway is None:
            return False
        for feed in gateway.store.link.feeds:
            feed.break_off()
            self.scene.loop.outside(self._between((0.02, 0.8)), feed.mend)
        return True

    # Clients

    def client_drop(self) -> bool:
        """A person's line ends; they are back after a while."""
        person = self._person()
        if person is None:
            return False
        person.go(self._between((0.02, 5.0)))
        return True

    def client_vanish(self) -> bool:
        """A person's machine is gone without a word; they are back from another one."""
        person = self._person()
        if person is None:
            return False
        person.go(self._between((0.02, 5.0)), silently=True)
        return True

    def client_tab(self) -> bool:
        """A person opens the table a second time."""
        person = self._person()
        if person is None:
            return False
        person.tab()
        return True

    def client_stall(self) -> bool:
        """A client reads nothing for a while."""
        client = self.dice.choice(self.scene.clients) if self.scene.clients else None
        if client is None or client.line is None or client.line.socket is None:
            return False
        socket = client.line.socket
        socket.stall(stalls=True)
        self.scene.loop.outside(self._between((0.05, 2.0)), lambda: socket.stall(stalls=False))
        return True

    def client_leave(self) -> bool:
        """A person leaves for good."""
        person = self._person()
        if person is None or self.dice.random() < 0.7:
            return False
        person.leave()
        return True

    def client_removed(self) -> bool:
        """A host removes somebody, who may just be coming back; somebody else may want the chair."""
        persons = [one for one in self.scene.clients if isinstance(one, Person) and not one.is_gone]
        hosts = [one for one in persons if one.is_there and one.sight.host == one.seat]
        if not hosts or self.dice.random() < 0.8:
            return False
        host = self.dice.choice(hosts)
        guests = [one for one in persons if one.table == host.table and one is not host]
        if not guests:
            return False
        guest = self.dice.choice(guests)
        if guest.is_there and self.dice.random() < 0.5:
            guest.go(self._between((0.0, 0.05)))
        host.remove(guest.seat)
        self.scene.join_later(host.table, host.wanted, self._between((0.0, 0.5)))
        return True

    def watcher_drop(self) -> bool:
        """A spectator's line ends."""
        watchers = [one for one in self.scene.clients if one.token is None and one.is_there]
        if not watchers:
            return False
        self.dice.choice(watchers).go(self._between((0.02, 3.0)))
        return True

    def weather(self) -> bool:
        """The network becomes another one; its own faults count under their own names."""
        self.scene.net.weather = self.dice.choice(WEATHERS)[1]
        return False


KINDS: tuple[tuple[str, Callable[[Faults], bool]], ...] = tuple(
    (fault.__name__, fault)
    for fault in (
        Faults.worker_crash,
        Faults.gateway_crash,
        Faults.worker_pause,
        Faults.gateway_pause,
        Faults.worker_drain,
        Faults.gateway_drain,
        Faults.redis_restart,
        Faults.redis_loses_tail,
        Faults.redis_clock_jump,
        Faults.clock_jump,
        Faults.lease_lost,
        Faults.cut_off,
        Faults.connection_break,
        Faults.subscription_break,
        Faults.client_drop,
        Faults.client_vanish,
        Faults.client_tab,
        Faults.client_stall,
        Faults.client_leave,
        Faults.client_removed,
        Faults.watcher_drop,
        Faults.weather,
    )
)
