"""Every judge is shown a run that is fine, and the same run broken by hand in the way it is there for."""

import contextlib
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from loadtests.judges import JUDGES, Case, Loss, Transcript, judge, judge_log
from tests.simulation import run

SEEDS = range(168, 400)
"""The first of them had all that is needed when this was written; one in a hundred or so has."""
NEEDED = {
    "trick_closed timer",
    "standin_started",
    "standin_ended",
    "given",
    "salted",
    "round_ended",
    "race_lost",
    "resumed",
    "played person",
    "played bot",
}
ASKED = {"play", "pass", "give", "salt"}
"""What a run must have in it, so that there is something to break."""


def captured(seed: int) -> Case:
    """A whole run, faults and all, as the judges get it: the table with the most to it."""
    cases: list[Case] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "judge", lambda case: cases.append(case) or [])
        run.simulate(seed)
    return max(cases, key=lambda case: len(case.log))


def has_all(case: Case) -> bool:
    kinds = {event["type"] + (" timer" if event.get("why") == "timer" else "") for event in case.log}
    kinds |= {f"played {event['by']}" for event in case.log if event["type"] == "played"}
    asked = set()
    for kind in ASKED:
        with contextlib.suppress(AssertionError):
            answered(case, kind)
            asked_once(case)
            asked.add(kind)
    return kinds >= NEEDED and asked == ASKED and bool(hands_shown(case)) and not case.losses


def hands_shown(case: Case) -> list[Any]:
    """The views in which a seat holds cards."""
    welcomes = (m for one in case.transcripts for _, m in one.received if m["t"] == "welcome" and m["view"])
    return [m["view"] for m in welcomes if m["view"]["you"] and m["view"]["you"]["hand"]]


@pytest.fixture(scope="module")
def fine() -> Case:
    return next(case for case in map(captured, SEEDS) if has_all(case))


@pytest.fixture
def case(fine: Case) -> Case:
    return copy.deepcopy(fine)


def verdicts(case: Case, name: str) -> list[str]:
    return list(JUDGES[name](case))


def place(case: Case, type_: str, **fields: Any) -> int:
    """Where in the log the last event of a kind stands."""
    return next(
        index
        for index, event in reversed(list(enumerate(case.log)))
        if event["type"] == type_ and all(event.get(name) == value for name, value in fields.items())
    )


def without(case: Case, index: int) -> Case:
    """The log without an event, numbered anew."""
    log = [dict(event, seq=seq) for seq, event in enumerate((*case.log[:index], *case.log[index + 1 :]), 1)]
    return replace(case, log=log)


def longest(case: Case, *, seated: bool = True) -> Transcript:
    return max(
        (one for one in case.transcripts if (one.seat is not None) == seated),
        key=lambda one: sum(message["t"] == "event" for _, message in one.received),
    )


def only(case: Case, one: Transcript, **changed: Any) -> Case:
    return replace(case, transcripts=[replace(one, **changed)])


def all_answered(case: Case, kind: str) -> Iterator[tuple[Transcript, int, int]]:
    """Each transcript, where in it a message of a kind stands, and where the reply to it that accepts it."""
    for one in case.transcripts:
        for sent, (_, message) in enumerate(one.sent):
            for got, (_, reply) in enumerate(one.received):
                is_reply = message["t"] == kind and reply["t"] == "reply" and reply["id"] == message["id"]
                if is_reply and reply["ok"]:
                    yield one, sent, got


def answered(case: Case, kind: str) -> tuple[Transcript, int, int]:
    """The first of them."""
    found = next(all_answered(case, kind), None)
    assert found is not None, kind
    return found


def asked_once(case: Case) -> tuple[Transcript, int, int]:
    """The first play that its seat has asked for once on that state, on all of its connections."""
    asked = Counter((one.seat, m["on"]) for one in case.transcripts for _, m in one.sent if m["t"] == "play")
    for one, sent, got in all_answered(case, "play"):
        if asked[one.seat, one.sent[sent][1]["on"]] == 1:
            return one, sent, got
    raise AssertionError("play")


def test_what_is_fine_has_no_verdict(fine):
    assert judge(fine) == []
    assert judge_log(fine.log) == []
    assert fine.transcripts
    assert len({event["type"] for event in fine.log}) > 15


def test_a_gap_in_the_log(case):
    assert verdicts(replace(case, log=[*case.log[:9], *case.log[10:]]), "run")


def test_time_that_goes_back(case):
    case.log[-1]["at"] = 1
    assert verdicts(case, "run")


def test_two_plays_on_one_state(case):
    index = place(case, "played")
    log = [*case.log[: index + 1], dict(case.log[index], seq=index + 2)]
    assert "a second accepted play" in verdicts(replace(case, log=log), "one_play_a_state")[0]


def test_a_play_on_an_old_state(case):
    case.log[place(case, "played")]["on"] -= 1
    assert verdicts(case, "one_play_a_state")


def test_a_card_dealt_twice(case):
    hands = list(case.log[place(case, "dealt")]["hands"].values())
    hands[0][0] = hands[1][0]
    assert "51 different ones" in verdicts(case, "cards")[0]


def test_a_card_played_that_is_not_held(case):
    index = place(case, "played")
    others = [event for event in case.log[:index] if event["type"] == "played"]
    case.log[index]["cards"] = others[-1]["cards"]
    assert verdicts(case, "cards")


def test_a_play_too_weak(case):
    index = next(
        index
        for index, event in enumerate(case.log)
        if event["type"] == "played"
        and case.log[index - 1]["type"] == "played"
        and event["cards"][0][0] != case.log[index - 1]["cards"][0][0]
    )
    strong, weak = case.log[index - 1], case.log[index]
    strong["cards"], weak["cards"] = weak["cards"], strong["cards"]
    assert verdicts(case, "cards")


@pytest.mark.parametrize("by", ["person", "bot", "standin"])
def test_another_controller(case, by):
    event = case.log[place(case, "played", by="person" if by != "person" else "bot")]
    event["by"] = by
    assert verdicts(case, "controllers")


def test_a_standin_that_stays(case):
    found = verdicts(without(case, place(case, "standin_ended")), "controllers")
    assert any("is back and so is its stand-in" in verdict for verdict in found)


def test_a_loss_without_a_connection(case):
    back = place(case, "standin_ended") - 1
    assert case.log[back]["type"] == "connection_back"
    assert verdicts(without(case, back), "controllers")


@pytest.mark.parametrize(
    "kind, fields, name, by",
    [
        ("played", {}, "deadline", 1),
        ("trick_opened", {}, "deadline", -1),
        ("resumed", {}, "lost_ms", 1),
        ("trick_closed", {"why": "timer"}, "at", -500),
        ("standin_started", {}, "at", -500),
    ],
)
def test_a_timer_that_is_wrong(case, kind, fields, name, by):
    event = case.log[place(case, kind, **fields)]
    event[name] += by
    assert verdicts(case, "timers")


def test_a_timer_that_did_not_fire(case):
    index = place(case, "trick_closed", why="timer")
    late = {"seq": index + 1, "at": case.log[index]["at"], "type": "salted", "seat": 0, "deal": 1, "salt": ""}
    assert "overtakes the deadline" in verdicts(replace(case, log=[*case.log[:index], late]), "timers")[0]


def test_a_timer_missing_at_the_end(case):
    index = place(case, "trick_opened")
    ended = replace(case, log=case.log[: index + 1], end_ms=case.log[index]["deadline"] + case.slack_ms + 1)
    assert verdicts(ended, "timers")


def test_a_time_that_is_not_the_streams(case):
    index = place(case, "played", by="person")
    case.stamps[case.log[index]["seq"]] += 1
    assert "is stamped" in verdicts(case, "timers")[0]


def test_a_lost_race_of_a_play_that_was_accepted(case):
    index = next(i for i, one in enumerate(case.log) if one["type"] == "played" and one["by"] == "person")
    event = case.log[index]
    again = {"seq": 0, "at": event["at"], "type": "race_lost", "seat": event["seat"], "on": event["on"], "late_ms": 0}
    log = [*case.log[: index + 1], *[again] * 3, *case.log[index + 1 :]]
    assert "decided twice" in verdicts(replace(case, log=log), "attempts")[0]


def test_an_acknowledged_play_that_is_gone(case):
    one, sent, _got = asked_once(case)
    message = one.sent[sent][1]
    index = place(case, "played", seat=one.seat, on=message["on"])
    assert "is not in the log" in verdicts(without(case, index), "acknowledged")[0]


def test_an_acknowledged_play_that_stands_twice(case):
    one, sent, _got = asked_once(case)
    index = place(case, "played", seat=one.seat, on=one.sent[sent][1]["on"])
    log = [*case.log, dict(case.log[index])]
    assert "2 times" in verdicts(replace(case, log=log), "acknowledged")[0]


def test_a_refused_play_that_was_made(case):
    one, _sent, got = asked_once(case)
    one.received[got][1]["ok"] = False
    assert "refused" in verdicts(case, "acknowledged")[0]


def test_a_play_nobody_asked_for(case):
    one, sent, _got = asked_once(case)
    one.sent[sent][1]["on"] += 100_000
    assert any("never asked for" in verdict for verdict in verdicts(case, "acknowledged"))


@pytest.mark.parametrize("kind", ["pass", "give", "salt"])
def test_another_acknowledged_intent_that_is_gone(case, kind):
    one, _, got = answered(case, kind)
    one.received[got][1]["seq"] = 1
    assert verdicts(case, "accepted")


def test_a_second_reply(case):
    one, _, got = answered(case, "play")
    one.received.insert(got, one.received[got])
    assert "a second reply" in verdicts(case, "replies")[0]


def test_no_reply(case):
    one = next(one for one in case.transcripts if one.closed_ms is None and one.seat is not None)
    one.sent.append((one.opened_ms, {"t": "pass", "id": 99_999, "on": 1}))
    assert "no reply to pass" in verdicts(case, "replies")[0]


def test_a_reply_to_nothing(case):
    one, sent, _ = asked_once(case)
    del one.sent[sent]
    assert "was not asked" in verdicts(case, "replies")[0]


def test_a_reply_before_its_events(case):
    one, _, got = answered(case, "play")
    one.received[got][1]["seq"] += 1_000
    assert "comes before event" in verdicts(case, "replies")[0]


def events_in(one: Transcript) -> list[int]:
    return [index for index, (_, message) in enumerate(one.received) if message["t"] == "event"]


def test_a_missing_event(case):
    one = longest(case)
    del one.received[events_in(one)[3]]
    assert "behind" in verdicts(case, "viewers")[0]


def test_a_doubled_event(case):
    one = longest(case)
    index = events_in(one)[3]
    one.received.insert(index, one.received[index])
    assert verdicts(case, "viewers")


def test_events_in_another_order(case):
    one = longest(case)
    first, second = events_in(one)[3:5]
    one.received[first], one.received[second] = one.received[second], one.received[first]
    assert verdicts(case, "viewers")


def test_an_event_that_is_another(case):
    one = longest(case)
    one.received[events_in(one)[-1]][1]["at"] += 1
    assert "is not the log's" in verdicts(case, "viewers")[0]


def test_the_last_event_is_missing(case):
    one = next(one for one in case.transcripts if one.closed_ms is None and one.seat is not None)
    old = [index for index in events_in(one) if one.received[index][1]["at"] < case.end_ms - 6_000]
    del one.received[old[-1] :]
    assert f"of {len(case.log)}" in verdicts(replace(case, end_ms=None), "viewers")[0]


@pytest.mark.parametrize(
    "name", ["phase", "host", "order", "trick", "deadline", "revolution", "commit", "deal", "round"]
)
def test_a_view_that_is_not_the_fold(case, name):
    hands_shown(case)[0][name] = "other"
    assert name in verdicts(case, "viewers")[0]


def test_a_view_with_another_hand(case):
    hands_shown(case)[0]["you"]["hand"].pop()
    assert "you" in verdicts(case, "viewers")[0]


HIDING = [
    lambda message, card: message.update(extra={"deep": [{"list": [card]}]}),
    lambda message, card: message.update({card: 1}),
    lambda message, card: message.update(text=f"the hand is {card},2H"),
]


@pytest.mark.parametrize("hide", HIDING)
@pytest.mark.parametrize("kind", ["presence", "reply", "event", "welcome"])
def test_a_hidden_card_anywhere(case, hide, kind):
    one = longest(case)
    index = place(case, "dealt")
    seq = case.log[index]["seq"]
    card = next(hand[0] for seat, hand in case.log[index]["hands"].items() if seat != str(one.seat))
    shown = {"t": "welcome", "seq": seq} if kind == "welcome" else {"t": kind, "seq": seq, "at": 0}
    hide(shown, card)
    frames = [(0, {"t": "event", "seq": seq, "at": 0, "type": "x"}), (0, shown)]
    assert "may not know" in verdicts(only(case, one, received=frames), "hidden")[0]


def test_a_secret_before_its_time(case):
    one, event = longest(case), case.log[place(case, "committed")]
    frame = {"t": "pong", "id": 1, "now": event["secret"]}
    assert "a secret" in verdicts(only(case, one, received=[*one.received[:1], (0, frame)]), "hidden")[0]


def test_a_token_hash(case):
    one, event = longest(case), case.log[place(case, "seat_taken", kind="person")]
    frame = {"t": "pong", "id": 1, "now": event["token_hash"]}
    assert "a secret" in verdicts(only(case, one, received=[*one.received, (0, frame)]), "hidden")[0]


def test_two_connections_that_both_have_a_seat(case):
    one = longest(case)
    second = replace(one, received=[(one.received[0][0] + 1, one.received[0][1])], closed_ms=None)
    late = [*one.received, (one.received[-1][0] + 60_000, {"t": "event", "seq": 1})]
    both = replace(case, transcripts=[replace(one, received=late, closed_ms=None), second])
    assert "has the seat" in verdicts(both, "owners")[0]


def test_a_seat_that_its_token_never_had(case):
    one = longest(case)
    assert "no seat" in verdicts(only(case, one, token_hash="0" * 64), "holders")[0]


@pytest.mark.parametrize("ending", ["leaving", "seat_freed"])
def test_who_has_lost_the_seat_and_hears_on(case, ending):
    one = longest(case)
    seqs = [message["seq"] for _, message in one.received if message["t"] == "event"]
    log = [dict(event) for event in case.log]
    for event in log:
        if event["seq"] == seqs[-2]:
            event.update(type=ending, seat=one.seat, at=0)
    assert f"event {seqs[-1]} behind the end" in verdicts(replace(only(case, one), log=log), "holders")[0]


@pytest.mark.parametrize("ending", ["leaving", "seat_freed"])
@pytest.mark.parametrize("view", [None, {}])
def test_who_has_lost_the_seat_and_is_let_in_again(case, ending, view):
    one = longest(case)
    log = [*case.log, {"seq": len(case.log) + 1, "at": 0, "type": ending, "seat": one.seat}]
    back = [(0, {"t": "welcome", "seat": one.seat, "seq": len(log), "view": view})]
    assert "no seat" in verdicts(replace(only(case, one, received=back), log=log), "holders")[0]
    back[0][1]["seq"] -= 1
    assert verdicts(replace(only(case, one, received=back), log=log), "holders") == []


def test_a_person_without_a_standin_or_a_seat_that_is_wrong(case):
    seat = next(one.seat for one in case.transcripts if one.closed_ms is None and one.seat is not None)
    away = [one for one in case.transcripts if one.seat != seat]
    assert f"seat {seat} is not there" in verdicts(replace(case, transcripts=away), "lost_seats")[0]


def test_a_lost_seat_without_a_standin(case):
    index = place(case, "standin_started")
    log = case.log[:index]
    here = [seat for seat in range(6) if seat != case.log[index]["seat"]]
    there = [one for one in case.transcripts if one.seat in here]
    found = verdicts(replace(case, log=log, transcripts=there, end_ms=log[-1]["at"] + 60_000), "lost_seats")
    assert any("has no stand-in" in verdict for verdict in found)


def lost_tail(case: Case) -> tuple[list[Any], Loss]:
    """The log as it is, and one that ended otherwise: `resumed` with other words at its end."""
    seq = len(case.log)
    other = [*copy.deepcopy(list(case.log[: seq - 2])), {"seq": seq - 1, "at": case.log[-1]["at"], "type": "leaving"}]
    return list(case.log), Loss(other, seq - 2)


def test_more_than_a_tail_is_gone(case):
    log, loss = lost_tail(case)
    assert verdicts(replace(case, losses=[loss]), "losses") == []
    log[3] = dict(log[3], at=log[3]["at"] + 1)
    assert "was kept by Redis" in verdicts(replace(case, log=log, losses=[loss]), "losses")[0]


def test_a_viewer_who_was_never_told_of_a_loss(case):
    log, loss = lost_tail(case)
    view = {"t": "welcome", "seat": None, "seq": len(log) - 2, "view": None}
    frames = [(0, view), (1, {"t": "event", **loss.before[-1]})]
    sent = [(0, {"t": "hello", "v": 1, "since": len(log) - 2})]
    watcher = Transcript("w", None, sent, frames)
    assert "never told" in verdicts(replace(case, losses=[loss], transcripts=[watcher]), "viewers")[0]


def test_a_fork(case):
    log, loss = lost_tail(case)
    frames = [(1, {"t": "event", **loss.before[-1]}), (2, {"t": "event", **log[-1]})]
    assert (
        "a fork" in verdicts(replace(case, losses=[loss], transcripts=[Transcript("w", None, [], frames)]), "forks")[0]
    )


def test_an_acknowledged_play_that_redis_kept(case):
    one, sent, _ = asked_once(case)
    index = place(case, "played", seat=one.seat, on=one.sent[sent][1]["on"])
    gone = without(case, index)
    assert verdicts(replace(gone, losses=[Loss(case.log, index)]), "acknowledged") == []
    assert "kept by Redis" in verdicts(replace(gone, losses=[Loss(case.log, index + 1)]), "acknowledged")[0]


def of_each_kind(messages: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Where the first message, or event, of each kind stands."""
    return {f"{m.get('t')} {m.get('type')}": index for index, m in reversed(list(enumerate(messages)))}


def broken(message: Mapping[str, Any], name: str, *, into: Any) -> dict[str, Any]:
    """A message with a field missing (`into` is `...`) or of another type."""
    return {key: into if key == name else value for key, value in message.items() if key != name or into is not ...}


@pytest.mark.parametrize("into", [..., None, "x", [1], {"x": 1}], ids=repr)
def test_what_is_not_as_the_protocol_says_ends_no_judging(fine, into):
    """Whatever field of whatever message is missing or of another type: the judges go on to the end."""
    one = longest(fine)
    messages = [message for _, message in one.received]
    for index in of_each_kind(messages).values():
        for name in messages[index]:
            received = [*one.received]
            received[index] = (received[index][0], broken(messages[index], name, into=into))
            judge(only(fine, one, received=received))


@pytest.mark.parametrize("into", [..., None, "x", [1], {"x": 1}], ids=repr)
def test_a_log_that_is_not_as_the_protocol_says_has_a_verdict(fine, into):
    """Whichever kind of event it is. (A kind that is not known is none of theirs, so it is only ever missing.)"""
    quiet = []
    for kind, index in of_each_kind(fine.log).items():
        for name in ("seq", "at", "type") if into is ... else ("seq", "at"):
            log = [*fine.log]
            log[index] = broken(log[index], name, into=into)
            quiet += [] if judge_log(log) else [(kind, name)]
    assert quiet == []


def test_a_message_without_its_kind_is_a_verdict(fine):
    one = longest(fine)
    received = [*one.received]
    received[1] = (received[1][0], broken(received[1][1], "t", into=...))
    assert "not as PROTOCOL says: KeyError: 't'" in "".join(judge(only(fine, one, received=received)))
