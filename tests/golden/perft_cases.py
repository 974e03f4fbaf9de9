"""Fixed deals whose lines of play are counted twice: every preset, every variant and every single variation.

In turns six steps deep; as a race with four cards a seat six deep, and the full deal three deep. A normal run
takes a race one step less, but for the presets as they come: `RAPID_PERFT=deep` takes all of them whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from tests.golden import naive
from tests.rules.table import VARIANTS

Hands = tuple[str, ...]
Changes = dict[str, Any]
TURNS_DEPTH, RAPID_DEPTH, FULL_DEPTH = 6, 6, 3
RAPID_CARDS = 4
IS_DEEP = os.environ.get("RAPID_PERFT") == "deep"


class Case(NamedTuple):
    """A fixed deal and how it is played."""

    hands: Hands
    game: naive.Game
    depth: int
    fields: dict


SPANISH = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2")
SPANISH_40 = tuple(rank for rank in SPANISH if rank not in "89")
BELOW_TWO = (*SPANISH[1:-1], "3", "2")
PLAIN = {
    "president": naive.Game(),
    "presi": naive.Game(SPANISH, killer="2O", closes_on_finish=True, equal_skips=True),
    "house": naive.Game(is_strict=True, is_binding=False),
    "escoria": naive.Game(is_strict=True, is_binding=False),
}
"""What the naive reading makes of each preset."""

TURN_HANDS = ("3S 3H 7S 2D 9H KD", "5S 5H 7D 2S 9S QH", "4S 8H 8D 2C 7H KH", "6S 6D 7C 9C TD AD")
PRESI_HANDS = ("3O 3C 7O 2C 5B", "5O 5C 7C 2O 1O", "4O 8C 8E 2E 7E", "6O 6C 12O 2B 7B")
STRICT_HANDS = ("3S 3H 7S 9H KD", "5S 5H 7D 9S QH", "4S 8H 8D 7H KH", "6S 6D 7C 9C TD")
ESCORIA_HANDS = ("3S 7S 7H 9H 2D", "3H 5S 7D 9S AH", "8S 8H 7C 2H KH", "3D 6S 9C 9D AS")
HANDS = {"president": TURN_HANDS, "presi": PRESI_HANDS, "house": STRICT_HANDS, "escoria": ESCORIA_HANDS}

FOURS = ("7S 7H 7D 7C 3S 2S", "8S 8H 8D 8C 4S AS", "9S 9H 5S 2H 9D 9C", "5D 5H TD KH TC KS")
ESCORIA_FOURS = ("7S 7H 7D 7C AS 2S", "8S 8H 8D 8C 3S 2H", "9S 9H AH 3H 9D 9C", "5S 5H KS 4S 5D 5C")
PRESI_FOURS = ("7O 7C 7E 7B 3O 2C", "8O 8C 8E 8B 4O 1O", "9O 9C 5O 2O 9E 9B", "5C 5E 12O 12C 2E 3C")
FOURS_OF = {"presi": PRESI_FOURS, "escoria": ESCORIA_FOURS}
FORTY_HANDS = ("3O 3C 7O 2C 5B", "5O 5C 7C 2O 1O", "4O 10C 10E 2E 7E", "6O 6C 12O 2B 7B")
JOKER_HANDS = ("3O 3C *1 2C 5B", "5O 5C *2 2O 1O", "4O 8C 8E 2E 7E", "6O 6C 12O *3 7B")
TWO_JOKER_HANDS = ("3S 7S *1 9H 2D", "3H *2 7D 9S AH", "8S 8H 7C 2H KH", "3D 6S 9C 9D AS")
WILD_HANDS = ("3O 3C *1", "5O 5C *2", "4O 8C 2O", "6O 6C *3")
WILD_TWO_HANDS = ("3O 3C 2C", "5O 5C 2O", "4O 8C 2E", "6O 6C 2B")
WILD_FOURS = ("7O 7C 7E *1", "8O 8C 2E 3O", "9O 9C 2O 2C", "5C 4E 12O 12C")

VARIATIONS: dict[str, dict[str, tuple[Changes, Changes, Hands | None]]] = {
    "president": {},
    "presi": {
        "deck": ({"deck": "spanish40"}, {"ranks": SPANISH_40}, FORTY_HANDS),
        "three": ({"three": "below_two"}, {"ranks": BELOW_TWO}, None),
        "jokers": ({"jokers": 3}, {"ranks": (*SPANISH, "*")}, JOKER_HANDS),
        "wild": ({"jokers": 3, "joker": "wild"}, {"wild": frozenset("*")}, WILD_HANDS),
        "wild_twos": ({"wild_twos": True}, {"wild": frozenset("2")}, WILD_TWO_HANDS),
        "all_wild": (
            {"wild_twos": True, "jokers": 1, "joker": "wild", "turning": "order"},
            {"wild": frozenset("2*"), "turning": "order"},
            WILD_FOURS,
        ),
        "turning_order": ({"turning": "order"}, {"turning": "order"}, PRESI_FOURS),
        "turning_both": (
            {"turning": "order_and_direction"},
            {"turning": "order_and_direction"},
            PRESI_FOURS,
        ),
        "must_beat": ({"must_beat": True}, {"is_strict": True, "equal_skips": False}, None),
        "no_killer": ({"killer": False}, {"killer": None}, None),
        "free": ({"passing": "free"}, {"is_binding": False}, None),
        "free_must_beat": (
            {"passing": "free", "must_beat": True},
            {"is_binding": False, "is_strict": True, "equal_skips": False},
            None,
        ),
    },
    "house": {"sit_out": ({"sit_out": True}, {"is_binding": True}, None)},
    "escoria": {
        "larger_higher": ({"larger_sets": "higher"}, {"larger": "higher"}, None),
        "larger_any": ({"larger_sets": "any"}, {"larger": "any"}, None),
        "equal": ({"equal": True}, {"is_strict": False}, None),
        "skip_next": ({"equal": True, "skip_next": True}, {"is_strict": False, "equal_skips": True}, None),
        "turning_order": ({"turning": "order"}, {"turning": "order"}, ESCORIA_FOURS),
        "turning_run": ({"turning": "run", "equal": True}, {"turning": "run", "is_strict": False}, ESCORIA_FOURS),
        "run_of_singles": ({"turning": "run", "equal": True}, {"turning": "run", "is_strict": False}, None),
        "jokers": ({"jokers": True}, {"ranks": (*naive.FRENCH, "*")}, TWO_JOKER_HANDS),
        "two_high_low": ({"two_high_low": True}, {"is_two_free": True}, None),
        "threes": ({"transparent_threes": True}, {"are_threes_clear": True}, None),
        "many": (
            {"transparent_threes": True, "two_high_low": True, "larger_sets": "higher", "equal": True},
            {"are_threes_clear": True, "is_two_free": True, "larger": "higher", "is_strict": False},
            None,
        ),
    },
}
"""What is asked of the table, what the naive reading makes of it, and the hands that bring it out (RULES 4.6, 5.5, 6).

What changes only the deal, the exchange or who leads has no lines of its own.
"""

ONLY_IN_TURNS = {"skip_next", "skip", "fours_skip", "all_wild"}
"""The last one for the number of its lines."""


class Row(NamedTuple):
    """A preset with what is on, and the hands that bring it out in turns."""

    ruleset: str
    name: str
    game: naive.Game
    hands: Hands
    fields: dict


def _full_deal(ranks: tuple[str, ...], suits: str, jokers: int) -> Hands:
    """All cards to four seats, most ranks over all of them, some of three together at one, and one of four."""
    hands = ["" for _ in range(4)]
    for at, rank in enumerate(ranks):
        for number, suit in enumerate(suits):
            together = at == 0 or (at % 4 == 0 and number < 3)
            hands[at // 4 if together else (number + at) % 4] += f" {rank}{suit}"
    for number in range(jokers):
        hands[number] += f" *{number + 1}"
    return tuple(hand.strip() for hand in hands)


def _rows() -> Iterator[Row]:
    """Yield every preset, variant and variation."""
    for ruleset, plain in PLAIN.items():
        names = VARIANTS if ruleset == "president" else VARIANTS[:4]
        for name, on in [("none", ()), *((name, (name,)) for name in names), ("all", names)]:
            game = replace(plain, on=frozenset(on))
            has_fours = name in {"revolution", "four_closes"} and ruleset != "president"
            hands = FOURS_OF.get(ruleset, FOURS) if has_fours else HANDS[ruleset]
            yield Row(ruleset, name, game, hands, {"variants": on})
            if ruleset == "president":
                yield Row(ruleset, f"fours_{name}", game, FOURS, {"variants": on})
        for name, (options, changes, own_hands) in VARIATIONS[ruleset].items():
            yield Row(ruleset, name, replace(plain, **changes), own_hands or HANDS[ruleset], {"options": options})


def _in_turns(row: Row) -> Case:
    fields = {**_fields(row), "mode": "turns", "leader": 0}
    return Case(row.hands, replace(row.game, has_turns=True), TURNS_DEPTH, fields)


def _fields(row: Row) -> dict:
    rounds = {"rounds": 5} if row.ruleset == "president" else {}
    return {"ruleset": row.ruleset, "variants": (), **rounds, **row.fields}


def _races(row: Row) -> Iterator[tuple[str, Case]]:
    """Yield a row as a race, with few cards and with all."""
    game = replace(row.game, on=row.game.on - {"skip"})
    fields = {**_fields(row), "mode": "rapid", "variants": tuple(sorted(game.on))}
    seats = 3 if row.ruleset in {"president", "presi"} else 4
    short = tuple(" ".join(hand.split()[:RAPID_CARDS]) for hand in row.hands[:seats])
    less = 0 if IS_DEEP or row.name == "none" else 1
    yield "rapid", Case(short, game, RAPID_DEPTH - less, fields)
    ranks, suits = tuple(rank for rank in game.ranks if rank != "*"), "OCEB" if "12" in game.ranks else "SHDC"
    jokers = int(fields.get("options", {}).get("jokers", 0)) * (2 if row.ruleset == "escoria" else 1)
    yield "full", Case(_full_deal(ranks, suits, jokers), game, FULL_DEPTH - less, fields)


def _cases() -> Iterator[tuple[str, Case]]:
    for row in _rows():
        yield f"{row.ruleset}_turns_{row.name}", _in_turns(row)
        if row.name not in ONLY_IN_TURNS:
            yield from ((f"{row.ruleset}_{kind}_{row.name}", case) for kind, case in _races(row))


CASES = dict(_cases())
