"""RULES 2.2, 2.3, 2.5: plays, passes, lost races and closings that are wrong."""

import pytest

from tests.unit.engine.replay.judge import is_good, refuses, verdict
from tests.unit.engine.replay.logbook import DECK, RANKS, LogBook


def race(seats=3, on=(), seed=11, **changes):
    book = LogBook(seats=seats, seed=seed, on=on, **changes)
    book.wait(10).start()
    return book


def led(count=1, seat=0, **how):
    """Seat 0 has led its weakest set of that many cards."""
    book = race(**how)
    cards = next(cards for cards in book.options(seat) if len(cards) == count)
    book.wait(10).play(seat, cards)
    return book


def hand_of(book, seat, cards):
    """Deal by hand: the seat gets these cards for as many of its own. The secret is hidden then."""
    dealt = book.lines[-3]
    assert dealt["type"] == "dealt"
    spare = [card for card in book.hands[seat] if card not in cards]
    for card in cards:
        owner = next(other for other, hand in book.hands.items() if card in hand)
        if owner != seat:
            swap = spare.pop()
            book.hands[owner][book.hands[owner].index(card)] = swap
            book.hands[seat][book.hands[seat].index(swap)] = card
    dealt["hands"] = {str(other): list(hand) for other, hand in book.hands.items()}
    for line in book.lines:
        if line["type"] == "committed":
            line.pop("secret", None)
    return book


def test_P1_a_response_has_the_count_of_the_top():
    book = led()
    book.play(1, next(cards for cards in pairs(book, 1)))
    assert refuses(book, "cannot answer")


def pairs(book, seat):
    for rank in reversed(RANKS):
        same = [card for card in book.hands[seat] if card[0] == rank]
        if len(same) >= 2:
            yield same[:2]


def test_P1_and_a_rank_at_least_as_strong():
    book = race()
    book.play(0, max(book.options(0), key=lambda cards: (-len(cards), RANKS.index(cards[0][0]))))
    low = min(book.hands[1], key=lambda card: RANKS.index(card[0]))
    book.play(1, [low])
    assert refuses(book, "cannot answer")


def test_P1_equal_rank_is_always_legal():
    book = hand_of(hand_of(race(), 0, ["5S"]), 1, ["5H"])
    book.play(0, ["5S"])
    book.play(1, ["5H"])
    assert is_good(book)


def test_P2_no_straights():
    book = hand_of(race(), 0, ["5S", "6S", "7S"])
    book.play(0, ["5S", "6S", "7S"])
    assert refuses(book, "no combination")


def test_P3_an_empty_trick_cannot_be_passed():
    book = race()
    book.emit("passed", seat=0, trick=1, by="bot")
    assert refuses(book, "empty trick")


def test_P4_a_pass_binds():
    book = led()
    book.pass_(1)
    book.play(1, [book.hands[1][0]])
    assert refuses(book, "has passed")
    book = led()
    book.pass_(1)
    book.emit("passed", seat=1, trick=1, by="bot")
    assert refuses(book, "passed already")


def test_R1_the_last_player_may_answer_their_own_play():
    book = hand_of(race(), 0, ["5S", "6S"])
    book.play(0, ["5S"])
    book.play(0, ["6S"])
    assert is_good(book)


def test_R2_one_accepted_play_a_trick_state():
    book = hand_of(hand_of(race(), 0, ["5S"]), 1, ["6H"])
    before = book.state
    book.play(0, ["5S"])
    book.state = before
    book.play(1, ["6H"])
    assert refuses(book, "the trick state is")


def test_R5_the_last_player_cannot_pass():
    book = led()
    book.emit("passed", seat=0, trick=1, by="bot")
    assert refuses(book, "last player")


def test_R6_a_closing_is_neither_missing_nor_made_up():
    book = led()
    book.emit("trick_closed", trick=1, why="passed")
    assert refuses(book, "nothing closes")
    book = led()
    book.pass_(1)
    book.emit("passed", seat=2, trick=1, by="bot")
    book.wait(1)
    book.emit("played", seat=0, cards=[book.hands[0][0]], on=book.state, trick=1, by="bot", revolution=False,
              deadline=book.at + 10_000)  # fmt: skip
    assert refuses(book, "trick_closed must follow")


@pytest.mark.parametrize("is_on", [True, False])
def test_V1_four_of_a_kind_turns_the_order(is_on):
    book = hand_of(race(on=("revolution",) if is_on else ()), 0, ["9S", "9H", "9D", "9C", "5S"])
    book.play(0, ["9S", "9H", "9D", "9C"])
    assert is_good(book)
    assert book.lines[-1]["revolution"] is is_on
    book.lines[-1]["revolution"] = not is_on
    assert refuses(book, "revolution is")


@pytest.mark.parametrize("is_on", [True, False])
def test_V2_four_of_one_rank_at_the_top_close(is_on):
    book = hand_of(hand_of(race(on=("four_closes",) if is_on else ()), 0, ["9S", "9H"]), 1, ["9D", "9C"])
    book.play(0, ["9S", "9H"])
    book.play(1, ["9D", "9C"])
    assert is_good(book)
    assert (book.lines[-2]["type"] == "trick_closed") is is_on


def test_V3_the_strongest_rank_closes_by_the_order_before_the_play():
    book = hand_of(race(on=("revolution", "strongest_closes")), 0, ["2S", "2H", "2D", "2C"])
    book.play(0, ["2S", "2H", "2D", "2C"])
    assert is_good(book)
    assert book.last("trick_closed")["why"] == "strongest"


def test_V6_the_first_reason_holds():
    on = ("four_closes", "strongest_closes")
    book = hand_of(race(on=on), 0, ["2S", "2H", "2D", "2C"])
    book.play(0, ["2S", "2H", "2D", "2C"])
    assert is_good(book)
    closed = book.last("trick_closed")
    assert closed["why"] == "four"
    closed["why"] = "strongest"
    report = verdict(book)
    assert report.seq == closed["seq"]


@pytest.mark.parametrize("by", ["person", "standin", "timer"])
def test_by_tells_who_acts_for_the_seat(by):
    book = race()
    book.play(0, book.options(0)[0], by=by)
    assert not verdict(book).ok


def test_a_stand_in_plays_by_its_rule():
    book = LogBook(kinds=["person", "person", "bot"], standin_grace_seconds=0, on=(), seed=11)
    book.connect(0)
    book.wait(1).start()
    book.stand_in(1)
    book.play(1, [max(book.hands[1], key=lambda card: RANKS.index(card[0]))])
    assert refuses(book, "by standin these would be")


def lost_race(seat=1, on=None, wait=5):
    book = led()
    book.wait(wait).lose(seat, on or book.last("trick_opened")["seq"])
    return book


def test_R4_a_lost_race_is_logged_once_a_seat_and_state():
    book = lost_race()
    assert is_good(book)
    book.lose(1, book.last("trick_opened")["seq"])
    assert refuses(book, "already")


def test_R4_not_for_the_present_state():
    book = led()
    book.past[book.state] = book.at
    book.lose(1, book.state)
    assert refuses(book, "no past state")


def test_R4_not_for_a_trick_before_the_one_just_closed():
    book = led()
    first = book.last("trick_opened")["seq"]
    book.fire()
    book.fire()
    book.fire()
    book.lose(1, first)
    assert refuses(book, "no past state")


def test_R4_not_by_who_had_passed_then_or_holds_nothing_legal():
    book = hand_of(hand_of(race(), 0, ["2S", "5S"]), 1, ["6S"])
    book.play(0, ["5S"])
    book.pass_(2)
    book.play(1, ["6S"])
    passed_before = book.state
    book.play(0, ["2S"])
    book.wait(1).lose(2, passed_before)
    assert refuses(book, "was not in the trick")
    book = hand_of(race(), 0, ["2S", "2H", "2D", "2C"])
    book.play(0, ["2S"])
    top = book.state
    book.play(0, ["2H"])
    book.wait(1).lose(1, top)
    assert refuses(book, "nothing legal")


def test_52_cards_are_dealt_each_once():
    book = race()
    dealt = book.lines[-3]
    dealt["hands"]["0"][0] = dealt["hands"]["1"][0]
    assert verdict(book).seq == dealt["seq"]
    assert sorted(DECK) == sorted(card for hand in book.hands.values() for card in hand)
