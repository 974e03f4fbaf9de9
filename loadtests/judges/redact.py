"""What a viewer may see of an event: the column "hidden from" of PROTOCOL 4, read once more."""

from __future__ import annotations

from typing import Any

from loadtests.judges.case import Event


def shown(event: Event, seat: int | None) -> dict[str, Any]:
    """Return the event as a seat, or None: a spectator, is to be sent it; without `t`."""
    hide = _HIDDEN.get(event["type"])
    fields = {name: value for name, value in event.items() if name != "token_hash"}
    return fields if hide is None else hide(fields, seat)


def is_same_for_all(event: Event) -> bool:
    """Whether all viewers see the event alike."""
    return event["type"] not in _HIDDEN


def _committed(fields: dict[str, Any], _seat: int | None) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "secret"}


def _dealt(fields: dict[str, Any], seat: int | None) -> dict[str, Any]:
    hands = fields["hands"]
    own = {key: cards for key, cards in hands.items() if key == str(seat)}
    return fields | {"hands": own, "counts": {key: len(cards) for key, cards in hands.items()}}


def _moved(fields: dict[str, Any], seat: int | None) -> dict[str, Any]:
    moves = [
        move if seat is not None and seat in {move["from"], move["to"]} else _without_cards(move)
        for move in fields["moves"]
    ]
    return fields | {"moves": moves}


def _given(fields: dict[str, Any], seat: int | None) -> dict[str, Any]:
    return fields if seat is not None and fields["from"] == seat else _without_cards(fields)


def _without_cards(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "cards"}


_HIDDEN = {
    "committed": _committed,
    "dealt": _dealt,
    "exchange_opened": _moved,
    "exchange_closed": _moved,
    "given": _given,
}
