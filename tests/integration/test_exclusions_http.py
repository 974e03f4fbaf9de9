"""Settings that may not hold together, as a host meets them: `POST /api/tables` is a 422 that names each field."""

import json

import pytest

from rapid.rules.exclusions import exclusions_of
from rapid.rules.presets import PRESETS
from tests.integration.gateway_bench import served_by

REFUSED = [
    # R10, RULES 7: what needs turns
    ({"ruleset": "president", "mode": "rapid", "variants": {"skip": True}}, ["variants"]),
    ({"variants": {"skip": True}}, ["variants"]),
    ({"ruleset": "presi", "mode": "rapid", "options": {"leader": "president"}}, ["options"]),
    ({"ruleset": "escoria", "mode": "rapid", "options": {"reseat": True}}, ["options"]),
    ({"ruleset": "escoria", "mode": "rapid", "options": {"equal": True, "skip_next": True}}, ["options"]),
    # 5.5: what needs equal ranks
    ({"ruleset": "escoria", "options": {"skip_next": True}}, ["options"]),
    ({"ruleset": "escoria", "options": {"turning": "run"}}, ["options"]),
    ({"ruleset": "escoria", "options": {"equal": False, "turning": "run"}}, ["options"]),
    # RULES 9: turning and V1
    *(
        ({"ruleset": ruleset, "options": {"equal": True, "turning": turning} if ruleset == "escoria" else
          {"turning": turning}, "variants": {"revolution": True}}, ["options", "variants"])
        for ruleset, turning in (
            ("presi", "order"), ("presi", "order_and_direction"), ("escoria", "order"), ("escoria", "run"),
        )
    ),
    # which twos count is not said
    (
        {"ruleset": "presi", "options": {"wild_twos": True}, "variants": {"finish_with_two": True}},
        ["options", "variants"],
    ),
    # 4.6: three deals have no target
    ({"ruleset": "house", "target": 11, "options": {"three_deals": True}}, ["target"]),
    ({"ruleset": "house", "target": None}, ["target"]),
    # rounds or points, never both
    ({"ruleset": "president", "target": 11}, ["target"]),
    *(({"ruleset": ruleset, "rounds": 5}, ["rounds"]) for ruleset in ("presi", "house", "escoria")),
    *(({"ruleset": ruleset, "target": "none"}, ["target"]) for ruleset in ("president", "presi", "house")),
    ({"ruleset": "escoria", "target": 100}, ["target"]),
    # what is another ruleset's
    ({"ruleset": "president", "options": {"deck": "spanish40"}}, ["options"]),
    ({"ruleset": "house", "options": {"killer": False}}, ["options"]),
    ({"ruleset": "presi", "options": {"sit_out": True}}, ["options"]),
    ({"ruleset": "escoria", "options": {"must_beat": True}}, ["options"]),
    *(({"ruleset": ruleset, "variants": {"skip": True}}, ["variants"]) for ruleset in ("presi", "house", "escoria")),
    *(({"ruleset": ruleset, "disconnect": "wait"}, ["disconnect"]) for ruleset in ("president", "house", "escoria")),
    # values that are none
    ({"ruleset": "presi", "options": {"jokers": 5}}, ["options"]),
    ({"ruleset": "presi", "options": {"jokers": True}}, ["options"]),
    ({"ruleset": "presi", "options": {"joker": "low"}}, ["options"]),
    ({"ruleset": "escoria", "options": {"jokers": 2}}, ["options"]),
    ({"ruleset": "escoria", "options": {"larger_sets": True}}, ["options"]),
    ({"ruleset": "house", "options": {"first_dealer": "1"}}, ["options"]),
    ({"ruleset": "house", "options": []}, ["options"]),
    ({"ruleset": "house", "seats": 4, "options": {"first_dealer": 6}}, ["options"]),
    ({"ruleset": "escoria", "seats": 6, "options": {"first_dealer": 6}}, ["options"]),
    ({"ruleset": "presi", "seats": 7}, ["seats"]),
    ({"ruleset": "house", "seats": 3}, ["seats"]),
    ({"ruleset": "escoria", "seats": 8, "target": 0, "options": {"skip_next": True}}, ["options", "seats", "target"]),
    ({"ruleset": "tarot"}, ["ruleset"]),
]  # fmt: skip


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


async def opened(server, settings):
    body = {"name": "Ada", "settings": settings}
    async with server.http.post(f"{server.url}/api/tables", json=body) as answer:
        return answer.status, json.loads(await answer.read())


@pytest.mark.parametrize("settings, fields", REFUSED, ids=[json.dumps(settings) for settings, _ in REFUSED])
async def test_what_may_not_hold_together_is_a_422_with_each_field_named(server, settings, fields):
    status, problem = await opened(server, settings)
    assert status == 422
    assert sorted(row["field"] for row in problem["errors"]) == fields
    assert all(row["message"] for row in problem["errors"])


async def test_the_same_without_the_contradiction_are_taken(server):
    for settings in (
        {"ruleset": "president", "mode": "turns", "variants": {"skip": True}},
        {"ruleset": "presi", "options": {"leader": "president", "wild_twos": True, "jokers": 4, "joker": "wild"}},
        {"ruleset": "escoria", "options": {"reseat": True, "equal": True, "skip_next": True, "turning": "run"}},
        {"ruleset": "house", "options": {"three_deals": True}},
        {"ruleset": "house", "target": None, "options": {"three_deals": True}},
        {"ruleset": "escoria", "target": "none"},
    ):
        status, answer = await opened(server, settings)
        assert status == 201, answer


async def test_api_rulesets_names_every_exclusion(server):
    told = {row["ruleset"]: row["exclusions"] for row in (await server.get("/api/rulesets"))["rulesets"]}
    for name, preset in PRESETS.items():
        assert [row["help"] for row in told[name]] == [row.help for row in exclusions_of(preset)]
        assert all(len(row["all"]) == 2 for row in told[name])
