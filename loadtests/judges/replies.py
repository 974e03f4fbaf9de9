"""Acknowledgements (PROTOCOL 3.2).

What was accepted stands in the log, once; what was refused does not; every message has one reply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from loadtests.judges.case import Case, Event, Log, Message, Transcript, count_until, event_of

REPLY_WITHIN_MS = 15_000
"""So long a reply may take, a Redis that is away for a while included."""
Attempt = tuple[int, int, tuple[str, ...]]
"""Seat, trick state, cards."""


def judge_replies(case: Case) -> Iterator[str]:
    """Every connection's replies: exactly one each, behind the events it speaks of."""
    for one in case.transcripts:
        yield from _replies_of(case, one)


def _replies_of(case: Case, one: Transcript) -> Iterator[str]:
    asked = {message["id"]: (at, message) for at, message in one.sent if "id" in message and message["t"] != "ping"}
    answered: set[int] = set()
    seq, last_ms = 0, 0
    for at, message in one.received:
        last_ms = at
        if message["t"] in {"welcome", "event"}:
            seq = message["seq"]
        if message["t"] != "reply":
            continue
        if message["id"] not in asked:
            yield f"{one.named()}: a reply to {message['id']}, which was not asked"
        elif message["id"] in answered:
            yield f"{one.named()}: a second reply to {message['id']}"
        elif message["ok"] and message["seq"] > seq and one.seat is not None:
            yield f"{one.named()}: the reply to {message['id']} comes before event {message['seq']}"
        answered.add(message["id"])
    end_ms = last_ms if one.closed_ms is None else min(one.closed_ms, last_ms)
    for id_, (at, message) in asked.items():
        is_due = at + REPLY_WITHIN_MS < end_ms or (case.is_settled and one.closed_ms is None)
        if id_ not in answered and is_due and message["t"] != "leave":
            yield f"{one.named()}: no reply to {message['t']} {id_}"


def judge_plays(case: Case) -> Iterator[str]:
    """Acknowledged plays against the log, and the log's plays against what was asked."""
    played = [_plays(log) for log in case.stories]
    kept = [*(loss.kept_seq for loss in case.losses), 1 << 53]
    asked: dict[Attempt, set[str]] = {}
    for one in case.transcripts:
        outcomes = _outcomes(one)
        for id_, message in ((m["id"], m) for _, m in one.sent if m["t"] == "play"):
            outcome = outcomes.get(id_)
            attempt = (-1 if one.seat is None else one.seat, message["on"], tuple(sorted(message["cards"])))
            asked.setdefault(attempt, set()).add("open" if outcome is None else _word(outcome))
            if outcome is not None and outcome["ok"]:
                yield from _acknowledged(one, attempt, outcome, played, kept)
    yield from _unasked(case, asked, played[-1])


def judge_accepted(case: Case) -> Iterator[str]:
    """Other acknowledged intents: the decision that the reply names holds the event that was asked for."""
    for one in case.transcripts:
        outcomes = _outcomes(one)
        for _, message in one.sent:
            kind, reply = _EVENT_OF.get(message["t"]), outcomes.get(message.get("id", -1))
            if kind is None or reply is None or not reply["ok"]:
                continue
            if not any(_has_event(log, reply["seq"], kind, one.seat) for log in case.stories):
                yield f"{one.named()}: the acknowledged {message['t']} {reply['id']} is not in the log"


_EVENT_OF = {"play": "played", "pass": "passed", "give": "given", "salt": "salted"}


def _has_event(log: Log, last_seq: int, kind: str, seat: int | None) -> bool:
    last = event_of(log, last_seq)
    if last is None:
        return False
    at, place = last["at"], count_until(log, last_seq) - 1
    while place >= 0 and log[place]["at"] == at:
        event = log[place]
        if event["type"] == kind and event["from" if kind == "given" else "seat"] == seat:
            return True
        place -= 1
    return False


def _word(reply: Message) -> str:
    return "ok" if reply["ok"] else "refused"


def _outcomes(one: Transcript) -> dict[int, Message]:
    return {message["id"]: message for _, message in one.received if message["t"] == "reply"}


def _plays(log: Log) -> dict[Attempt, list[Event]]:
    found: dict[Attempt, list[Event]] = {}
    for event in log:
        if event["type"] == "played":
            found.setdefault((event["seat"], event["on"], tuple(sorted(event["cards"]))), []).append(event)
    return found


def _acknowledged(
    one: Transcript, attempt: Attempt, reply: Message, played: list[dict[Attempt, list[Event]]], kept: list[int]
) -> Iterator[str]:
    """It stands once in a story whose kept part holds it, or was in a tail that was lost with Redis."""
    found: list[list[Any]] = [plays.get(attempt, []) for plays in played]
    if not any(_is_in(plays, reply) for plays in found):
        yield f"{one.named()}: the acknowledged play {reply['id']} (seq {reply['seq']}) is not in the log"
        return
    for story, plays in enumerate(found):
        if len(plays) > 1:
            yield f"{one.named()}: the acknowledged play {reply['id']} is in the log {len(plays)} times"
        if _is_in(plays, reply) and reply["seq"] <= min(kept[story:]) and not _is_in(found[-1], reply):
            yield f"{one.named()}: the acknowledged play {reply['id']} was kept by Redis and is gone"


def _is_in(plays: list[Any], reply: Message) -> bool:
    return any(play["seq"] <= reply["seq"] and play["by"] == "person" for play in plays)


def judge_attempts(case: Case) -> Iterator[str]:
    """One gesture, one attempt (R3): a seat's plays and lost races on a trick state are no more than it asked for."""
    asked = Counter((one.seat, m["on"]) for one in case.transcripts for _, m in one.sent if m["t"] == "play")
    helped: set[int] = set()
    for event in case.log:
        kind, seat = event["type"], event.get("seat")
        if kind == "dealt":
            helped.clear()
        elif kind in {"standin_started", "leaving"}:
            helped.add(event["seat"])  # somebody else attempts for it as well
        elif seat not in helped and (kind == "race_lost" or (kind == "played" and event["by"] == "person")):
            yield from _one_less(asked, event)


def _one_less(asked: Counter[tuple[int | None, int]], event: Event) -> Iterator[str]:
    key = (event["seat"], event["on"])
    if key not in asked:
        return  # a bot's, or one that `judge_plays` looks at
    asked[key] -= 1
    if asked[key] < 0:
        yield f"log: seq {event['seq']}: an attempt of seat {event['seat']} is decided twice"


def _unasked(case: Case, asked: dict[Attempt, set[str]], played: dict[Attempt, list[Event]]) -> Iterator[str]:
    """A person's play in the log was asked for by that seat, and not refused."""
    if not case.transcripts:
        return
    for attempt, plays in played.items():
        if plays[0]["by"] != "person":
            continue
        words = asked.get(attempt)
        if words is None:
            yield f"log: seq {plays[0]['seq']} is a play that seat {attempt[0]} never asked for"
        elif words == {"refused"}:
            yield f"log: seq {plays[0]['seq']} is a play that was refused to seat {attempt[0]}"


def judge_losses(case: Case) -> Iterator[str]:
    """A restart that lost a tail lost that tail alone."""
    for number, loss in enumerate(case.losses):
        after = case.stories[number + 1]
        for event, kept in zip(after[: loss.kept_seq], loss.before, strict=False):
            if event != kept:
                yield f"log: seq {kept['seq']} was kept by Redis and is another event now"
                return
        if len(after) < loss.kept_seq:
            yield f"log: {loss.kept_seq} events were kept by Redis, {len(after)} are there"
