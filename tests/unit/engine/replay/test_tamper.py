"""One thing changed in a good log is found, at the event where the log begins to contradict the rules."""

import copy

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit.engine.replay.judge import altered, fault, verdict
from tests.unit.engine.replay.logbook import DECK, VARIANTS, LogBook, whole_game

BOOKS = [
    whole_game(seats=seats, on=on, seed=seed, rounds=2)
    for seed, (seats, on) in enumerate([(3, ()), (4, ("revolution",)), (5, VARIANTS), (6, VARIANTS[1:])])
]
BOOK = BOOKS[2]

# What the rules and the protocol determine wholly from what stands before it: a change is found at that event.
# Not here: what people are free to choose (who plays or passes what and when), names, settings without effect.
DETERMINED = {
    "committed": {"deal", "commit", "secret"},
    "game_started": {"game", "seats"},
    "dealt": {"round", "deal", "order", "hands"},
    "exchange_opened": {"round", "moves", "owes", "deadline"},
    "given": {"from", "to", "count", "by"},
    "exchange_closed": {"round", "moves"},
    "trick_opened": {"trick", "leader", "deadline"},
    "played": {"on", "trick", "by", "revolution", "deadline", "seat"},
    "passed": {"trick", "by"},
    "finished": {"seat", "penalised"},
    "trick_closed": {"trick", "why"},
    "round_ended": {"round", "deal", "standings", "roles", "points", "totals", "secret"},
    "game_ended": {"game", "why", "winners", "totals"},
}
WORDS = ("person", "bot", "standin", "timer", "president", "asshole", "neutral", "four", "passed", "rounds", "ended",
         "stopped", "any", "best", "3S", "2C")  # fmt: skip


def places(value, path=()):
    """Paths to all that stands in a field, the field itself too."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


@st.composite
def changes_of(draw, value):
    """Another value near this one: of the same type mostly, sometimes of none."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([None, 1.5, "3", -1, [], {}, 2**53, not bool(value)]))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw(st.sampled_from([-1, 1, 2, -1000, 1000]))
    if isinstance(value, str) and len(value) == 64:
        digit = draw(st.integers(0, 63))
        return value[:digit] + ("0" if value[digit] != "0" else "1") + value[digit + 1 :]
    if isinstance(value, str):
        return draw(st.sampled_from(WORDS + tuple(DECK)))
    if isinstance(value, list) and value:
        return draw(st.sampled_from([value[:-1], value + value[:1], value[1:]]))
    if isinstance(value, dict) and value:
        return dict(list(value.items())[1:])
    return [0] if value == [] else 0


def same(name, one, other):
    """Whether a reader of the protocol sees no change: the order in these lists means nothing."""
    if name in {"winners", "seats"} and isinstance(one, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return type(one) is type(other) and one == other


@given(st.data())
@settings(max_examples=500, deadline=None, derandomize=True)
def test_one_changed_field_is_found_at_its_event(data):
    book = data.draw(st.sampled_from(BOOKS))
    kind = data.draw(st.sampled_from(sorted({line["type"] for line in book.lines} & DETERMINED.keys())))
    line = data.draw(st.sampled_from([line for line in book.lines if line["type"] == kind]))
    name = data.draw(st.sampled_from(sorted(DETERMINED[kind] & line.keys())))
    value = copy.deepcopy(line[name])
    path = data.draw(st.sampled_from(list(places(value))))
    if path:
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = data.draw(changes_of(inner[path[-1]]))
    else:
        value = data.draw(changes_of(value))
    assume(not same(name, value, line[name]))
    seq, _ = fault(book, line, **{name: value})
    assert seq == line["seq"]


@given(st.data())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_a_missing_field_is_found_at_its_event(data):
    book = data.draw(st.sampled_from(BOOKS))
    line = data.draw(st.sampled_from(book.lines))
    name = data.draw(st.sampled_from(sorted(line)))
    # A log that was read while the deal was open lacks its secret.
    if (line["type"], name) != ("committed", "secret"):
        assert fault(book, line, **{name: ...})[0] == line["seq"]


@given(st.data())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_events_dropped_doubled_or_swapped_are_found_at_that_place(data):
    book = data.draw(st.sampled_from(BOOKS))
    at = data.draw(st.integers(0, len(book.lines) - 2))
    lines = list(book.lines)
    how = data.draw(st.sampled_from(["drop", "double", "swap"]))
    if how == "drop":
        del lines[at]
    elif how == "double":
        lines.insert(at, lines[at])
    else:
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    report = verdict(book, lines)
    assert not report.ok
    assert report.seq == at + (2 if how == "double" else 1)


@given(st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_a_decision_must_hold_is_missed_though_seq_was_mended(data):
    book = data.draw(st.sampled_from(BOOKS))
    due = ("finished", "trick_opened", "committed", "exchange_closed", "round_ended", "game_ended", "dealt")
    line = data.draw(st.sampled_from([line for line in book.lines if line["type"] in due]))
    lines = [copy.deepcopy(other) for other in book.lines if other is not line]
    for seq, other in enumerate(lines, 1):
        other["seq"] = seq
    report = verdict(book, lines)
    assert (report.ok, report.seq) == (False, line["seq"])


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: f"{len(book.kinds)} seats")
def test_a_card_that_is_not_held_or_does_not_answer_is_found(book):
    hands = {}
    for line in book.lines:
        if line["type"] == "dealt":
            hands = {int(seat): set(cards) for seat, cards in line["hands"].items()}
        if line["type"] == "exchange_opened":
            break
        if line["type"] == "played":
            foreign = next(card for card in DECK if card not in hands[line["seat"]])
            seq, reason = fault(book, line, cards=[foreign, *line["cards"][1:]])
            assert seq == line["seq"]
            assert "does not hold" in reason
            hands[line["seat"]] -= set(line["cards"])


def test_a_hand_changed_by_one_card_is_found_at_the_deal():
    dealt = BOOK.last("dealt")
    hands = copy.deepcopy(dealt["hands"])
    hands["0"][0], hands["1"][0] = hands["1"][0], hands["0"][0]
    seq, reason = fault(BOOK, dealt, hands=hands)
    assert (seq, "deal's secret" in reason) == (dealt["seq"], True)


def test_a_changed_salt_is_found_at_the_deal_it_salts():
    book = LogBook(kinds=["person", "bot", "bot"], seed=6)
    book.salt(0)
    book.wait(1).start()
    salted = book.last("salted")
    seq, _ = fault(book, salted, salt="0" * 32)
    assert seq == book.last("dealt")["seq"]


@pytest.mark.parametrize("delta", [-1, 1, -500, 500])
def test_one_time_that_a_deadline_hangs_on(delta):
    for kind in ("trick_opened", "played", "exchange_opened"):
        line = BOOK.last(kind)
        assert fault(BOOK, line, deadline=line["deadline"] + delta)[0] == line["seq"]
        seq, _ = fault(BOOK, line, at=line["at"] + delta)
        # A later time may be found at the next event, which is then before it.
        assert line["seq"] <= seq <= line["seq"] + 1


def race_book():
    """Seat 1 loses the race for a past state of the present trick, then for one of the trick just closed."""
    book = LogBook(seats=3, seed=8, on=())
    book.wait(1).start()
    first = book.state
    seat = book.in_round()[0]
    book.wait(10).play(seat, book.options(seat)[0])
    book.wait(7).lose(1, first)
    book.fire()
    book.wait(3).lose(2, book.last("played")["seq"])
    return book


def test_one_late_ms():
    book = race_book()
    assert verdict(book).ok
    for line in book.lines:
        if line["type"] == "race_lost":
            for late_ms in (line["late_ms"] + 1, line["late_ms"] - 1, 0):
                assert fault(book, line, late_ms=late_ms)[0] == line["seq"]
            assert fault(book, line, at=line["at"] + 1)[0] in {line["seq"], line["seq"] + 1}


def test_an_automatic_opening_belongs_to_the_seat_drawn_from_the_secret():
    book = LogBook(seats=4, seed=9)
    book.wait(1).start()
    book.fire()
    assert verdict(book).ok
    line = book.last("played", by="timer")
    hands = {int(seat): cards for seat, cards in book.last("dealt")["hands"].items()}
    other = next(seat for seat in hands if seat != line["seat"])
    book.hands = {seat: list(cards) for seat, cards in hands.items()}
    weakest = min(hands[other], key=lambda card: "3456789TJQKA2".index(card[0]))
    cards = [card for card in hands[other] if card[0] == weakest[0]]
    seq, reason = fault(book, line, seat=other, cards=cards)
    assert seq == line["seq"]
    assert "automatic opening" in reason
    # With the secret hidden it is found when the secret is shown, and the opening is named.
    lines = altered(book, line, seat=other, cards=cards)
    for event in lines:
        if event["type"] == "committed":
            del event["secret"]
    assert verdict(book, lines).ok
    ending = LogBook(seats=4, seed=9)
    secret = ending.secret.hex()
    end = [("game_ended", {"game": 1, "why": "cancelled", "winners": [], "totals": dict.fromkeys("0123", 0),
            "secret": secret}), ("lobby_opened", {}), ("table_closed", {"why": "operator"})]  # fmt: skip
    for kind, fields in end:
        lines.append({"seq": len(lines) + 1, "at": book.at, "type": kind, **fields})
    report = verdict(book, lines)
    assert (report.ok, report.seq) == (False, line["seq"])
