import itertools

import pytest

from rapid.cards.deck import FRENCH_52
from rapid.rules.legal import answer_fault, strength_of
from rapid.rules.settings import rules_of
from rapid.rules.settings_check import lay_over
from rapid.rules.standin import ranks_by_strength, ranks_held

RULES = rules_of(lay_over(None, {}))
RANKS = range(13)


@pytest.mark.parametrize("turned", [False, True])
def test_a_response_is_at_least_as_strong(turned):
    for top, rank in itertools.product(RANKS, RANKS):
        fault = answer_fault(RULES, (top, 2), rank, 2, reversed_=turned)
        is_strong = rank <= top if turned else rank >= top
        assert fault == (None if is_strong else "too_weak")


@pytest.mark.parametrize("top_count, count", list(itertools.permutations(range(1, 5), 2)))
def test_a_response_has_the_count_of_the_top(top_count, count):
    for rank in RANKS:
        assert answer_fault(RULES, (0, top_count), rank, count, reversed_=False) == "wrong_count"


def test_strength_is_the_decks_order_and_turns():
    assert [strength_of(RULES, rank, reversed_=False) for rank in RANKS] == list(RANKS)
    assert [strength_of(RULES, rank, reversed_=True) for rank in RANKS] == list(reversed(RANKS))


@pytest.mark.parametrize("turned", [False, True])
def test_ranks_held_weakest_first(turned):
    hand = 1 << FRENCH_52.index["KH"] | 1 << FRENCH_52.index["3C"] | 1 << FRENCH_52.index["3D"]
    weakest_first = [10, 0] if turned else [0, 10]
    assert ranks_held(RULES, hand, reversed_=turned) == weakest_first
    assert ranks_by_strength(RULES.turned if turned else RULES.strength)[0] == (12 if turned else 0)
