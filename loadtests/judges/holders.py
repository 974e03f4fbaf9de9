"""A seat's connection is that of who holds the seat: a token is void from the moment the seat is lost (PROTOCOL 3.2).

What the other judges say of a seat's frames holds for whoever sits there; this one asks whether it is the same person.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loadtests.judges.case import Case, Log, Message, Transcript

ENDS = {"leaving", "seat_freed"}


@dataclass(frozen=True)
class Tenure:
    """From which event on a token had its seat, and which one ended that, with its time."""

    begin: int
    end: float
    end_at: int | None


def judge_holders(case: Case) -> Iterator[str]:
    """Every connection whose token's hash is known is welcomed while that has the seat, and told of nothing behind."""
    known: dict[tuple[int, str], list[Tenure]] = {}
    for one in case.transcripts:
        if one.seat is None or one.token_hash is None:
            continue
        key = (one.seat, one.token_hash)
        if key not in known:
            known[key] = [tenure for log in case.stories for tenure in _tenures(log, *key)]
        yield from _judge(one, known[key])


def _tenures(log: Log, seat: int, token_hash: str) -> Iterator[Tenure]:
    begin = None
    for event in log:
        if event.get("seat") != seat:
            continue
        if event["type"] == "seat_taken" and event.get("token_hash") == token_hash:
            begin = event["seq"]
        elif event["type"] in ENDS and begin is not None:
            yield Tenure(begin, event["seq"], event["at"])
            return
    if begin is not None:
        yield Tenure(begin, math.inf, None)


def _judge(one: Transcript, tenures: list[Tenure]) -> Iterator[str]:
    for _, message in one.received:
        if message["t"] == "welcome" and not any(_may_welcome(message, tenure) for tenure in tenures):
            yield f"{one.named()}: welcomed at {message['seq']}, where its token has no seat"
        elif message["t"] == "event" and not any(_may_hear(message, tenure) for tenure in tenures):
            yield f"{one.named()}: is sent event {message['seq']} behind the end of its seat"
            return


def _may_welcome(message: Message, tenure: Tenure) -> bool:
    return tenure.begin <= message["seq"] < tenure.end


def _may_hear(message: Message, tenure: Tenure) -> bool:
    """A decision is sent whole: what stands behind the end in it has the same time."""
    return message["seq"] <= tenure.end or message["at"] == tenure.end_at
