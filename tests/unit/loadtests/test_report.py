"""The report: the fields of PROTOCOL 6, nothing quoted that may not be, and what makes it wrong."""

import json
import math

import pytest
from msgspec import structs

from loadtests.generator.plan import Judged
from loadtests.report.measured import Point
from loadtests.report.picture import busy_line, draw, title_of
from loadtests.report.report import Report
from tests.unit.loadtests.paper import measured

FIELDS = {
    "scenario", "options", "seconds", "counted", "rate", "refused", "race_lost", "latency_ms", "cpu_us_per_intent",
    "memory_kb", "judges", "bottleneck",
}  # fmt: skip


def report(**fields) -> Report:
    given = {
        "scenario": "race", "options": {"tables": 3, "seats": 4}, "measured": measured(), "judged": Judged(tables=3),
    }  # fmt: skip
    return Report(**given | fields)


def test_the_json_has_the_fields_of_the_protocol(tmp_path):
    file = tmp_path / "report.json"
    report().write_json(file)
    found = json.loads(file.read_text())
    assert found.keys() >= FIELDS
    assert found["latency_ms"].keys() == {"p50", "p90", "p99", "p999", "max"}
    assert found["latency_ms"]["p99"] == pytest.approx(2.0, rel=0.002)
    assert found["cpu_us_per_intent"] == {"gateway": 200.0, "worker": None, "redis": 50.0, "generator": 100.0}
    assert found["judges"] == {"lost": 0, "doubled": 0, "out_of_order": 0, "unverified": 0}
    assert (found["rate"], found["counted"], found["bottleneck"]) == (100.0, 100, None)
    assert "against" not in found


def test_nothing_is_quoted_when_the_generator_was_late():
    late = report(measured=measured(late_ms=3.0), against={"floor": {"rate": None, "p50": None}})
    found = late.as_json()
    assert found["bottleneck"]
    assert found["rate"] is None
    assert set(found["latency_ms"].values()) == {None}
    assert set(found["cpu_us_per_intent"].values()) == {None}
    assert "NOT QUOTED" in late.as_text()
    assert "p99 2.0" not in late.as_text()
    # What was counted and judged is true all the same.
    assert (found["counted"], late.is_correct) == (100, True)


def test_a_window_that_was_broken_off_is_not_quoted():
    broken = report(measured=structs.replace(measured(), broken_off="the server is gone"))
    assert (broken.as_json()["rate"], broken.as_json()["bottleneck"]) == (None, "the server is gone")


def test_a_limit_that_the_generator_set_is_not_quoted_either():
    assert report(limited="the generator was late beyond 900/s").as_json()["rate"] is None


@pytest.mark.parametrize(
    "fields",
    [
        {"judged": Judged(lost=1)},
        {"judged": Judged(doubled=1)},
        {"judged": Judged(out_of_order=1)},
        {"judged": Judged(unverified=1, verdicts=["table x: verify: seq 3: wrong"])},
        {"faults": ("no load held",)},
        {"judged": Judged(opened=3, tables=2)},
        {"measured": measured(unanswered=1)},
        {"judged": Judged(cut_off=2)},
    ],
)
def test_what_makes_a_run_wrong(fields):
    assert report().is_correct
    wrong = report(**fields)
    assert not wrong.is_correct
    assert "WRONG" in wrong.as_text()
    for text in (*wrong.judged.verdicts, *wrong.all_faults):
        assert text in wrong.as_text()


def with_plays(plays: int, passes: int) -> Report:
    return report(measured=structs.replace(measured(counted=plays + passes), kinds={"play": plays, "pass": passes}))


def test_what_is_counted_are_plays_by_half_at_least_where_whole_rounds_were_played():
    assert with_plays(90, 90).is_correct
    wrong = with_plays(85, 95)
    assert not wrong.is_correct
    assert "only 47% of what is counted are plays" in wrong.as_text()
    assert wrong.as_json()["verdicts"] == wrong.all_faults
    # Three tables: less than a round of each says nothing.
    assert with_plays(10, 160).is_correct


def test_how_much_of_the_run_was_judged_is_said():
    assert report(judged=Judged(opened=3, tables=3)).is_correct
    assert report(judged=Judged(opened=5, tables=2)).all_faults == ["only 2 of 5 tables could be judged"]


def test_what_came_too_late_is_no_fault_but_is_said():
    over = report(measured=measured(due=120))
    assert over.is_correct
    assert "not done in time: 20" in over.as_text()
    assert over.as_json()["not_in_time"] == 20
    assert "with 20 not done, by how long they waited, a lower bound" in over.as_text()
    assert "lower bound" not in report().as_text()


def test_who_was_cut_off_for_asking_too_often_is_named():
    text = report(judged=Judged(cut_off=2)).as_text()
    assert "closed 2 connections of seats for asking too often (4009)" in text


def test_ratios_are_shown():
    text = report(against={"floor": {"rate": 0.7, "p99": 1.25}}).as_text()
    assert "ours / floor, medians: rate 0.7, p99 1.25" in text


def test_the_judges_verdicts_of_all_tables_add_up():
    judged = Judged(tables=1, lost=1, verdicts=["a"])
    judged.add(Judged(tables=2, lost=2, unverified=1, verdicts=["b", "c"]))
    assert (judged.tables, judged.lost, judged.unverified, judged.verdicts) == (3, 3, 1, ["a", "b", "c"])


@pytest.mark.parametrize(
    "limits,said",
    [
        ("raised", "limits: raised for the run: messages_per_second 100,000"),
        ("default", "limits: the server's defaults"),
        (None, "limits: unknown, the server was there already"),
    ],
)
def test_a_load_test_says_which_limits_the_server_had(limits, said):
    assert said in report(options={"tables": 3, "seats": 4, "limits": limits}).as_text()


def test_what_is_done_on_top_of_what_was_asked_for_is_no_part_of_it():
    assert "rate: 100/s of 100/s asked for" in report().as_text()
    assert "rate: 100/s; 100/s asked for, and on top" in report(measured=measured(churn={"drops": 3})).as_text()


@pytest.mark.parametrize("why", ["no load held for 10 s (p99 80 ms)", "the floor costs 400 µs an intent"])
def test_the_pictures_title_says_why_nothing_is_quoted(why):
    title = title_of(report(limited=why))
    assert why in " ".join(title.splitlines())
    assert "late" not in title
    assert "late" in title_of(report(measured=measured(late_ms=3.0)))
    assert "p99 2.00 ms" in title_of(report())


def test_where_no_cpu_was_measured_its_line_has_a_gap():
    def window(*points):
        return structs.replace(measured(), points=[Point(at_s, 1.0, 1.0, 1.0, busy) for at_s, busy in points])

    times, shares = busy_line([window((1.0, {"redis": 0.5}), (1.2, {})), window((9.0, {"redis": 0.25}))], "redis")
    assert times == [1.0, 1.2, 1.2, 9.0, 9.0]
    assert shares == pytest.approx([50.0, math.nan, math.nan, 25.0, math.nan], nan_ok=True)


@pytest.mark.parametrize("late_ms", [0.1, 4.0])
@pytest.mark.parametrize("steps", [(), (measured(latency_ms=1.0), measured(latency_ms=80.0))])
def test_the_picture_is_drawn(tmp_path, late_ms, steps):
    file = tmp_path / "picture.png"
    draw(report(measured=measured(late_ms=late_ms), steps=steps), file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert file.stat().st_size > 10_000
