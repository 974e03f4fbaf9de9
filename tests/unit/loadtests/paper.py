"""A table without a network and a clock that a test turns: what the load tests' own arithmetic is tried on."""

from loadtests.generator import table as table_module
from loadtests.generator.recorder import Recorder, Slice, Tally
from loadtests.generator.table import Seat, Table
from loadtests.report.measured import Measured, put_together


class Clock:
    def __init__(self, monkeypatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(table_module, "now_s", lambda: self.now)


class PaperLoop:
    """Keeps what is to be called later; the test says when that is."""

    def __init__(self) -> None:
        self.calls = []

    def later(self, at_s: float, call) -> None:
        self.calls.append((at_s, call))


class Paper(Table):
    """Each intent waits until the test says that all seats have heard."""

    def __init__(self, clock: Clock, seats: int = 2) -> None:
        super().__init__(PaperLoop(), Recorder())
        self.sent: list[float] = []
        self.is_one_away = False
        self._clock = clock
        self._seats = [Seat() for _ in range(seats)]

    @property
    def seats(self):
        return self._seats

    @property
    def is_away(self):
        return self.is_one_away

    def act(self, scheduled_s: float) -> bool:
        self.begin("play", 1, scheduled_s)
        self.sent.append(self._clock.now)
        return True

    def arrive(self) -> None:
        for seat in self._seats:
            self.reached(seat, self._clock.now)
        self.settle(self._clock.now)

    def close(self) -> None:
        pass


def tally(**fields) -> Tally:
    given = {
        "due": 0, "counted": 0, "kinds": {}, "refused": {}, "race_lost": 0, "latencies_s": [], "watched_s": [],
        "welcomes_s": [], "late_s": [], "slices": [], "seconds": 1.0,
    }  # fmt: skip
    given |= {"counted_in_window": fields.get("counted", 0)}
    return Tally(**given | fields)


def measured(
    latency_ms: float = 2.0,
    late_ms: float = 0.1,
    counted: int = 100,
    due: int | None = None,
    is_ours: bool = True,
    **fields,
) -> Measured:
    """A window of a second with one latency and one lateness."""
    one = tally(
        due=counted if due is None else due,
        counted=counted,
        kinds={"play": counted},
        latencies_s=[latency_ms / 1000] * 4 * counted,
        late_s=[late_ms / 1000] * counted,
        slices=[Slice(1.0, counted, 4 * counted)],
        cpu_s=0.01,
        **fields,
    )
    cpu_s = {"gateway": 0.02, "redis": 0.005} if is_ours else {}
    memory_kb = {"gateway": 50_000} if is_ours else {}
    return put_together([one], rate=float(counted), seconds=1.0, cpu_s=cpu_s, memory_kb=memory_kb, busy=[])
