"""Facts and refusals in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rapid_client import View
from rapid_client.cards import by_strength, held, rank_of, ranks, shown
from rapid_client.view import IN_GAME, Seat

REFUSALS = {
    "malformed": "the server did not understand it",
    "rate_limited": "too fast, slow down",
    "unavailable": "the server cannot take it just now, try again",
    "spectator": "spectators only watch",
    "not_host": "only the host may",
    "wrong_phase": "not now",
    "not_your_cards": "those cards are not in your hand",
    "not_a_combination": "one to four cards of one rank, please",
    "stale": "the trick had moved on",
    "not_in_round": "you are out of this round",
    "already_passed": "you have passed already",
    "not_your_turn": "it is not your turn",
    "wrong_count": "play as many cards as lie there",
    "must_match_rank": "the same rank, or pass",
    "too_weak": "too weak",
    "empty_trick": "an empty trick cannot be passed",
    "last_player": "the last play is yours, you cannot pass on it",
    "nothing_owed": "you owe nothing",
    "already_given": "already given",
    "wrong_cards": "not the cards that are due",
    "too_few": "too few seats for a game",
    "full": "the table is full",
    "no_such_seat": "there is no such seat",
    "bad_settings": "these settings do not work",
}
CLOSINGS = {
    "round_over": "the round is over",
    "killer": "the two of coins takes it",
    "four": "four of a kind lie there",
    "strongest": "nothing is stronger",
    "finish": "a hand is empty",
    "passed": "nobody else answered",
    "timer": "time is up",
}
ENDINGS = {
    "rounds": "all rounds are played",
    "target": "the target is reached",
    "ended": "the host ended the game",
    "stopped": "the host stopped the game: no winner",
    "interrupted": "too few seats are left: no winner",
    "cancelled": "cancelled, no winner",
}
TABLE_ENDS = {"empty": "nobody is left", "idle": "nobody was there", "operator": "closed by the operator"}
TITLES = {
    "president": "President",
    "vice_president": "Vice-president",
    "neutral": "Neutral",
    "upper_neutral": "Upper neutral",
    "lower_neutral": "Lower neutral",
    "vice_asshole": "Vice-underdog",
    "asshole": "Underdog",
    "vice_culo": "Vice-underdog",
    "culo": "Underdog",
    "vice_scum": "Vice-underdog",
    "scum": "Underdog",
    "super_scum": "Super underdog",
}
"""As the web client has them."""
HOW = "Type the ranks you play: 7, or 77 for two sevens. p passes, rules shows the rules, ? all you can type."
DEALS = 3
"""Rounds of a game that has neither their number nor points as its end (4.6)."""
AWAITED_S = 60
"""3.10."""
AWAITED = f"awaited for {AWAITED_S} s, then the game is cancelled"
BY = {"bot": " (bot)", "standin": " (stand-in)", "timer": " (time was up)"}


def refusal(why: str | None, settings: Mapping[str, Any]) -> str:
    """Why a request was refused, in words; a code not known stands for itself."""
    if why == "wrong_count" and settings.get("options", {}).get("larger_sets", "off") != "off":
        return "play at least as many cards as lie there"
    return REFUSALS.get(why or "", why or "refused")


def role(key: str | None) -> str:
    """The title of a role; of a place that has none, the place: `place_3` → `Place 3`."""
    return TITLES.get(key or "") or (key or "").replace("_", " ").capitalize()


def seat(number: int) -> str:
    """A chair in words. People count them from 1, as the names of bots do."""
    return f"seat {number + 1}"


def name(view: View, number: int) -> str:
    """The name at a seat; the seat once it is free."""
    taken = view.seat(number)
    return taken.name if taken else seat(number)


def numbered(taken: Seat) -> str:
    """A name behind the number by which its seat may be called."""
    return f"{taken.seat + 1}. {taken.name}"


def cards(played: Iterable[str]) -> str:
    """Cards of a play by rank: `7 7`; a wild one with what it is: `7 7(*)`."""
    return " ".join(sorted(map(_played, played))) or "-"


def _played(card: str) -> str:
    return rank_of(card) if held(card) == card else f"{rank_of(card)}({rank_of(held(card))})"


def hand(held_cards: Iterable[str], settings: Mapping[str, Any], *, revolution: bool) -> str:
    """A hand, weakest rank first in the present order, equal ranks together: `3  77  K  2222`.

    The two of coins and jokers, which are cards of their own, stand by their full names.
    """
    groups = hand_groups(held_cards, settings, revolution=revolution)
    return "  ".join(text for text, _ in groups) or "empty"


def hand_groups(
    held_cards: Iterable[str], settings: Mapping[str, Any], *, revolution: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """The sets of a hand in that order, each as text and as cards."""
    sets: dict[str, list[str]] = {}
    for card in by_strength(held_cards, settings, revolution=revolution):
        sets.setdefault(_label(card), []).append(card)
    # `77` reads well; where ranks go to 12, `1111` would not say whether it is two knights or four aces.
    between = "" if "T" in ranks(settings) else " "
    return [(between.join([label] * len(same)), tuple(same)) for label, same in sets.items()]


def _label(card: str) -> str:
    return shown(card) if card == "2O" or card.startswith("*") else rank_of(card)


def awaits(view: View) -> bool:
    """Whether a seat that is lost now is awaited (3.10), not played by a stand-in."""
    return view.phase in IN_GAME and view.settings.get("disconnect") == "wait"


def is_awaited(view: View, seat: Seat) -> bool:
    """Whether that seat is: all of a person who may come back."""
    return awaits(view) and seat.kind == "person" and not seat.connected and not seat.leaving


def kept_seat(view: View) -> str:
    """What becomes of the seat of somebody who quits."""
    if awaits(view):
        return f"the seat is {AWAITED}"
    return "the seat stays yours" + (", a stand-in plays" if view.phase in IN_GAME else "")


def dear(view: View) -> str:
    """Said to somebody who would leave a game with one letter."""
    kept = f": it is {AWAITED}" if awaits(view) else ""
    return f"leaving a game is for good: type leave to do so, or quit to keep the seat{kept}"


def due(number: int, pick: str, *, is_own: bool = False) -> str:
    """Cards that are owed: `any 2 cards`, `the best card`; one's own: `2 cards of your choice`."""
    which = {"best": "best ", "worst": "worst "}.get(pick)
    if which is None:
        return f"{count(number)} of your choice" if is_own else "any card" if number == 1 else f"any {number} cards"
    whose = "your" if is_own else "the"
    return f"{whose} {which}card" if number == 1 else f"{whose} {number} {which}cards"


def count(number: int) -> str:
    """So many cards."""
    return f"{number} card{'s' if number != 1 else ''}"


def late(late_ms: int) -> str:
    """By how much a race was lost."""
    return f"{late_ms} ms" if late_ms else "less than 1 ms"


def seconds(left: float | None) -> str:
    """A rest of time."""
    return "no timer" if left is None else f"{left:.1f} s"
