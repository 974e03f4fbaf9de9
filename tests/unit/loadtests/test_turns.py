"""What is measured in turn: ratios of what there is, and the floor's known cost whatever load is asked for."""

from contextlib import contextmanager

import pytest
from msgspec import structs

from loadtests.generator.plan import Judged, Stopped
from loadtests.options import parse
from loadtests.report.progress import Display
from loadtests.scenarios import against, cuts, idle, slow, spectators
from loadtests.scenarios.against import KNOWN_RATE, KNOWN_SECONDS, Compared, Turn, compare
from loadtests.scenarios.alternating import Pair, ratios
from loadtests.under_test.measured import Target
from tests.unit.loadtests.paper import measured


class Silent(Display):
    def __init__(self) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class PaperRun:
    """Notes what it is told; every window shows the same."""

    def __init__(self, target: Target, *, is_ours: bool = True) -> None:
        self.target = target
        self.told: list[tuple] = []
        self.faults = ()
        self.broken_off = None
        self._is_ours = is_ours

    def open(self, plan) -> None:
        self.told.append(("open", plan))

    def measure(self, rate: float, seconds: float):
        self.told.append(("measure", rate, seconds))
        return measured(is_ours=self._is_ours)

    def judge(self) -> Judged:
        return Judged()

    def read_on(self) -> Stopped:
        return Stopped()

    def __getattr__(self, name: str):
        return lambda *_: self.told.append((name,))


@contextmanager
def on_paper_with(pids):
    yield Target("127.0.0.1", 1, pids)


def on_paper(*_, **given):
    return on_paper_with({})


def runs_in(monkeypatch, module, **given) -> list[PaperRun]:
    runs = []

    @contextmanager
    def run_on(target, *_):
        runs.append(PaperRun(target, **given))
        yield runs[-1]

    monkeypatch.setattr(module, "run_on", run_on)
    monkeypatch.setattr(module, "target_of", on_paper)
    return runs


@pytest.mark.parametrize("module", [slow, spectators])
def test_a_server_of_somebody_elses_has_no_cpu_and_all_the_rest(monkeypatch, module):
    name = module.__name__.rpartition(".")[2]
    runs_in(monkeypatch, module, is_ours=False)
    report = getattr(module, name)(parse([name, "--url", "http://127.0.0.1:1", "--repeats", "2"]), Silent())
    found = report.as_json()
    shares = next(value for key, value in found.items() if key.startswith("with_"))
    assert shares == {"p50": 1.0, "p99": 1.0, "cpu": None}
    assert found["cpu_us_per_intent"] == {"gateway": None, "worker": None, "redis": None, "generator": 100.0}
    assert found.get("cpu_us_per_recipient") is None
    assert "all servers" not in report.as_text()


@pytest.mark.parametrize("cut,said", [(0, "No slow reader was cut off; whether"), (None, "is not known"), (4, "")])
def test_slow_says_what_is_not_known_of_a_server_of_somebody_elses(monkeypatch, cut, said):
    runs_in(monkeypatch, slow, is_ours=False)
    seen = iter((0, cut))
    monkeypatch.setattr(cuts, "cut_readers", lambda _: next(seen))
    monkeypatch.setattr(PaperRun, "read_on", lambda _: Stopped(readers=4))
    report = slow.slow(parse(["slow", "--url", "http://127.0.0.1:1", "--repeats", "1"]), Silent())
    assert said in report.verdict
    assert (report.verdict == "") == (said == "")
    assert report.is_correct
    assert "memory grown, kB: not known" in report.as_text()


@pytest.mark.parametrize(
    "after,broken_off,kb,percent",
    [
        ({"redis": 2400, "gateway": 8000}, None, {"redis": 0.7, "gateway": 3.5}, {"gateway": 2.0, "generator": 1.0}),
        ({"redis": None, "gateway": 8000}, None, {"redis": None, "gateway": 3.5}, {"gateway": 2.0, "generator": 1.0}),
        (
            {"redis": None, "gateway": 8000},
            "gone",
            {"redis": None, "gateway": None},
            {"gateway": None, "generator": None},
        ),
        ({}, None, None, {"gateway": 2.0, "generator": 1.0}),
    ],
)
def test_what_a_connection_costs_is_not_known_where_a_process_is_gone(monkeypatch, after, broken_off, kb, percent):
    runs_in(monkeypatch, idle)
    monkeypatch.setattr(idle, "target_of", lambda _: on_paper_with(dict.fromkeys(after, 1)))
    monkeypatch.setattr(PaperRun, "memory_kb", lambda _: dict.fromkeys(after, 1000), raising=False)
    window = structs.replace(
        measured(counted=0), memory_kb=after, broken_off=broken_off, cpu_s={"gateway": 0.1, "generator": 0.05}
    )
    monkeypatch.setattr(PaperRun, "measure", lambda *_: window)
    found = idle.idle(parse(["idle", "--tables", "500"]), Silent()).as_json()
    assert (found["kb_per_seated_connection"], found["percent_of_a_core_at_rest"]) == (kb, percent)


def test_there_is_no_ratio_to_nothing():
    assert ratios([Pair(measured(), measured()), Pair(measured(counted=0), measured())])["p50"] is None
    assert ratios([Pair(measured(), measured(counted=0))])["cpu"] is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tables", "1", "--rate", "100"),
        ("--seats", "6", "--contention", "2", "--idle", "3"),
        ("--reaction", "human", "--decide-us", "5"),
    ],
)
def test_what_the_floor_costs_is_measured_under_the_load_for_which_it_is_known(monkeypatch, arguments):
    runs = runs_in(monkeypatch, against)
    floors = []
    monkeypatch.setattr(against, "floor", lambda **given: (floors.append(given), on_paper())[1])
    options = parse(["race", "--against", "floor", "--repeats", "1", *arguments])
    compare(options, Silent(), lambda run: run.measure(options.rate, options.seconds))
    known, theirs, ours = runs
    (_, plan), *_, window = known.told
    assert (plan.kind, plan.tables, plan.seats, plan.idle, plan.is_human) == ("floor", 100, 4, 0, False)
    assert window == ("measure", KNOWN_RATE, KNOWN_SECONDS)
    assert floors[0] == {"tables": 100, "fsync": "everysec", "decide_us": 0.0}
    assert floors[1] == {"tables": options.tables, "fsync": "everysec", "decide_us": options.decide_us}
    # Both sides have had the same before their load.
    assert [step[0] for step in theirs.told] == ["open", "warm_up", "measure"]
    assert [step[0] for step in ours.told][:3] == ["open", "warm_up", "measure"]


@pytest.mark.parametrize(
    "costs,is_known",
    [((200.0, None, 210.0), True), ((None, None), False)],
)
def test_the_floors_cost_is_not_quoted_where_the_generator_was_late(costs, is_known):
    compared = Compared(turns=[Turn(measured(), measured(), cost) for cost in costs], judged=Judged())
    assert compared.more()["floor_cpu_us_at_4000"] == (205.0 if is_known else None)
    assert (compared.why_not is None) == is_known
    assert (set(compared.ratios().values()) == {None}) == (not is_known)
