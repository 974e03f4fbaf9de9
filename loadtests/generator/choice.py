"""What is done next at a table: salts first, then what the phase asks for."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from typing import Any

from loadtests.generator.fold import Fold, Holder

Asked = dict[str, Any]
"""A message of PROTOCOL 3.1 without its id."""
Move = tuple[Holder, Asked]


def choose(fold: Fold, rng: random.Random, contention: int, *, is_finishing: bool) -> Sequence[Move]:
    """Return who asks for what now, several seats if they race; none if there is nothing to do.

    `is_finishing`: the host ends the game when the round has ended.
    """
    if fold.salts_due:
        holder = next(holder for holder in fold.holders if holder.salt_due is not None)
        return ((holder, {"t": "salt", "deal": holder.salt_due, "salt": secrets.token_hex(16)}),)
    if fold.phase == "playing":
        return _move(fold, rng, contention) if fold.state else ()
    if fold.phase == "exchange":
        return _give(fold)
    do = _host_does(fold, is_finishing=is_finishing)
    return ((fold.holders[0], {"t": "host", "do": do}),) if do is not None else ()


def _give(fold: Fold) -> Sequence[Move]:
    if not fold.owing:
        return ()
    holder = next(holder for holder in fold.holders if holder.owes)
    return ((holder, {"t": "give", "round": fold.round, "cards": holder.hand.weakest(holder.owes)}),)


def _host_does(fold: Fold, *, is_finishing: bool) -> str | None:
    if fold.phase == "results":
        return "end_game" if is_finishing else "next_round"
    if fold.phase == "lobby" and fold.connected == len(fold.holders) and not is_finishing:
        return "start"
    return None


def _move(fold: Fold, rng: random.Random, contention: int) -> Sequence[Move]:
    """The weakest play of the first seats that have one; else a pass that is due."""
    holders, count = fold.holders, len(fold.holders)
    first = rng.randrange(count)
    found: list[Move] = []
    for step in range(count):
        holder = holders[(first + step) % count]
        if holder.has_passed or not holder.hand.size:
            continue
        cards = holder.hand.answer(fold.top, is_turned=fold.is_turned)
        if cards:
            found.append((holder, {"t": "play", "on": fold.state, "cards": cards}))
            if len(found) == contention:
                break
    return found or _pass(fold)


def _pass(fold: Fold) -> Sequence[Move]:
    for holder in fold.holders:
        if not holder.has_passed and holder.hand.size and holder.number != fold.last:
            return ((holder, {"t": "pass", "on": fold.state}),)
    return ()
