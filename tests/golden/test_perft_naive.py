"""Lines of play counted twice: by the engine, and by a naive reading of the rules. A mismatch prints the position."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from rapid.cards.cardset import card_names
from rapid.engine import intents as do
from rapid.engine.decide import decide
from rapid.engine.state import State
from rapid.rules.presets import PRESETS
from tests.golden import naive
from tests.golden.perft import card_choices
from tests.rules.table import VARIANTS, dealt


class Case(NamedTuple):
    """A fixed deal and how it is played."""

    hands: tuple[str, ...]
    game: naive.Game
    depth: int
    fields: dict


def key_of(state: State) -> tuple:
    """All of a position that says what may follow."""
    round_, trick = state.round, state.trick
    assert round_ is not None
    assert trick is not None
    run = trick.run if state.rules.four_closes else 0
    laid = (trick.top, trick.last_player, run, trick.passed)
    recent = tuple(play.cards for play in trick.plays[-4:]) if state.settings.options.get("turning") == "run" else ()
    return round_.hands, laid, recent, trick.turn, trick.must_rank, round_.revolution, round_.order


def engine_lines(state: State, depth: int, known: dict) -> int:
    """The engine's count of lines of `depth` accepted plays and passes."""
    if state.trick is None:
        return 0
    key = (key_of(state), depth)
    if key not in known:
        following = list(accepted(state))
        known[key] = len(following) if depth == 1 else sum(engine_lines(one, depth - 1, known) for one in following)
    return known[key]


def accepted(state: State) -> Iterator[State]:
    assert state.round is not None
    assert state.trick is not None
    on = state.trick.state
    for seat in state.round.order:
        tries = [
            do.Play(seat=seat, on=on, cards=cards) for cards in card_choices(state.round.hands[seat], state.rules.deck)
        ]
        for intent in [*tries, do.Pass(seat=seat, on=on)]:
            outcome = decide(state, intent, state.at + 1)
            if outcome.refusal is None:
                yield outcome.state


def position_of(state: State, game: naive.Game) -> naive.Position | None:
    """What the naive reading would call this state."""
    round_, trick, deck = state.round, state.trick, state.rules.deck
    if round_ is None or trick is None:
        return None
    rank, count = trick.top or (None, 0)
    return naive.Position(
        hands=tuple(frozenset(card_names(deck, round_.hands[seat])) for seat in sorted(round_.order)),
        turn=trick.turn,
        rank=None if rank is None else deck.ranks[rank],
        count=count,
        run=trick.run if "four_closes" in game.on else 0,
        last=None if rank is None else trick.last_player,
        passed=frozenset(seat for seat in round_.order if trick.passed >> seat & 1),
        must=None if trick.must_rank is None else deck.ranks[trick.must_rank],
        is_turned=round_.revolution,
        singles=singles_of(state, game),
        way=1 if round_.order[0] < round_.order[1] or round_.order[:2] == (len(round_.order) - 1, 0) else -1,
    )


def singles_of(state: State, game: naive.Game) -> int:
    """How many single cards of one rank lie at the top, threes that took a rank apart."""
    found: list[str] = []
    plays = state.trick.plays if state.trick and game.turning == "run" else ()
    for place, play in reversed(list(enumerate(plays))):
        rank = play.cards[0][:-1]
        is_clear = game.are_threes_clear and rank == "3" and place > 0
        if len(play.cards) > 1 or is_clear or rank not in (found or [rank]):
            break
        found.append(rank)
    return len(found)


def first_difference(state: State, position: naive.Position, game: naive.Game, depth: int) -> str:
    """The first position from which the two go on differently, within so many steps."""
    ours = {position_of(after, game): after for after in accepted(state)}
    theirs = set(naive.steps(game, position))
    if set(ours) != theirs or depth == 1:
        only = [one for one in ours if one not in theirs], [one for one in theirs if one not in ours]
        return f"{position}\nonly by the engine: {only[0]}\nonly by the naive reading: {only[1]}" if any(only) else ""
    found = (first_difference(after, one, game, depth - 1) for one, after in ours.items() if one is not None)
    return next(filter(None, found), "")


RAPID_HANDS = ("3S 3H 7S 2D", "5S 5H 7D 2S", "4S 8H 8D 2C")
TURN_HANDS = ("3S 3H 7S 9H KD 2D", "5S 5H 7D 9S QH 2S", "4S 8H 8D 7H KH 2C", "6S 6D 7C 9C TD AD")
FOURS = ("7S 7H 7D 7C 3S 2S", "8S 8H 8D 8C 4S AS", "9S 9H 9D 9C 5S 2H")
FULL_DEAL = (
    "3S 6S 9S QS 2S 5H 8H JH AH 4D 7D TD KD",
    "4S 7S TS KS 3H 6H 9H QH 2H 5D 8D JD AD",
    "5S 8S JS AS 4H 7H TH KH 3D 6D 9D QD 2D",
    "3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2C",
)
SINGLE = [(), *((name,) for name in VARIANTS[:4]), VARIANTS[:4]]
SINGLE_TURNS = [*SINGLE[:-1], ("skip",), VARIANTS]


def president_cases() -> Iterator[tuple[str, Case]]:
    for on in SINGLE:
        name = "all" if len(on) > 1 else "".join(on) or "none"
        yield f"rapid_{name}", Case(RAPID_HANDS, naive.Game(on=frozenset(on)), 6, {"variants": on})
    for on in SINGLE_TURNS:
        name = "all" if len(on) > 1 else "".join(on) or "none"
        game = naive.Game(has_turns=True, on=frozenset(on))
        fields = {"variants": on, "mode": "turns", "leader": 0}
        yield f"turns_{name}", Case(TURN_HANDS, game, 6, fields)
        yield f"turns_fours_{name}", Case(FOURS, game, 5, fields)
    yield "rapid_full_deal", Case(FULL_DEAL, naive.Game(on=frozenset(SINGLE[-1])), 3, {"variants": SINGLE[-1]})
    game = naive.Game(has_turns=True, on=frozenset(VARIANTS))
    yield "turns_full_deal", Case(FULL_DEAL, game, 3, {"variants": VARIANTS, "mode": "turns", "leader": 1})


SPANISH = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2")
PRESI_HANDS = ("3O 3C 7O 2C 5B", "5O 5C 7C 2O 1O", "4O 8C 8E 2E 7E", "6O 6C 12O 2B 7B")
PRESI_FULL = tuple(
    " ".join(f"{rank}{suit}" for at, rank in enumerate(SPANISH) for suit in suits[at % 4]) for suits in (
        ("O", "C", "E", "B"), ("C", "E", "B", "O"), ("E", "B", "O", "C"), ("B", "O", "C", "E"),
    )
)  # fmt: skip


def presi_cases() -> Iterator[tuple[str, Case]]:
    """V1-V4 each alone; with the killer two, closing on the last card and equal ranks that skip."""
    for mode, on in itertools.product(("turns", "rapid"), SINGLE):
        name = "all" if len(on) > 1 else "".join(on) or "none"
        has_turns = mode == "turns"
        game = naive.Game(SPANISH, has_turns, frozenset(on), killer="2O", closes_on_finish=True, equal_skips=True)
        fields = {"ruleset": "presi", "variants": on, "mode": mode, "leader": 0 if has_turns else None}
        hands = PRESI_HANDS if has_turns else tuple(hand.rsplit(" ", 1)[0] for hand in PRESI_HANDS[:3])
        yield f"presi_{mode}_{name}", Case(hands, game, 6, fields)
    game = naive.Game(SPANISH, killer="2O", closes_on_finish=True)
    yield "presi_rapid_full_deal", Case(PRESI_FULL, game, 3, {"ruleset": "presi", "mode": "rapid"})


PRESI_OPTIONS: dict[str, tuple[dict, dict]] = {
    "must_beat": ({"must_beat": True}, {"is_strict": True, "equal_skips": False}),
    "no_killer": ({"killer": False}, {"killer": None}),
    "free": ({"passing": "free"}, {"is_binding": False}),
    "free_must_beat": (
        {"passing": "free", "must_beat": True},
        {"is_binding": False, "is_strict": True, "equal_skips": False},
    ),
}
"""What is asked of the table, and what the naive reading makes of it (RULES 6)."""


def presi_option_cases() -> Iterator[tuple[str, Case]]:
    for mode, (name, (options, changes)) in itertools.product(("turns", "rapid"), PRESI_OPTIONS.items()):
        has_turns = mode == "turns"
        game = naive.Game(SPANISH, has_turns, killer="2O", closes_on_finish=True, equal_skips=True)
        fields = {"ruleset": "presi", "mode": mode, "leader": 0 if has_turns else None, "options": options}
        hands = PRESI_HANDS if has_turns else tuple(hand.rsplit(" ", 1)[0] for hand in PRESI_HANDS[:3])
        yield f"presi_{mode}_{name}", Case(hands, replace(game, **changes), 6 if has_turns else 5, fields)


HOUSE_HANDS = ("3S 3H 7S 9H KD", "5S 5H 7D 9S QH", "4S 8H 8D 7H KH", "6S 6D 7C 9C TD")


def strict_cases() -> Iterator[tuple[str, Case]]:
    """House, and Escoria where it is played: strictly higher, passes that do not bind unless one sits out."""
    rulesets = [name for name in ("house", "escoria") if name in PRESETS]
    for ruleset, mode, on in itertools.product(rulesets, ("turns", "rapid"), SINGLE[:1] + SINGLE[-1:]):
        has_turns = mode == "turns"
        game = naive.Game(has_turns=has_turns, on=frozenset(on), is_strict=True, is_binding=False)
        fields = {"ruleset": ruleset, "variants": on, "mode": mode, "leader": 0 if has_turns else None}
        hands = HOUSE_HANDS if has_turns else tuple(hand.rsplit(" ", 1)[0] for hand in HOUSE_HANDS)
        yield f"{ruleset}_{mode}_{'all' if on else 'none'}", Case(hands, game, 6, fields)
        if ruleset == "house":
            fields, game = {**fields, "options": {"sit_out": True}}, replace(game, is_binding=True)
            yield f"house_{mode}_sit_out_{'all' if on else 'none'}", Case(hands, game, 6, fields)


ESCORIA_HANDS = ("3S 7S 7H 9H 2D", "3H 5S 7D 9S AH", "8S 8H 7C 2H KH", "3D 6S 9C 9D AS")
ESCORIA_FOURS = ("7S 7H 7D 7C AS 2S", "8S 8H 8D 8C 3S 2H", "9S 9H 9D 9C AH 3H", "5S 5H 5D 5C KS 4S")
ESCORIA_OPTIONS: dict[str, tuple[tuple[str, ...], dict, dict]] = {
    "larger_higher": (ESCORIA_HANDS, {"larger_sets": "higher"}, {"larger": "higher"}),
    "larger_any": (ESCORIA_HANDS, {"larger_sets": "any"}, {"larger": "any"}),
    "equal": (ESCORIA_HANDS, {"equal": True}, {"is_strict": False}),
    "skip_next": (ESCORIA_HANDS, {"equal": True, "skip_next": True}, {"is_strict": False, "equal_skips": True}),
    "turning_order": (ESCORIA_FOURS, {"turning": "order"}, {"turning": "order"}),
    "turning_run": (ESCORIA_FOURS, {"turning": "run", "equal": True}, {"turning": "run", "is_strict": False}),
    "run_of_singles": (ESCORIA_HANDS, {"turning": "run", "equal": True}, {"turning": "run", "is_strict": False}),
    "two_high_low": (ESCORIA_HANDS, {"two_high_low": True}, {"is_two_free": True}),
    "threes": (ESCORIA_HANDS, {"transparent_threes": True}, {"are_threes_clear": True}),
    "many": (
        ESCORIA_HANDS,
        {"transparent_threes": True, "two_high_low": True, "larger_sets": "higher", "equal": True},
        {"are_threes_clear": True, "is_two_free": True, "larger": "higher", "is_strict": False},
    ),
}


def escoria_cases() -> Iterator[tuple[str, Case]]:
    for mode, (name, (hands, options, changes)) in itertools.product(("turns", "rapid"), ESCORIA_OPTIONS.items()):
        has_turns = mode == "turns"
        if "escoria" not in PRESETS or (not has_turns and "skip_next" in options):
            continue
        game = naive.Game(has_turns=has_turns, is_strict=True, is_binding=False)
        fields = {"ruleset": "escoria", "mode": mode, "leader": 0 if has_turns else None, "options": options}
        yield f"escoria_{mode}_{name}", Case(hands, replace(game, **changes), 6 if has_turns else 4, fields)


CASES = {
    **dict(president_cases()),
    **dict(presi_cases()),
    **dict(presi_option_cases()),
    **dict(strict_cases()),
    **dict(escoria_cases()),
}


@pytest.mark.parametrize("name", list(CASES))
def test_engine_and_naive_reading_count_the_same(name):
    case = CASES[name]
    state = dealt(*case.hands, **case.fields).state
    position = naive.opening(case.hands, case.fields.get("leader"))
    known: dict = {}
    naive.lines.cache_clear()
    for depth in range(1, case.depth + 1):
        ours = engine_lines(state, depth, known)
        assert ours == naive.lines(case.game, position, depth), first_difference(state, position, case.game, depth)
