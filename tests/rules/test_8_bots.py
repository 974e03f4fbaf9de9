"""RULES section 8: the stand-in's rule, and that a bot sees what its seat sees and nothing else."""

import itertools

import pytest
from msgspec import structs

from rapid.bots.dice import Dice
from rapid.bots.policy import choose
from rapid.bots.reaction import WAIT_MS, wait_ms
from rapid.cards.cardset import card_names, parse_cards
from rapid.cards.deck import FRENCH_52
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.view import view_of
from rapid.rules.exchange import extreme_cards
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings, rules_of
from rapid.rules.standin import standin_answer, standin_opening
from tests.rules.table import dealt, in_exchange, started

RULES = rules_of(default_settings(PRESIDENT))
LEVELS = ("easy", "normal", "hard")


def hand_of(text):
    cards = parse_cards(FRENCH_52, text.split())
    assert cards is not None
    return cards


def text_of(cards):
    return None if cards is None else set(card_names(FRENCH_52, cards))


@pytest.mark.parametrize(
    "hand, turned, opening",
    [
        ("3S 4H 5D", False, "3S"),
        ("3S 3D 4H", False, "3S 3D"),
        ("4H 4D 4C KS 2S", False, "4H 4D 4C"),
        ("5S 5H 5D 5C 6S", False, "5S 5H 5D 5C"),
        ("3S 4H 2D", True, "2D"),
        ("3S KH KD", True, "KH KD"),
    ],
)
def test_8_opens_with_the_weakest_rank_all_its_cards(hand, turned, opening):
    _rank, cards = standin_opening(RULES, hand_of(hand), reversed_=turned)
    assert text_of(cards) == set(opening.split())


@pytest.mark.parametrize(
    "hand, top, turned, answer",
    [
        ("7S 9S", "6H", False, "7S"),
        ("7S 7H 9S", "6H", False, "9S"),  # does not break the pair
        ("7S 7H 9S 9H", "6H", False, "7S"),  # else the weakest legal, first in suit order
        ("7C 7D 7H", "6H 6S", False, "7H 7D"),
        ("7C 7D 7H 9S 9H", "6H 6S", False, "9S 9H"),
        ("3S 4S", "6H", False, None),
        ("7S 9S", "6H 6S", False, None),
        ("6S 9S", "6H", False, "6S"),  # equal rank is legal
        ("3S 4S 9S", "6H", True, "4S"),  # turned: weakest legal is 4, 9 is too weak
        ("2S 3S", "3H", True, "3S"),
    ],
)
def test_8_answers_with_the_weakest_that_breaks_no_larger_set_else_the_weakest(hand, top, turned, answer):
    cards = top.split()
    rank = "3456789TJQKA2".index(cards[0][0])
    found = standin_answer(RULES, hand_of(hand), (rank, len(cards)), reversed_=turned)
    assert (found and text_of(found[1])) == (set(answer.split()) if answer else None)


@pytest.mark.parametrize(
    "hand, count, given",
    [
        ("3S 4S 5S", 2, "3S 4S"),
        ("3D 3S 3C 4S", 2, "3S 3D"),
        ("3C 4D 4S 2S", 2, "3C 4S"),
        ("2S AS", 1, "AS"),
    ],
)
def test_8_returns_the_weakest_cards(hand, count, given):
    assert text_of(extreme_cards(RULES, hand_of(hand), count, best=False)) == set(given.split())


HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C")


@pytest.mark.parametrize("level, seat", list(itertools.product(LEVELS, range(3))))
def test_8_a_bot_sees_what_its_seat_sees_and_nothing_else(level, seat):
    """What the others hold makes no difference: two tables that look alike to a seat are played alike."""
    table = dealt(*HANDS, bots=2).play(0, "3S")
    other = dealt(*(HANDS[seat] if s == seat else HANDS[s] for s in range(3)), bots=2).play(0, "3S")
    swapped = list(other.state.round.hands)
    a, b = (s for s in range(3) if s != seat)
    unseen = (swapped[a] | swapped[b]) ^ hand_of("KS KH KD KC AS AH AD")
    size_a, size_b = swapped[a].bit_count(), swapped[b].bit_count()
    cards = [1 << i for i in range(52) if unseen >> i & 1]
    swapped[a] = sum(cards[:size_a])
    swapped[b] = sum(cards[size_a : size_a + size_b])
    other.state = structs.replace(other.state, round=structs.replace(other.state.round, hands=tuple(swapped)))
    assert view_of(table.state, seat) == view_of(other.state, seat)
    moves = [choose(with_level(t.view(seat), seat, level), Dice(1)) for t in (table, other)]
    assert moves[0] == moves[1]


def with_level(view, seat, level):
    rows = tuple(structs.replace(row, level=level, kind="bot") if row.seat == seat else row for row in view.seats)
    return structs.replace(view, seats=rows)


@pytest.mark.parametrize("level", LEVELS)
def test_8_a_spectator_has_no_bot(level):
    assert choose(dealt(*HANDS).view(None), Dice(1)) is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(30))
def test_8_what_a_bot_chooses_is_accepted(level, seed):
    table = started(4, ["revolution", "finish_with_two"], bots=3, bot_level=level)
    dice = Dice(seed)
    for _ in range(40):
        if table.state.trick is None:
            break
        table.tick(1)
        seat = 1 + int(dice.random() * 3)
        move = choose(table.view(seat), dice)
        if move is None:
            table.ran_out()
            continue
        table.send(move)
        assert table.refusal is None


@pytest.mark.parametrize("level", LEVELS)
def test_8_its_attempts_can_lose_the_race(level):
    table = dealt(*HANDS, bots=2)
    moves = [choose(with_level(table.view(seat), seat, level), Dice(seat)) for seat in (1, 2)]
    assert table.send(moves[0]).types == "played"
    assert table.send(moves[1]).types == "race_lost"


@pytest.mark.parametrize("level", LEVELS)
def test_8_it_waits_a_human_time(level):
    low, high = WAIT_MS[level]
    dice = Dice(level)
    waits = [wait_ms(level, dice) for _ in range(500)]
    assert low <= min(waits) < low + (high - low) / 5
    assert high - (high - low) / 5 < max(waits) <= high


def test_8_the_better_the_quicker_but_never_quicker_than_a_person_can_be():
    assert WAIT_MS["easy"] > WAIT_MS["normal"] > WAIT_MS["hard"]
    assert all(low >= 1_000 for low, _ in WAIT_MS.values())


def test_8_a_stand_in_plays_by_its_rule_under_its_own_name():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(5_000)
    move = choose(table.view(1), Dice(1))
    assert move == do.Play(seat=1, on=table.on, cards=("5S", "5H"), by="standin")
    assert table.send(move).the(ev.Played).by == "standin"
    assert choose(table.view(1), Dice(1)) is None  # the last player cannot pass


def test_8_a_leavers_bot_goes_by_bot():
    table = dealt(*HANDS).send(do.Leave(seat=1))
    assert table.send(choose(table.view(1), Dice(1))).the(ev.Played).by == "bot"


@pytest.mark.parametrize("level", LEVELS)
def test_8_in_an_exchange_it_returns_what_it_owes_once(level):
    table = in_exchange((1, 2, 0, 3), bots=3, bot_level=level)
    move = choose(table.view(1), Dice(1))
    assert isinstance(move, do.Give)
    assert table.send(move).types == "given"
    assert choose(table.view(1), Dice(1)) is None
    assert choose(table.view(3), Dice(1)) is None


@pytest.mark.parametrize("seed", range(20))
def test_8_a_hard_bot_never_ends_with_a_two_it_could_keep(seed):
    table = dealt("2S", "2H 9S", "KS KH", variants=["finish_with_two"], bots=2, bot_level="hard")
    move = choose(table.view(1), Dice(seed))
    assert move == do.Play(seat=1, on=table.on, cards=("2H",), by="bot")
    table.send(move).passes(0).pass_(2, by="bot")
    assert choose(table.view(1), Dice(seed)).cards == ("9S",)
