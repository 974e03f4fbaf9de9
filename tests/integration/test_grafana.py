"""The dashboard and the alert rules speak of figures that a real gateway and a real worker show."""

import asyncio
import json
import re
from pathlib import Path

import pytest
import yaml

from rapid.config import PREFIX, Limits
from rapid.telemetry.metrics import QUEUES, ROUND_TRIPS
from tests.integration.metrics_bench import shown_of_a_game

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "ops" / "grafana"
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
RULES = yaml.safe_load((FOLDER / "rules.yml").read_text("utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
ALL_RULES = [rule for group in RULES["groups"] for rule in group["rules"]]
ALERTS = [rule for rule in ALL_RULES if "alert" in rule]
RECORDED = {rule["record"] for rule in ALL_RULES if "record" in rule}
TARGETS = [target["expr"] for panel in PANELS for target in panel["targets"]]
WORDS = [text for rule in ALERTS for text in rule["annotations"].values()]
NAME = re.compile(r"\b(?:rapid|process|python)[_:][a-z0-9_:]*[a-z0-9]")
MATCHER = re.compile(r'([a-z_]+)(=~?)"([^"]*)"')


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Of the gateway and the worker together, behind a game."""
    told = asyncio.run(shown_of_a_game(tmp_path_factory.mktemp("grafana")))
    return [told.gateway[1], told.worker[1]]


def names_in(expression):
    return set(NAME.findall(re.sub(r'"[^"]*"', "", expression)))


def test_every_figure_that_is_asked_for_is_shown(shown):
    served = set.union(*(one.names for one in shown)) | RECORDED
    asked = set.union(*(names_in(text) for text in [*TARGETS, *(rule["expr"] for rule in ALL_RULES)]))
    assert len(asked) > 25
    assert asked - served == set()
    told_of = set.union(*(names_in(text) for text in WORDS))
    assert told_of - served - {name for one in shown for name in one.help} == set()


@pytest.mark.parametrize("expression", [*TARGETS, *(rule["expr"] for rule in ALL_RULES)])
def test_every_label_asked_for_is_there_with_that_value(shown, expression):
    samples = [sample for one in shown for sample in one.samples]
    for name, selected in re.findall(r"(\w+)\{([^}]*)\}", expression):
        for label, how, value in MATCHER.findall(selected):
            if label == "job":
                continue
            assert how == "="
            assert any(s.name == name and s.labels.get(label) == value for s in samples), (name, label, value)


@pytest.mark.parametrize("expression", [*TARGETS, *(rule["expr"] for rule in ALL_RULES)])
def test_labels_summed_by_are_those_of_the_figure(shown, expression):
    known = {label for one in shown for sample in one.samples for label in sample.labels} | {"instance", "job"}
    for labels in re.findall(r"\bby \(([^)]*)\)", expression):
        assert set(labels.replace(" ", "").split(",")) <= known


def test_every_figure_of_ours_that_an_operator_can_act_on_is_on_the_dashboard(shown):
    """A figure that nobody looks at is one too many: all but the limits themselves are drawn or watched."""
    families = {name for one in shown for name in one.help if name.startswith("rapid_")}
    drawn = set.union(*(names_in(text) for text in [*TARGETS, *(rule["expr"] for rule in ALL_RULES)]))
    stems = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in drawn}
    assert families - stems - {"rapid_followed_tables"} == set()


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_says_what_it_is_in_what_unit_and_what_it_means(panel):
    assert panel["title"]
    assert len(panel["description"].split()) >= 5
    assert panel["fieldConfig"]["defaults"]["unit"] in {"s", "ops", "short", "percentunit", "bytes", "Bps"}
    assert all(target["expr"] and target["legendFormat"] for target in panel["targets"])
    seconds = any("_seconds_bucket" in target["expr"] for target in panel["targets"])
    assert seconds == (panel["fieldConfig"]["defaults"]["unit"] == "s")


def test_panels_lie_beside_each_other_and_have_numbers_of_their_own():
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken
        taken |= cells
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_is_wrong_and_what_to_do(rule):
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"]
    assert len(rule["annotations"]["runbook"].split()) >= 6
    assert rule["annotations"]["runbook"].endswith(".")


def test_what_runbook_lines_point_at_exists():
    alerts = {rule["alert"] for rule in ALERTS}
    assert len(alerts) == len(ALERTS)
    for text in WORDS:
        assert set(re.findall(r"\bRapid[A-Z]\w+", text)) <= alerts
        assert all((ROOT / path).is_file() for path in re.findall(r"\bops/\S+\.md", text))
    assert PREFIX == "RAPID_"


def test_limits_queues_and_calls_named_in_words_exist():
    text = json.dumps([DASHBOARD, RULES])
    for limit in re.findall(r"\b(connections_max|viewer_buffer_max_bytes)\b", text):
        assert limit in Limits.__struct_fields__
    assert {"intents", "deliveries", "fan_out_sockets"} == set(QUEUES)
    (trips,) = [panel for panel in PANELS if "round_trip" in panel["targets"][0]["expr"]]
    assert all(f"{call}:" in trips["description"] for call in ROUND_TRIPS)
