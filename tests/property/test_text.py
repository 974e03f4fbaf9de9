"""Text forms come in pairs: what is written can be read again, and reads as what it was."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.cards.cardset import card_names, members, parse_cards
from rapid.cards.combination import combination_rank
from rapid.cards.deck import FRENCH_52
from rapid.cards.shuffle import deal_hands, shuffled
from rapid.engine.notation import event_line, header_line, parse_header, parse_line

quick = settings(max_examples=150, deadline=None, derandomize=True, database=None)
card_sets = st.integers(0, FRENCH_52.full)


@quick
@given(card_sets)
def test_cards_written_and_read(cards):
    names = card_names(FRENCH_52, cards)
    assert parse_cards(FRENCH_52, names) == cards
    assert parse_cards(FRENCH_52, reversed(names)) == cards  # the order has no meaning
    assert len(names) == len(set(names)) == cards.bit_count()


@quick
@given(st.lists(st.sampled_from(FRENCH_52.names), max_size=8))
def test_cards_read_and_written(names):
    cards = parse_cards(FRENCH_52, names)
    if len(set(names)) < len(names):
        assert cards is None
    else:
        assert set(card_names(FRENCH_52, cards)) == set(names)


@quick
@given(st.lists(st.text(max_size=4), min_size=1, max_size=3))
def test_what_is_no_card_is_read_as_nothing(texts):
    known = all(text in FRENCH_52.names for text in texts) and len(set(texts)) == len(texts)
    assert (parse_cards(FRENCH_52, texts) is not None) is known


@quick
@given(card_sets)
def test_members_are_the_set(cards):
    found = list(members(cards))
    assert sum(1 << card for card in found) == cards
    assert found == sorted(found)


@quick
@given(card_sets)
def test_a_combination_is_one_to_four_cards_of_one_rank(cards):
    ranks = {FRENCH_52.names[card][0] for card in members(cards)}
    rank = combination_rank(cards)
    assert (rank is not None) is (len(ranks) == 1)
    assert rank is None or FRENCH_52.ranks[rank] in ranks


@quick
@given(st.binary(min_size=32, max_size=32), st.integers(1, 10_000))
def test_a_shuffle_is_all_cards_once(key, deal):
    cards = shuffled(FRENCH_52, key, "abcdefghij", deal)
    assert sorted(cards) == list(range(52))
    assert shuffled(FRENCH_52, key, "abcdefghij", deal) == cards


@quick
@given(st.permutations(range(52)), st.permutations(range(6)), st.integers(3, 6))
def test_a_deal_gives_each_card_to_one_seat(cards, seats, number):
    order = seats[:number]
    hands = deal_hands(cards, order)
    assert sum(hands.values()) == FRENCH_52.full
    sizes = [hands[seat].bit_count() for seat in order]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@quick
@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=10, max_size=40))
def test_a_header_written_and_read(table):
    header = parse_header(header_line(table))
    assert (header.log, header.v, header.table) == ("rapid", 1, table)


@quick
@given(st.integers(1, 40), st.integers(3, 6))
def test_every_line_of_a_log_is_read_as_it_was_written(seed, seats):
    lines = list(simulate(SimulateOptions(seed=seed, seats=seats, rounds=1)))
    for number, text in enumerate(lines[1:], 1):
        line = parse_line(text)
        assert line.seq == number
        assert event_line(line.event, line.seq, line.at) == text
        assert msgspec.json.decode(text)["seq"] == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"seq":1,"at":2}',
        '{"seq":1,"at":2,"type":"nothing"}',
        '{"seq":"1","at":2,"type":"lobby_opened"}',
        '{"seq":1,"at":true,"type":"lobby_opened"}',
        '{"seq":1,"at":2,"type":"passed","seat":"0","trick":1,"by":"bot"}',
        '{"seq":1,"at":2,"type":"passed","seat":0,"by":"bot"}',
        '{"seq":1,"at":2,"type":"lobby_opened"',
    ],
)
def test_what_is_no_line_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_line(text)


@pytest.mark.parametrize("text", ["", "{}", '{"log":"other","v":1,"table":"a"}', '{"log":"rapid","v":2,"table":"a"}'])
def test_what_is_no_header_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_header(text)
