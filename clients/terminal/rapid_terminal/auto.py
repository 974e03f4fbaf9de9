"""Playing by itself: the weakest play that may be legal, at once. It offers attempts in the order to try them.

The server decides what is legal; where a ruleset allows less than is thought here, the next attempt is offered.
"""

from __future__ import annotations

from collections import defaultdict

from rapid_client import View
from rapid_client.cards import by_strength, rank_of, strength

from .commands import Command, Give, Host, Play, Simple


def attempts(view: View) -> list[Command]:
    """What to try in this situation, best first; empty: wait."""
    if view.phase == "lobby":
        return [Host("start")] if view.is_host else []
    if view.phase == "results":
        return [Host("next_round")] if view.is_host else []
    if view.phase == "exchange":
        return _gifts(view)
    return _plays(view) if view.may_act else []


def _gifts(view: View) -> list[Command]:
    if view.you is None or view.you.owes is None:
        return []
    owes = view.you.owes
    hand = by_strength(view.you.hand, view.settings)
    return [Give(hand[-owes.count :] if owes.pick == "best" else hand[: owes.count])]


def _plays(view: View) -> list[Command]:
    if view.you is None or view.trick is None:
        return []
    sets: defaultdict[str, list[str]] = defaultdict(list)
    for card in by_strength(view.you.hand, view.settings, revolution=view.revolution):
        sets[rank_of(card)].append(card)
    top = view.trick.top
    if top is None:
        return [Play(tuple(cards[:4])) for cards in sets.values()]
    if top.seat == view.you.seat:
        return []
    return [*_answers(view, sets, top.cards), Simple("pass")]


def _answers(view: View, sets: dict[str, list[str]], top: tuple[str, ...]) -> list[Command]:
    count = len(top)
    least = max(strength(rank_of(card), view.settings, revolution=view.revolution) for card in top)
    return [
        Play(tuple(cards[:count]))
        for rank, cards in sets.items()
        if len(cards) >= count
        and strength(rank, view.settings, revolution=view.revolution) >= least
        and view.must_rank in {None, rank}
    ]
