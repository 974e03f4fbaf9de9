"""The report: the fields of PROTOCOL 6, nothing quoted that may not be, and what makes it wrong."""

import json
import math

import pytest
from msgspec import structs

from loadtests.generator.plan import Judged
from loadtests.report import picture
from loadtests.report.measured import Point
from loadtests.report.picture import busy_line, draw, labels_of, line_of, title_of
from loadtests.report.report import Report
from loadtests.report.words import FIGURES, in_words
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


def test_what_is_wrong_is_said_where_it_says_so_and_no_line_is_blank():
    lines = report(judged=Judged(opened=3, tables=3, lost=2, unverified=1, verdicts=["table x: gone"])).as_text()
    assert lines.endswith("  WRONG: 2 lost, 1 tables that do not agree with their log\n    table x: gone")
    lines = report(faults=("the server is gone",), verdict="No load held.").as_text()
    assert lines.endswith("  No load held.\n  WRONG: the server is gone")
    assert report(measured=measured(unanswered=1)).as_text().endswith("  WRONG: 1 intents unanswered")
    for text in (lines, report().as_text(), report(verdict="Well.").as_text()):
        assert all(line.strip() for line in text.splitlines())


NO_RATIOS = {"p50": None, "p99": None, "cpu": None}
MORE = {
    "floor_cpu_us_at_4000": (201.3, "CPU of the floor for each intent at 4,000 a second, µs: 201.30"),
    "floor_rate": (7012.4, "rate of the floor, intents a second: 7,012"),
    "ratios_of_each_repetition": ({"rate": [0.4, 0.36], "cpu": None}, "rate 0.40 and 0.36, CPU not known"),
    "happened": (
        {"drops": 12, "storms": 1, "tables": 2, "left": 8},
        "connections lost: 12, all connections lost at once: 1, tables played to their end: 2, people who left: 8",
    ),
    "welcomes": (1020, "connections welcomed: 1,020"),
    "connected_to_welcome_ms": ({"p50": 7.891, "max": 36.1}, "connection to welcome, ms: p50 7.89, max 36.10"),
    "connections": (2000, "seated connections: 2,000"),
    "kb_per_seated_connection": ({"watch_gateway": 9.1}, "kB for each seated connection: watch gateway 9.10"),
    "percent_of_a_core_at_rest": ({"gateway": None}, "% of a core at rest: not known"),
    "with_spectators_to_without": (NO_RATIOS, "with spectators / without, medians: not quoted"),
    "event_to_spectator_ms": (None, "intent to event at spectators, ms: not quoted"),
    "cpu_us_per_recipient": (1.25, "CPU that each spectator adds to an intent, µs: 1.25"),
    "with_slow_readers_to_without": ({"p50": 0.932, "cpu": 1.0}, "medians: p50 0.93, CPU 1.00"),
    "slow_readers": ([20, 20], "slow readers: 20, 20"),
    "slow_readers_cut_off": ([0, None], "slow readers cut off: 0, not known"),
    "bytes_due_to_each": ([82106], "bytes due to each slow reader, at least: 82,106"),
    "viewer_buffer_max_bytes": ("the server's own", "bytes that the server keeps for each viewer: the server's own"),
    "memory_grown_kb": ({"redis": -12, "gateway": 1512}, "memory grown, kB: redis -12, gateway 1,512"),
}


@pytest.mark.parametrize("name", sorted({*MORE, *FIGURES}))
def test_every_figure_of_a_scenario_is_said_in_words(name):
    value, said = MORE[name]
    found = report(more={name: value})
    [line] = [line for line in found.as_text().splitlines() if said in line]
    assert not set(line) & set("{}[]'_") - set("'" if isinstance(value, str) else "")
    assert "None" not in line
    assert found.as_json()[name] == value


def test_a_figure_that_has_no_words_yet_is_no_python_either():
    assert in_words("far_away", {"a_b": [1, True], "c": None}) == "far away: a b 1 and yes, c not known"


@pytest.mark.parametrize(
    "name,value,said",
    [
        ("kb_per_seated_connection", {}, "not known"),
        ("kb_per_seated_connection", {"redis": None, "gateway": None}, "not known"),
        ("kb_per_seated_connection", {"redis": 1.5, "gateway": None}, "redis 1.50, gateway not known"),
        ("memory_grown_kb", None, "not known"),
        ("memory_grown_kb", {}, "not known"),
        ("connected_to_welcome_ms", None, "not quoted"),
        ("connected_to_welcome_ms", {"p50": None, "max": None}, "none"),
        ("event_to_spectator_ms", {"p50": None, "max": None}, "none"),
        ("with_slow_readers_to_without", NO_RATIOS, "not quoted"),
        ("with_slow_readers_to_without", NO_RATIOS | {"p50": 1.5, "p99": 2.0}, "p50 1.50, p99 2.00, CPU not known"),
        ("with_spectators_to_without", NO_RATIOS | {"p50": 1.5, "p99": 2.0}, "p50 1.50, p99 2.00, CPU not known"),
    ],
)
def test_what_is_not_known_is_not_none(name, value, said):
    assert in_words(name, value).endswith(f": {said}")


NOTHING = measured(counted=0)


def test_where_nothing_was_counted_there_are_no_figures():
    at_rest = report(measured=NOTHING)
    found = at_rest.as_json()
    assert (found["rate"], set(found["latency_ms"].values())) == (None, {None})
    assert (found["bottleneck"], found["late_ms"]["p99"]) == (None, None)
    assert at_rest.as_text().startswith("race: nothing was asked for during 1 s\n")
    assert title_of(at_rest) == "race: 3 tables of 4, nothing was asked for"
    in_vain = report(measured=measured(counted=0, due=5, refused={"stale": 5}))
    assert (in_vain.as_json()["rate"], set(in_vain.as_json()["latency_ms"].values())) == (0.0, {None})
    assert "intent to event at every seat, ms: none\n  CPU for each intent, µs: none\n" in in_vain.as_text()
    assert title_of(in_vain).endswith("0 intents/s, p50 none ms, p99 none ms")
    for one in (at_rest, in_vain):
        assert "0.00" not in one.as_text()


def test_no_curve_is_drawn_of_nothing(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(picture.plt, "close", drawn.append)
    points = [Point(at_s, 0.0, None, None, {"redis": 0.5}) for at_s in (1.0, 2.0)]
    draw(report(measured=structs.replace(NOTHING, points=points)), tmp_path / "picture.png")
    spread, latency, busy = drawn[0].axes
    assert [axes.lines[:] for axes in (spread, latency)] == [[], []]
    assert [axes.get_legend() for axes in (spread, latency)] == [None, None]
    assert [axes.texts[0].get_text() for axes in (spread, latency)] == ["nothing was counted"] * 2
    assert busy.lines[:] != []
    assert latency.get_xlim() == busy.get_xlim()


def test_why_nothing_is_known_is_said_where_nothing_was_heard_of():
    gone = report(measured=structs.replace(NOTHING, broken_off="generator 1 has ended"))
    first, second, *_ = gone.as_text().splitlines()
    assert first == "race: nothing is known of what was asked for"
    assert second == "  NOT QUOTED: generator 1 has ended"
    some = report(measured=structs.replace(measured(), broken_off="generator 1 has ended"))
    assert some.as_text().startswith("race: 100 intents counted until it was broken off (100 play)\n  NOT QUOTED: ")


def test_no_window_among_several_is_quoted_that_may_not_be():
    steps = [measured(), measured(late_ms=3.0), structs.replace(measured(), broken_off="the server is gone"), NOTHING]
    found = report(steps=steps).as_json()["steps"]
    assert [step["latency_ms"]["p99"] is None for step in found] == [False, True, True, True]
    assert [set(step["latency_ms"].values()) == {None} for step in found] == [False, True, True, True]
    assert [step["bottleneck"] is None for step in found] == [True, False, False, True]


def test_what_was_done_behind_the_window_is_told_from_what_is_in_the_rate():
    late = report(measured=measured(counted=863, counted_in_window=784))
    assert late.as_text().startswith("race: 863 intents counted, 784 of them in the 1 s of the window (863 play)")
    assert "rate: 784/s" in late.as_text()
    assert (late.as_json()["counted"], late.as_json()["counted_in_window"], late.as_json()["rate"]) == (863, 784, 784.0)
    assert report().as_text().startswith("race: 100 intents counted in the 1 s of the window (100 play)")


def test_no_line_is_drawn_over_a_time_without_points():
    points = [Point(at_s, 1.0, at_s, at_s, {}) for at_s in (1.0, 1.25, 4.0, 4.25)]
    times, heights = line_of(points, lambda point: point.p50_ms)
    assert times == [1.0, 1.25, 1.25, 4.0, 4.25]
    assert heights == pytest.approx([1.0, 1.25, math.nan, 4.0, 4.25], nan_ok=True)


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
    text = report(against={"floor": {"rate": 0.7, "cpu": None}}).as_text()
    assert "ours / floor, medians: rate 0.7, cpu not known" in text
    text = report(against={"floor": {"rate": None, "cpu": None}}).as_text()
    assert "ours / floor, medians: rate not quoted, cpu not quoted" in text


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
    assert (
        "rate: 100/s; 100/s asked for where nobody is away, and on top"
        in report(measured=measured(churn={"drops": 3})).as_text()
    )


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


def test_the_picture_says_which_window_was_without_and_which_with():
    steps = (measured(), measured(counted=2000)) * 2
    assert labels_of(report(steps=steps)) == ["100/s", "2,000/s"] * 2
    assert labels_of(report(steps=steps, beside="spectators")) == ["without, 100/s", "with, 2,000/s"] * 2
    assert "beside" not in report(steps=steps, beside="spectators").as_json()


@pytest.mark.parametrize("late_ms", [0.1, 4.0])
@pytest.mark.parametrize("steps", [(), (measured(latency_ms=1.0), measured(latency_ms=80.0))])
@pytest.mark.parametrize("beside", ["", "slow readers"])
def test_the_picture_is_drawn_and_no_legend_lies_on_a_curve(tmp_path, monkeypatch, late_ms, steps, beside):
    file = tmp_path / "picture.png"
    drawn = []
    monkeypatch.setattr(picture.plt, "close", drawn.append)
    points = [Point(at_s, 1.0, 1.0, 90.0, {"redis": 0.5}) for at_s in (1.0, 2.0)]
    steps = [structs.replace(step, points=points) for step in steps]
    draw(report(measured=measured(late_ms=late_ms), steps=steps, beside=beside if steps else ""), file)
    for axes in drawn[0].axes:
        if (legend := axes.get_legend()) is not None:
            assert legend.get_window_extent().y0 >= axes.get_window_extent().y1 - 1
    assert (drawn[0].axes[0].get_legend() is not None) == bool(beside and steps)
    monkeypatch.undo()
    picture.plt.close(drawn[0])
    assert file.read_bytes().startswith(b"\x89PNG")
    assert file.stat().st_size > 10_000
