"""What a player may type at a table (`?`): only what its rules and its mode have, said as they mean it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rapid_client import View
from rapid_client.cards import has_jokers, has_wild, is_spanish

from . import words
from .facts import facts_of
from .rules import answer, passing
from .styles import row

COLUMNS = (14, 18)
EXCHANGES = {
    "taken": "return cards of your choice to who had to give you theirs",
    "checked": "give your best or your worst cards, as you are told; they move once all have given",
    "steps": "two steps: the last gives its highest card, then the President returns any card",
}


def help_lines(view: View) -> list[str]:
    """All commands, a line each."""
    settings = view.settings
    how = (
        "You play when it is your turn."
        if settings.get("mode") == "turns"
        else "Nobody waits for a turn in a race: the first play to arrive counts."
    )
    rows = [*_in_a_trick(settings), *_elsewhere(view)]
    return [f"Type a line and hit Enter. {how}", *(row(cells, COLUMNS) for cells in rows)]


def _in_a_trick(settings: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if is_spanish(settings):
        yield "in a trick", "7 · 77 · 12 12", "play by rank: 1 ace, 10 jack, 11 knight, 12 king; by name too: 7O, 12B"
    else:
        yield "in a trick", "7 · 77 · q q", "play by rank, t is a ten; cards by name too: 7S"
    yield from (("", keys, text) for keys, text in _special(settings))
    yield "", "", f"an answer is {answer(settings)}"
    yield "", "p", f"pass: {passing(settings)}"


def _special(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    options = settings.get("options", {})
    if has_jokers(settings) and options.get("joker") != "wild":
        yield "* · **", "a joker, two jokers: higher than everything"
    if has_wild(settings):
        joker, two = options.get("joker") == "wild" and has_jokers(settings), bool(options.get("wild_twos"))
        which = "jokers and twos are" if joker and two else "a joker is" if joker else "a two is"
        sign, card = ("*", "*1") if joker else ("2", "2C")
        yield f"3 {sign} · {sign}=12", f"{which} wild: beside other cards of their rank, alone say which"
        yield f"{card}=12B", "or by name, with the card that it stands for"
    if options.get("killer"):
        yield "2o", "the two of coins, played alone, takes any trick"


def _elsewhere(view: View) -> Iterator[tuple[str, str, str]]:
    settings = view.settings
    exchange = facts_of(settings).exchange
    if exchange in EXCHANGES:
        yield "exchange", "3 4", EXCHANGES[exchange]
    yield "host", "s start · n next round · e end the game · r play again · l to the lobby", ""
    yield "", "a add a bot · a easy, a normal, a hard one that plays so · kick NAME or NUMBER", ""
    yield "", "set NAME VALUE · set NAME what it can be · set all settings", ""
    yield "any time", "react 🔥 (or 1 to 8) · v look again · rules the rules of this table · ? help", ""
    yield "", "x leave · quit" + (f" ({words.kept_seat(view)})" if view.you else ""), ""
    if settings.get("disconnect") == "wait":
        yield "lost", f"in a game a seat whose connection is lost is {words.AWAITED}", ""
    yield "watching", "j take a free seat", ""
