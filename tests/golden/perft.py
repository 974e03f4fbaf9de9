"""Legal lines counted to a fixed depth: how many ways the first accepted plays and passes may go.

From a fixed position every seat tries everything: each of its card sets of one rank, a pass,
and the timer runs out. What is accepted is a line; each line is gone on from. Counts of
another engine, or of this one after a change, must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rapid.cards.cardset import members, of_rank
from rapid.cards.deck import FRENCH_52, Deck
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.decide import decide
from rapid.engine.state import State
from rapid.engine.timers import fire_due
from tests.rules.table import VARIANTS, dealt

POSITIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "three_seats": (("3S 3H 7S 2D", "5S 5H 5D 9S", "4S 4H 8H AD"), ("revolution",)),
    "four_seats": (("3S 7S 7H", "5S 9S 9D", "4S 8H 2C", "6S JD JC"), ("revolution",)),
    "a_revolution": (("3S 3H 3D 3C KS", "5S 5H 5D 5C", "4S 8H 2D"), ("revolution",)),
    "all_variants": (("2S 2H 3D", "5S 5H 5D 5C", "3S 2D 9S"), VARIANTS[:4]),
    "short_hands": (("3S", "4S 4H", "2D", "5S 6S"), VARIANTS[:4]),
}
DEPTH = 4


def counts(name: str) -> str:
    """Return the line of a position: its name and the number of lines of 1, 2, … steps."""
    hands, variants = POSITIONS[name]
    state = dealt(*hands, variants=variants).state
    return f"{name} " + " ".join(str(perft(state, depth)) for depth in range(1, DEPTH + 1))


def perft(state: State, depth: int) -> int:
    """Return the number of lines of `depth` accepted steps from here."""
    if depth == 0:
        return 1
    return sum(perft(following, depth - 1) for following in successors(state))


def successors(state: State) -> Iterator[State]:
    """Yield what every accepted step leads to."""
    if state.trick is None or state.round is None:
        return
    on, at = state.trick.state, state.at + 1
    for seat in state.round.order:
        for cards in card_choices(state.round.hands[seat]):
            outcome = decide(state, do.Play(seat=seat, on=on, cards=cards), at)
            if outcome.refusal is None:
                yield outcome.state
        outcome = decide(state, do.Pass(seat=seat, on=on), at)
        if outcome.refusal is None:
            yield outcome.state
    assert state.deadline is not None
    fired = fire_due(state, state.deadline)
    assert fired is not None
    assert isinstance(fired.events[0], ev.TrickClosed | ev.Played)
    yield fired.state


def card_choices(hand: int, deck: Deck = FRENCH_52) -> Iterator[tuple[str, ...]]:
    """Yield every set of one to four cards of one rank in the hand, as names."""
    for rank in range(len(deck.ranks)):
        held = list(members(of_rank(hand, rank)))
        for count in range(1, len(held) + 1):
            for chosen in combinations(held, count):
                yield tuple(deck.names[card] for card in chosen)
