"""What a racer does with what it knows: the weakest legal play; else a pass."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from loadtests.faults.follower import Follower

RANKS = "3456789TJQKA2"
PLAYERS = 4

Asked = dict[str, Any]
"""A message of PROTOCOL 3.1 without its id."""


def choose(known: Follower, *, is_finishing: bool) -> Asked | None:
    """Return what to ask for now, None if there is nothing to do. `is_finishing`: the host ends the game."""
    is_host = known.seat == known.host
    if known.phase == "lobby" and is_host and len(known.connected) == PLAYERS:
        return {"t": "host", "do": "start"}
    if known.phase == "results" and is_host:
        return {"t": "host", "do": "end_game" if is_finishing else "next_round"}
    if known.phase == "exchange" and known.owes:
        return {"t": "give", "round": known.round, "cards": sorted(known.hand)[: known.owes]}
    if known.phase == "playing" and known.trick is not None and known.hand and known.seat not in known.passed:
        return _move(known)
    return None


def _move(known: Follower) -> Asked | None:
    cards = _weakest(known)
    if cards:
        return {"t": "play", "on": known.trick, "cards": cards}
    if known.top is not None and known.top[0] != known.seat:
        return {"t": "pass", "on": known.trick}
    return None


def _weakest(known: Follower) -> list[str]:
    by_rank: defaultdict[int, list[str]] = defaultdict(list)
    for card in known.hand:
        by_rank[_strength(card, is_turned=known.is_turned)].append(card)
    if known.top is None:
        return by_rank[min(by_rank)]
    top = known.top[1]
    least = _strength(top[0], is_turned=known.is_turned)
    fits = [strength for strength, cards in by_rank.items() if len(cards) >= len(top) and strength >= least]
    return by_rank[min(fits)][: len(top)] if fits else []


def _strength(card: str, *, is_turned: bool) -> int:
    strength = RANKS.index(card[0])
    return -strength if is_turned else strength
