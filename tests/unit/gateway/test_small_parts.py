"""Names, origins, limits per address, problems, rulesets: small functions of small arguments."""

import json

import pytest
from msgspec.structs import replace

from rapid.config import Limits
from rapid.gateway.limits import ADDRESSES_MAX, PerAddress
from rapid.gateway.names import read_name
from rapid.gateway.options import GatewayOptions
from rapid.gateway.origins import may_connect
from rapid.gateway.problems import problem
from rapid.gateway.rulesets import describe, rulesets_body
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Option, Pace
from rapid.rules.settings_check import FieldError
from rapid.wire.bucket import Rate


@pytest.mark.parametrize(
    "given, name",
    [
        ("Ada", "Ada"), ("  Ada ", "Ada"), ("\tAda\n", "Ada"), ("x" * 24, "x" * 24), (" " + "x" * 24 + " ", "x" * 24),
        ("Zoe\u0308", "Zoë"), ("é" * 24, "é" * 24), ("e\u0301" * 24, "é" * 24), ("李", "李"), ("Ada  L", "Ada  L"),
        ("🔥", "🔥"), ("❤\ufe0f", "❤\ufe0f"), ("<b>", "<b>"), ("!", "!"),
        ("\U0001fae8", "\U0001fae8"), ("a\U0001fadf", "a\U0001fadf"), ("\u1c89", "\u1c89"),
    ],
)  # fmt: skip
def test_names_are_trimmed_and_composed(given, name):
    assert read_name(given) == name


@pytest.mark.parametrize(
    "given",
    [
        None, True, 3, [], {}, b"Ada", "", "   ", "\u00a0", "x" * 25, "a\x00b", "a\nb", "a\x7fb", "a\x85b", "a\u200bb",
        "a\u200db", "a\u202eb", "a\u2066b", "a\ufeffb", "a\u2028b", "a\ud800", "\udfff", "a\u00adb", "\u0301", "\u3164",
        "a\u115fb", "\ufe0f", "\ue000", "\u2800", "a\U000e0041b",
        "a\u2065b", "a\ufff0b", "a\U000e0000b", "a\U000e0fffb", "a\uffffb", "a\U0001fffeb", "a\ufdd0b",
    ],
)  # fmt: skip
def test_names_that_are_none(given):
    fault = read_name(given)
    assert isinstance(fault, FieldError)
    assert fault.field == "name"


@pytest.mark.parametrize(
    "origin, host, may",
    [
        (None, "a.example", True),
        ("http://a.example", "a.example", True),
        ("https://a.example", "a.example", True),
        ("https://a.example:443", "a.example", True),
        ("http://A.Example:8080", "a.example:8080", True),
        ("http://[::1]:8080", "[::1]:8080", True),
        ("http://a.example", "a.example:8080", False),
        ("http://a.example:8080", "a.example", False),
        ("http://b.example", "a.example", False),
        ("http://a.example.evil", "a.example", False),
        ("http://evil/a.example", "a.example", False),
        ("null", "a.example", False),
        ("", "a.example", False),
        ("a.example", "a.example", False),
        ("http://a.example:x", "a.example", False),
        ("http://", "a.example", False),
        ("https://game.example", "a.example", True),
        ("http://other.example:81", "a.example", True),
        ("http://game.example", "a.example", False),
    ],
)
def test_which_pages_may_connect(origin, host, may):
    assert may_connect(origin, host, ("https://game.example", "other.example:81")) is may


def test_each_address_has_its_own_bucket_and_old_ones_are_forgotten():
    limits = PerAddress(Rate(0.5, 1))
    assert limits.wait_s("a", 0) == 0
    assert limits.wait_s("a", 0) == 2
    assert limits.wait_s("b", 0) == 0
    assert limits.wait_s("a", 2) == 0
    for number in range(ADDRESSES_MAX):
        limits.wait_s(f"c{number}", 2)
    assert limits.wait_s("a", 2) == 0
    assert len(limits._buckets) == ADDRESSES_MAX


def test_a_problem_says_what_and_when_to_try_again():
    answer = problem(429, "Too many", code="too_many_tables", errors=[FieldError("a", "b")], retry_after_s=0.1)
    assert json.loads(answer.body) == {
        "type": "urn:rapid:problem:too_many_tables",
        "title": "Too many tables",
        "status": 429,
        "detail": "Too many",
        "errors": [{"field": "a", "message": "b"}],
    }
    assert answer.headers["Retry-After"] == "1"
    assert answer.content_type == "application/problem+json"
    assert json.loads(problem(404, "x").body)["type"] == "about:blank"


def test_a_row_of_rulesets_has_the_fields_of_the_protocol():
    row = describe(PRESETS["president"])
    assert list(row) == [
        "ruleset", "seats", "modes", "deck", "plays_to", "direction", "variants", "roles", "defaults", "options",
        "endless", "disconnect", "variants_not_in", "exclusions",
    ]  # fmt: skip
    assert row["variants_not_in"] == {"skip": ["rapid"]}
    assert row["modes"] == ["rapid", "turns"]
    assert "skip" in row["variants"]
    assert len(json.loads(rulesets_body())["rulesets"]) == len(PRESETS)


def test_V5_is_offered_where_turns_are():
    race_only = replace(PRESETS["president"], modes=(Pace.RAPID,))
    assert "skip" not in describe(race_only)["variants"]


def test_options_are_shown_without_what_they_do_not_have():
    option = Option("jokers", "integer", 0, "How many", min=0, max=4)
    row = describe(replace(PRESETS["president"], options=(option,)))
    assert row["options"] == [option]


def test_limits_of_a_connection_come_from_the_options():
    limits = GatewayOptions(limits=Limits(messages_per_second=7, intents_burst=9)).session_limits()
    assert (limits.messages, limits.intents, limits.reactions) == (Rate(7, 200), Rate(30, 9), Rate(1, 1))
    assert limits.hello_s == 5
