"""What a racer does on the view it has: the weakest legal play, at once; else a pass."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rapid_client import View

RANKS = "3456789TJQKA2"
PLAYERS = 4

Asked = dict[str, Any]
"""A message of PROTOCOL 3.1 without its id."""


def choose(view: View, *, is_finishing: bool) -> Asked | None:
    """Return what to ask for now, None if there is nothing to do. `is_finishing`: the host ends the game."""
    if view.you is None:
        return None
    if view.phase == "lobby" and view.is_host and sum(seat.connected for seat in view.seats) == PLAYERS:
        return {"t": "host", "do": "start"}
    if view.phase == "results" and view.is_host:
        return {"t": "host", "do": "end_game" if is_finishing else "next_round"}
    if view.phase == "exchange" and view.you.owes is not None:
        return {"t": "give", "round": view.round, "cards": list(view.you.hand[: view.you.owes.count])}
    return _move(view) if view.may_act else None


def _move(view: View) -> Asked | None:
    trick, you = view.trick, view.you
    assert trick is not None
    assert you is not None
    cards = _weakest(view)
    if cards:
        return {"t": "play", "on": trick.state, "cards": cards}
    if trick.top is not None and trick.top.seat != you.seat:
        return {"t": "pass", "on": trick.state}
    return None


def _weakest(view: View) -> list[str]:
    assert view.trick is not None
    assert view.you is not None
    by_rank: defaultdict[int, list[str]] = defaultdict(list)
    for card in view.you.hand:
        by_rank[_strength(card, is_turned=view.revolution)].append(card)
    top = view.trick.top
    for strength, cards in sorted(by_rank.items()):
        if top is None:
            return cards
        if len(cards) >= len(top.cards) and strength >= _strength(top.cards[0], is_turned=view.revolution):
            return cards[: len(top.cards)]
    return []


def _strength(card: str, *, is_turned: bool) -> int:
    strength = RANKS.index(card[0])
    return -strength if is_turned else strength
