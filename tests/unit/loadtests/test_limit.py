"""How the limit is looked for, what holds, and when a comparison with the floor may be quoted."""

import pytest
from msgspec import structs

from loadtests.generator.plan import Judged
from loadtests.options import parse
from loadtests.report.progress import Display
from loadtests.scenarios.against import KNOWN_CPU_US, Compared, Turn
from loadtests.scenarios.alternating import alternate, late
from loadtests.scenarios.limit import find_limit, verdict_of, why_not
from loadtests.scenarios.search import Search
from tests.unit.loadtests.paper import measured


def searched(carries: float, first: float = 1000.0) -> tuple[list[float], float | None]:
    search, tried = Search(first), []
    while search.next_rate is not None:
        tried.append(search.next_rate)
        search.take(held=search.next_rate <= carries)
    return tried, search.best


@pytest.mark.parametrize("carries", [1000.0, 1700.0, 4000.0, 9999.0, 20_000.0])
def test_the_search_comes_within_a_tenth_and_does_not_take_long(carries):
    tried, best = searched(carries)
    assert best <= carries < best * 1.13
    assert len(tried) <= 14
    assert tried[1] == 1500.0


def test_where_not_even_the_first_load_holds_the_search_goes_down():
    tried, best = searched(200.0)
    assert tried[:3] == pytest.approx([1000.0, 1000 / 3, 1000 / 9])
    assert 111 <= best <= 200


def test_a_search_ends_where_nothing_holds():
    assert searched(0.0)[1] is None


class Server:
    """Carries so much; `run.measure` of the scenario."""

    def __init__(self, carries: float, *, holds_seconds: float = 1e9, late_from: float = 1e9) -> None:
        self._carries, self._holds_seconds, self._late_from = carries, holds_seconds, late_from
        self.windows: list[tuple[float, float]] = []

    def measure(self, rate: float, seconds: float):
        self.windows.append((rate, seconds))
        is_held = rate <= self._carries and (seconds <= self._holds_seconds or rate <= self._carries * 0.85)
        return measured(
            latency_ms=5.0 if is_held else 80.0, late_ms=2.0 if rate >= self._late_from else 0.1, counted=round(rate)
        )


@pytest.fixture
def display():
    class Silent(Display):
        def __init__(self) -> None:
            self.said: list[str] = []

        def say(self, text: str) -> None:
            self.said.append(text)

    return Silent()


def test_the_last_load_is_held_for_longer(display):
    server = Server(3000.0)
    found = find_limit(server, 1000.0, 10.0, display)
    assert server.windows[-1] == (pytest.approx(found.held.rate, abs=1), 10.0)
    assert all(seconds == 3.0 for _, seconds in server.windows[:-1])
    assert 2700 <= found.held.rate <= 3000
    assert found.bottleneck is None
    assert "p99 80 ms" in verdict_of(found, parse(["limit"]))


def test_a_load_that_is_not_held_for_long_gives_way_to_a_smaller_one(display):
    server = Server(3000.0, holds_seconds=3.0)
    found = find_limit(server, 1000.0, 10.0, display)
    assert [seconds for _, seconds in server.windows].count(10.0) >= 3
    assert 2200 <= found.held.rate <= 2550


def test_a_step_that_fails_is_tried_once_more(display):
    class Disturbed(Server):
        def measure(self, rate: float, seconds: float):
            found = super().measure(rate, seconds)
            return measured(latency_ms=200.0) if len(self.windows) == 3 else found

    found = find_limit(Disturbed(3000.0), 1000.0, 10.0, display)
    assert 2700 <= found.held.rate <= 3000


def test_a_limit_beyond_which_only_the_generator_is_late_is_not_the_servers(display):
    found = find_limit(Server(9000.0, late_from=2000.0), 1000.0, 10.0, display)
    assert found.held.rate < 2000
    assert "late" in found.bottleneck
    assert "at least" in verdict_of(found, parse(["limit"]))


def test_no_load_at_all(display):
    found = find_limit(Server(0.0), 1000.0, 10.0, display)
    assert (found.held, found.bottleneck) == (None, None)
    assert verdict_of(found, parse(["limit"])) == "No load held (p99 80 ms)."


def test_the_search_ends_where_the_server_cuts_off_and_says_so(display):
    class Strict(Server):
        def measure(self, rate: float, seconds: float):
            super().measure(rate, seconds)
            return measured(counted=round(rate), cut_off=3 if rate > 1200 else 0)

    server = Strict(9000.0)
    found = find_limit(server, 1000.0, 10.0, display)
    assert [rate for rate, _ in server.windows] == [1000.0, 1500.0]
    assert found.held is None
    assert "asking too often (4009)" in verdict_of(found, parse(["limit"]))


@pytest.mark.parametrize("dies_at", [1, 2, 5, 8])
def test_the_search_ends_with_the_generator_or_the_server_and_says_so(display, dies_at):
    class Dying(Server):
        def measure(self, rate: float, seconds: float):
            found = super().measure(rate, seconds)
            return structs.replace(found, broken_off="generator 1 has ended") if len(self.windows) == dies_at else found

    server = Dying(3000.0)
    found = find_limit(server, 1000.0, 10.0, display)
    assert len(server.windows) == dies_at
    assert found.held is None
    assert verdict_of(found, parse(["limit"])) == "The search was broken off (generator 1 has ended)."


@pytest.mark.parametrize("dies_at", range(1, 7))
def test_windows_in_turn_end_with_the_generator_or_the_server(display, dies_at):
    class Dying:
        broken_off = None

        def __init__(self) -> None:
            self.windows = 0

        def measure(self, rate: float, seconds: float):
            self.windows += 1
            self.broken_off = "generator 1 has ended" if self.windows == dies_at else None
            return structs.replace(measured(), broken_off=self.broken_off)

    run, told = Dying(), []
    pairs = alternate(run, parse(["slow"]), display, lambda: told.append("begin"), lambda: told.append("end"))
    assert run.windows == dies_at
    assert told.count("begin") == told.count("end") == dies_at // 2
    assert late(pairs) == "generator 1 has ended"


def test_what_holds():
    assert why_not(measured(latency_ms=49.9)) is None
    assert "p99" in why_not(measured(latency_ms=50.5))
    assert "20 intents" in why_not(measured(due=120))
    assert "stale" in why_not(measured(due=101, refused={"stale": 1}))


LOW, HIGH = KNOWN_CPU_US


def compared(*floor_cpu_us: float, late_ms: float = 0.1) -> Compared:
    turns = [
        Turn(measured(latency_ms=3.0 * number, late_ms=late_ms), measured(latency_ms=2.0), cpu_us)
        for number, cpu_us in enumerate(floor_cpu_us, 1)
    ]
    return Compared(turns=turns, judged=Judged())


def test_ratios_are_medians_of_ours_to_theirs():
    found = compared(LOW, HIGH, HIGH * 2)
    assert found.why_not is None
    assert found.ratios() == {
        "rate": 1.0, "p50": pytest.approx(3.0, rel=0.01), "p99": pytest.approx(3.0, rel=0.01), "cpu": 1.0,
    }  # fmt: skip
    assert found.each()["p50"] == pytest.approx([1.5, 3.0, 4.5], rel=0.01)


@pytest.mark.parametrize("cpu_us", [LOW * 0.79, HIGH * 1.21])
def test_nothing_is_quoted_if_the_floor_costs_something_else_than_is_known(cpu_us):
    found = compared(cpu_us)
    assert "the floor costs" in found.why_not
    assert set(found.ratios().values()) == {None}


def test_nothing_is_quoted_if_the_generator_was_late_on_either_side():
    assert set(compared(LOW, late_ms=1.5).ratios().values()) == {None}
