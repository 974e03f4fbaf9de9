"""No frame holds a card or a secret that its viewer may not know, wherever it may stand (PROTOCOL 3.3, 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from loadtests.judges.case import Case, Event, Log, Message, Transcript, count_until, event_of
from loadtests.judges.redact import shown

CARD = re.compile(r"(?<![0-9A-Za-z])(?:[3-9TJQKA2][SHDC])(?![0-9A-Za-z])")
SECRET = re.compile(r"[0-9a-fA-F]{64}")


def cards_in(value: object) -> set[str]:
    """Return every card that stands anywhere in a structure, in keys and inside longer text too."""
    return set(CARD.findall(_text(value)))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


class _Known:
    """What a viewer may know at each `seq`: all that the log ever showed of the present deal."""

    def __init__(self, log: Log, seat: int | None) -> None:
        self._log = log
        self._seat = seat
        self._at = 0
        self._cards: set[str] = set()

    def at(self, seq: int) -> set[str]:
        if seq < self._at:
            self._at, self._cards = 0, set()
        for event in self._log[count_until(self._log, self._at) : count_until(self._log, seq)]:
            if event["type"] == "dealt":
                self._cards = set()
            if event["type"] in _SHOWING:
                self._cards |= cards_in(shown(event, self._seat))
        self._at = max(self._at, seq)
        return self._cards


_SHOWING = {"dealt", "exchange_opened", "given", "exchange_closed", "played"}
"""Kinds with cards in them."""


def judge_hidden(case: Case) -> Iterator[str]:
    """Look through every frame of every viewer."""
    secrets = _secrets(case)
    clean: set[tuple[int | None, int, int]] = set()
    for one in case.transcripts:
        known = [_Known(log, one.seat) for log in case.stories]
        seq = 0
        for _, message in one.received:
            if message["t"] in {"welcome", "event"}:
                seq = message["seq"]
            key = (one.seat, seq, message["at"]) if message["t"] == "event" else None
            if key is not None and key in clean and _is_as_shown(case, one, message):
                continue
            yield from _look(one, message, seq, known, secrets)
            if key is not None:
                clean.add(key)


def _is_as_shown(case: Case, one: Transcript, message: Message) -> bool:
    """An event that is exactly what this viewer may see was looked through once already."""
    events = (event_of(log, message["seq"]) for log in case.stories)
    return any(event is not None and {"t": "event", **shown(event, one.seat)} == message for event in events)


def _look(one: Transcript, message: Message, seq: int, known: list[_Known], secrets: dict[str, Event]) -> Iterator[str]:
    text = _text(message)
    cards = set(CARD.findall(text))
    if cards:
        hidden = min((cards - story.at(seq) for story in known), key=len)
        if hidden:
            yield f"{one.named()}: a frame ({message['t']} at {seq}) holds {len(hidden)} cards it may not know"
    for secret in SECRET.findall(text):
        ends = secrets.get(secret)
        if ends is not None and (ends["type"] == "token_hash" or seq < ends["seq"]):
            yield f"{one.named()}: a frame ({message['t']} at {seq}) holds a secret"


def _secrets(case: Case) -> dict[str, Event]:
    """Each secret of the logs with the event that shows it; token hashes never are."""
    found: dict[str, Event] = {}
    for log in case.stories:
        for event in log:
            if event.get("token_hash"):
                found[event["token_hash"]] = {"type": "token_hash"}
            if event["type"] == "committed" and event.get("secret"):
                found.setdefault(event["secret"], {"type": "never", "seq": 1 << 53})
        for event in log:
            if event["type"] in {"round_ended", "game_ended"} and event.get("secret"):
                # In another story of the same deal it may have been shown earlier.
                found[event["secret"]] = min(found[event["secret"]], event, key=lambda one: one.get("seq", 0))
    return found
