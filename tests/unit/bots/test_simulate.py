import collections
import hashlib
import itertools
import json
import subprocess
import sys

import pytest
from msgspec import structs

from rapid.bots.simulate import simulate, table_id
from rapid.bots.simulate_options import SimulateError, SimulateOptions, parse_options, parse_variants, settings_for
from rapid.engine.replay.verify import verify_lines
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import PlaysTo

ALL = ("revolution", "four_closes", "strongest_closes", "finish_with_two")


def events_of(**options):
    return [json.loads(line) for line in simulate(SimulateOptions(**options))]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_the_same_seed_gives_the_same_log_byte_for_byte(seats):
    first = "\n".join(simulate(SimulateOptions(seats=seats, rounds=2, seed=9)))
    assert first == "\n".join(simulate(SimulateOptions(seats=seats, rounds=2, seed=9)))
    assert first != "\n".join(simulate(SimulateOptions(seats=seats, rounds=2, seed=10)))


@pytest.mark.parametrize("hash_seed", ["0", "1234"])
def test_also_in_another_process_whatever_its_hash_seed(hash_seed):
    program = (
        "from rapid.bots.simulate import simulate; from rapid.bots.simulate_options import SimulateOptions; "
        "import hashlib; lines = simulate(SimulateOptions(rounds=2, seed=5)); "
        "print(hashlib.sha256('\\n'.join(lines).encode()).hexdigest())"
    )
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    here = hashlib.sha256("\n".join(simulate(SimulateOptions(rounds=2, seed=5))).encode()).hexdigest()
    assert done.stdout.strip() == here


def test_each_game_has_its_own_header_and_log():
    events = events_of(games=3, rounds=1)
    headers = [event for event in events if "log" in event]
    assert [header["table"] for header in headers] == [table_id(1, game) for game in (1, 2, 3)]
    assert len({header["table"] for header in headers}) == 3
    starts = [number for number, event in enumerate(events) if "log" in event] + [len(events)]
    for begin, end in itertools.pairwise(starts):
        log = events[begin + 1 : end]
        assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
        assert (log[0]["type"], log[0]["at"]) == ("table_opened", 0)
        assert log[-1]["type"] == "game_ended"


def test_one_game_of_many_is_that_game_alone():
    alone = list(simulate(SimulateOptions(rounds=1, seed=4)))
    assert list(simulate(SimulateOptions(rounds=1, seed=4, games=2)))[: len(alone)] == alone


def test_table_ids_are_table_ids():
    ids = {table_id(seed, game) for seed in range(200) for game in range(5)}
    assert len(ids) == 1000
    assert all(len(name) == 16 and name.isascii() and name.isalnum() and name.islower() for name in ids)


def test_secrets_come_from_the_seed_and_never_twice():
    secrets = [event["secret"] for event in events_of(rounds=5, games=3) if event.get("type") == "committed"]
    assert len(secrets) == len(set(secrets)) == 18


@pytest.mark.parametrize("options", [{"rounds": 3}, {"rounds": 1}, {"rounds": 7, "seats": 3}])
def test_it_plays_that_many_rounds(options):
    ended = [event for event in events_of(**options) if event.get("type") == "round_ended"]
    assert [event["round"] for event in ended] == list(range(1, options["rounds"] + 1))


TO_POINTS = [
    (preset.name, str(mode))
    for preset in PRESETS.values()
    for mode in preset.modes
    if preset.plays_to is PlaysTo.TARGET
]


@pytest.mark.parametrize("ruleset, mode", TO_POINTS)
def test_G4_a_game_to_points_is_stopped_by_the_host_after_so_many_rounds(ruleset, mode):
    options = SimulateOptions(ruleset=ruleset, mode=mode, target=99)
    whole = list(simulate(options))
    stopped = list(simulate(structs.replace(options, rounds=2)))
    # Until then it is the same game: only what the host picks is another.
    assert stopped[:-1] == whole[: len(stopped) - 1]
    events = [json.loads(line) for line in stopped]
    assert [event["round"] for event in events if event.get("type") == "round_ended"] == [1, 2]
    assert (events[-1]["type"], events[-1]["why"], events[-1]["winners"]) == ("game_ended", "stopped", [])
    (report,) = verify_lines(stopped)
    assert report.ok, report


@pytest.mark.parametrize("ruleset, mode", TO_POINTS)
def test_a_game_that_ends_before_is_what_it_is_without_the_limit(ruleset, mode):
    options = SimulateOptions(ruleset=ruleset, mode=mode, target=3)
    whole = list(simulate(options))
    assert json.loads(whole[-1])["why"] == "target"
    assert list(simulate(structs.replace(options, rounds=50))) == whole


@pytest.mark.parametrize(
    "options, rounds, why",
    [
        ({"ruleset": "escoria", "target": "none", "rounds": 2}, 2, "ended"),
        ({"ruleset": "escoria", "target": "none"}, 50, "rounds"),
        ({"ruleset": "escoria", "target": "none", "rounds": 50}, 50, "rounds"),
        ({"ruleset": "house", "options": {"three_deals": True}, "rounds": 2}, 2, "stopped"),
        ({"ruleset": "house", "options": {"three_deals": True}, "rounds": 9}, 3, "rounds"),
    ],
)
def test_without_a_target_a_game_ends_all_the_same(options, rounds, why):
    lines = list(simulate(SimulateOptions(**options)))
    events = [json.loads(line) for line in lines]
    assert sum(event.get("type") == "round_ended" for event in events) == rounds
    assert events[-1]["why"] == why
    assert bool(events[-1]["winners"]) is (why != "stopped")
    (report,) = verify_lines(lines)
    assert report.ok, report


def test_bots_really_race_and_timers_really_fire():
    """Over a few seeds everything happens that can: lost races, openings and closings by the timer, late returns."""
    seen = collections.Counter()
    for seed in range(12):
        for event in events_of(rounds=8, seed=seed):
            seen[event.get("type"), event.get("by", event.get("why"))] += 1
    assert seen["race_lost", None] > 300
    assert seen["played", "timer"] > 4
    assert seen["trick_closed", "timer"] > 20
    assert seen["given", "timer"] > 0
    assert seen["given", "bot"] > 100
    assert seen["trick_closed", "passed"] > 500


def test_with_all_variants_all_closings_and_penalties_happen():
    reasons, penalties = set(), 0
    for seed in range(6):
        for event in events_of(rounds=6, seed=seed, variants=ALL, level="easy"):
            if event.get("type") == "trick_closed":
                reasons.add(event["why"])
            penalties += event.get("penalised") is True
    assert reasons == {"round_over", "four", "strongest", "passed", "timer"}
    assert penalties


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_what_it_writes_passes_the_second_reading_of_the_rules(seats, level):
    for variants in ((), ALL):
        options = SimulateOptions(seats=seats, rounds=3, seed=seats, level=level, variants=variants)
        for report in verify_lines(simulate(options)):
            assert report.ok, report


@pytest.mark.parametrize(
    "options, field",
    [
        ({"ruleset": "bridge"}, "ruleset"),
        ({"ruleset": "presi", "rounds": 0}, "rounds"),
        ({"ruleset": "escoria", "rounds": 51, "target": "none"}, "rounds"),
        ({"target": 11}, "target"),
        ({"ruleset": "presi", "target": "none"}, "target"),
        ({"ruleset": "house", "target": 100}, "target"),
        ({"ruleset": "house", "target": 11, "options": {"three_deals": True}}, "target"),
        ({"mode": "slow"}, "mode"),
        ({"mode": "rapid", "variants": ("revolution", "skip")}, "variants"),
        ({"seats": 2}, "seats"),
        ({"seats": 7}, "seats"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 51}, "rounds"),
        ({"games": 0}, "games"),
        ({"variants": ("skip",)}, "variants"),
        ({"options": {"jokers": 2}}, "options"),
        ({"level": "perfect"}, "level"),
    ],
)
def test_bad_options_are_named_before_the_first_line(options, field):
    with pytest.raises(SimulateError, match=f"^--{field}: ") as refused:
        simulate(SimulateOptions(**options))
    assert "null" not in str(refused.value)  # there is none on a command line


@pytest.mark.parametrize(
    "text, names", [("none", ()), ("revolution", ("revolution",)), ("revolution, four_closes", ALL[:2])]
)
def test_variants_are_exactly_those_named(text, names):
    settings = settings_for(SimulateOptions(variants=parse_variants(text)))
    assert {name for name in ALL if getattr(settings.variants, name)} == set(names)


@pytest.mark.parametrize("text", ["", "x", "revolution,", "revolution,revolution", "none,revolution"])
def test_variants_that_are_none(text):
    with pytest.raises(SimulateError, match=r"^--variants: "):
        parse_variants(text)


def test_without_variants_the_rulesets_own_are_on():
    assert settings_for(SimulateOptions()).variants.revolution is True


@pytest.mark.parametrize(
    "text, options",
    [
        ("", {}),
        ("a=true,b=false,c=null", {"a": True, "b": False, "c": None}),
        ("a=3, b=-1 ,c=x", {"a": 3, "b": -1, "c": "x"}),
        ("a=", {"a": ""}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_options_read(text, options):
    assert parse_options(text) == options


@pytest.mark.parametrize("text", ["a", "=1", "a=1,a=2"])
def test_options_that_are_none(text):
    with pytest.raises(SimulateError, match=r"^--settings: "):
        parse_options(text, "--settings")
