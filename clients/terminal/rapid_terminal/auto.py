"""Playing by itself: the weakest play that may be legal, at once. It offers attempts in the order to try them.

The server decides what is legal; where a ruleset allows less than is thought here, the next attempt is offered.
"""

from __future__ import annotations

from collections import defaultdict

from rapid_client import View
from rapid_client.cards import KILLER, by_strength, declared, is_wild, rank_of, ranks, strength

from .commands import Command, Give, Host, Play, Simple

MOST = 4
"""Cards of a combination."""


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
    hand = by_strength(view.you.hand, view.settings, revolution=view.revolution)
    wild = tuple(card for card in hand if is_wild(card, view.settings))
    sets: defaultdict[str, list[str]] = defaultdict(list)
    for card in hand:
        if card not in wild:
            sets[rank_of(card)].append(card)
    top = view.trick.top
    if top is None:
        led = [Play(tuple(cards[:MOST])) for cards in sets.values()]
        return [*led, *_as_strongest(view, wild[:1])]
    if top.seat == view.you.seat:
        return []
    return [*_answers(view, sets, wild, top.cards), *_killer(view, top.cards), Simple("pass")]


def _answers(view: View, sets: dict[str, list[str]], wild: tuple[str, ...], top: tuple[str, ...]) -> list[Command]:
    """As many of a rank that is strong enough, wild ones beside them where they are short; wild ones alone last."""
    count = len(top)
    least = max(strength(rank_of(card), view.settings, revolution=view.revolution) for card in top)
    plain = [
        Play(declared((*cards[:count], *wild[: max(0, count - len(cards))]), rank, view.settings))
        for rank, cards in sets.items()
        if len(cards) + len(wild) >= count
        and strength(rank, view.settings, revolution=view.revolution) >= least
        and view.must_rank in {None, rank}
    ]
    plain.sort(key=lambda play: sum("=" in card for card in play.cards))
    return [*plain, *(_as_strongest(view, wild[:count]) if len(wild) >= count else [])]


def _as_strongest(view: View, wild: tuple[str, ...]) -> list[Play]:
    order = ranks(view.settings, revolution=view.revolution)
    return [Play(declared(wild, order[-1], view.settings))] if wild else []


def _killer(view: View, top: tuple[str, ...]) -> list[Play]:
    """The card that takes any trick alone, where a single would not be an answer (3.5)."""
    has_killer = view.you is not None and KILLER in view.you.hand and view.settings.get("options", {}).get("killer")
    return [Play((KILLER,))] if has_killer and len(top) > 1 else []
