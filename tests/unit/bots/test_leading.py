"""The hard level in turns, and what all levels make of what is particular to a table (RULES 8)."""

import pytest

from rapid.bots.dice import Dice
from rapid.bots.leading import leading_play
from rapid.bots.levels import legal_plays, normal_play
from rapid.bots.policy import choose
from rapid.bots.sight import Sight, look
from rapid.cards.cardset import parse_cards
from rapid.rules.legal import answer_fault
from rapid.rules.plays import named, read_play
from rapid.rules.settings import Settings, rules_of
from rapid.rules.settings_check import lay_over
from tests.rules.table import in_turns
from tests.rules.test_8_bots import with_level


def sight(hand, top=None, *, ruleset="president", turned=False, most=9, least=5, variants=(), options=None, laid=""):
    """What a bot sees: `top` as rank and count, `most` and `least` cards that the others hold."""
    on = {name: name in variants for name in ("revolution", "strongest_closes", "finish_with_two")}
    fields = {"ruleset": ruleset, "mode": "turns", "variants": on, "options": options or {}}
    settings = lay_over(None, fields)
    assert isinstance(settings, Settings), settings
    rules = rules_of(settings)
    ranks = [*rules.deck.ranks, "*"]
    on_top = None if top is None else (ranks.index(top.split()[0]), int(top.split()[1]))
    cards, out = (parse_cards(rules.deck, text.split()) for text in (hand, laid))
    assert cards is not None
    assert out is not None
    return Sight(rules, 0, cards, turned, on_top, False, None, out, most, least)


def laid_by(policy, seen):
    play = policy(seen)
    return None if play is None else set(named(seen.rules, *play))


@pytest.mark.parametrize(
    "hand, more, laid",
    [
        ("3S 7S 7H 9D", {}, "3S"),
        ("3S 4S 4H 9D", {}, "4S 4H"),  # few can answer a pair
        ("3S 9D 2S 2H 2D 2C", {}, "3S"),
        ("3S 2S 2H", {}, "2S 2H"),  # they win, and then the last card goes
        ("4S KS KH", {"most": 1}, "KS KH"),  # nobody has two cards
        ("9D 2S", {"variants": ("finish_with_two",)}, "2S"),  # V4: not the last
        ("3S 3H 3D 3C 2S AS", {"variants": ("revolution",)}, "AS"),  # what is left would be weaker
        ("7S 7H 7D 7C 4S 5S", {"variants": ("revolution",)}, "7S 7H 7D 7C"),
        ("3S 9D 2S", {"ruleset": "escoria", "options": {"two_high_low": True}}, "3S"),
        ("3S 9D", {"ruleset": "escoria", "options": {"transparent_threes": True}}, "9D"),  # kept: it answers all
        ("3O 3C 5O *1", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, "3O 3C"),
        ("5O 5C *1", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, "5O 5C *1=5E"),  # out at once
        ("5O 2C", {"ruleset": "presi", "options": {"wild_twos": True}}, "5O 2C=5C"),
    ],
)
def test_what_it_leads(hand, more, laid):
    assert laid_by(leading_play, sight(hand, **more)) == set(laid.split())


@pytest.mark.parametrize(
    "hand, top, more, laid",
    [
        ("5S 7S 9S", "4 1", {}, "5S"),
        ("5S 5H 9S", "4 1", {}, "9S"),
        ("5S 5H", "4 1", {}, "5S"),
        ("5S 7S 9S", "T 1", {}, None),
        ("3S 9S 2S", "4 1", {}, "9S"),
        ("3S 2S", "4 1", {}, "2S"),
        ("5S 9S KD", "4 1", {"least": 1}, "KD"),  # against somebody's last card
        ("5S 9S KD 6H 6D", "4 2", {"least": 1}, "6H 6D"),
        ("9S 2S", "4 1", {"variants": ("finish_with_two",)}, "2S"),
        ("3S 9S", "8 1", {"ruleset": "escoria", "options": {"transparent_threes": True}}, "9S"),
        ("3S 7S", "8 1", {"ruleset": "escoria", "options": {"transparent_threes": True}}, "3S"),
        ("5O 6C 7E 9B 11O *1", "10 1", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, "11O"),
        ("5O 6C 7E 9B 8O *1", "10 1", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, None),
        ("5O 6C *1", "10 1", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, "*1=10O"),
        ("5O *1", "4 2", {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}, "5O *1=5C"),
        ("3O 4C 2O", "1 3", {"ruleset": "presi"}, "2O"),
    ],
)
def test_what_it_answers(hand, top, more, laid):
    assert laid_by(leading_play, sight(hand, top, **more)) == (set(laid.split()) if laid else None)


def test_a_normal_bot_keeps_its_wild_cards_while_it_holds_many():
    more = {"ruleset": "presi", "options": {"jokers": 1, "joker": "wild"}}
    assert laid_by(never_erring, sight("5O 6C 7E 9B 8O *1", "10 1", **more)) is None
    assert laid_by(never_erring, sight("5O 6C *1", "10 1", **more)) == {"*1=10O"}


def test_a_normal_bot_does_not_hoard_more_wild_cards_than_two():
    more = {"ruleset": "presi", "options": {"jokers": 3, "joker": "wild"}}
    assert laid_by(never_erring, sight("5O 6C 7E 9B *1 *2", "10 1", **more)) is None
    assert laid_by(never_erring, sight("5O 6C 7E *1 *2 *3", "10 1", **more)) == {"*1=10O"}


class Steady:
    """Dice that always say the same."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number


def never_erring(seen):
    return normal_play(seen, Steady(0.99))


def test_a_normal_bot_slips_now_and_then_in_turns():
    seen = sight("5S 7S 9S", "4 1")
    assert laid_by(never_erring, seen) == {"5S"}
    assert normal_play(seen, Steady(0.0)) is None
    slips = sum(normal_play(seen, Dice(number)) != normal_play(seen, Steady(0.99)) for number in range(600))
    assert 20 < slips < 80  # a twelfth, some of which hit on the same card


@pytest.mark.parametrize("joker", ["high", "wild"])
@pytest.mark.parametrize("wild_twos", [False, True])
def test_what_any_level_calls_legal_is_legal(joker, wild_twos):
    options = {"jokers": 2, "joker": joker, "wild_twos": wild_twos}
    for top in (None, "4 1", "6 2", "12 3", "2 1", "2 2"):
        seen = sight("3O 3C 6O 6E 7B 2O 2C *1 *2", top, ruleset="presi", options=options)
        plays = legal_plays(seen)
        assert plays
        for rank, cards in plays:
            assert read_play(seen.rules, named(seen.rules, rank, cards), seen.hand) == (rank, cards)
            is_free = seen.top is None or cards == seen.rules.killer
            assert is_free or answer_fault(seen.rules, seen.top, rank, cards.bit_count(), reversed_=False) is None


def test_a_transparent_three_has_taken_the_rank_that_it_answered():
    options = {"transparent_threes": True}
    table = in_turns("KS 4H", "3S 5S", "QS AS", "6S 7S", ruleset="escoria", options=options)
    table.play(0, "KS").play(1, "3S")
    view = table.view(2)
    assert look(view, view.you).top == (table.state.rules.deck.ranks.index("K"), 1)
    assert choose(with_level(view, 2, "normal"), Dice(1)).cards == ("AS",)
