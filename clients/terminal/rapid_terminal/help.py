"""What a player may type at a table (`?`): only what its rules and its mode have, said as they mean it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rapid_client import View
from rapid_client.cards import has_jokers, has_wild, is_spanish
from rapid_client.fold import passes_bind

from . import words

COLUMNS = (14, 18)
EXCHANGES = {
    "president": "return cards of your choice to who had to give you theirs",
    "presi": "give your best or your worst cards, as you are told; they move once all have given",
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
    return [f"Type a line and hit Enter. {how}", *(_row(*row) for row in rows)]


def _row(where: str, keys: str, text: str) -> str:
    return f"{where:<{COLUMNS[0]}}{keys:<{COLUMNS[1]}}{text}".rstrip()


def _in_a_trick(settings: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if is_spanish(settings):
        yield "in a trick", "7 · 77 · 12 12", "play by rank: 1 ace, 10 jack, 11 knight, 12 king; by name too: 7O, 12B"
    else:
        yield "in a trick", "7 · 77 · q q", "play by rank, t is a ten; cards by name too: 7S"
    yield from (("", keys, text) for keys, text in _special(settings))
    yield "", "", f"an answer is {_answer(settings)}"
    yield "", "p", f"pass: {passing(settings)}"


def _special(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    options = settings.get("options", {})
    if has_jokers(settings) and options.get("joker") != "wild":
        yield "* · **", "a joker, two jokers: higher than everything"
    if has_wild(settings):
        joker, two = options.get("joker") == "wild" and has_jokers(settings), bool(options.get("wild_twos"))
        which = "jokers and twos are" if joker and two else "a joker is" if joker else "a two is"
        sign, card = ("*", "*1") if joker else ("2", "2C")
        yield f"3 {sign} · {sign} =12", f"{which} wild: beside other cards of their rank, alone say which"
        yield f"{card}=12B", "or by name, with the card that it stands for"
    if options.get("killer"):
        yield "2o", "the two of coins, played alone, takes any trick"


def _answer(settings: Mapping[str, Any]) -> str:
    """P1, 4.1, 5.1 and the options that change it."""
    options, ruleset = settings.get("options", {}), settings.get("ruleset")
    is_strict = options.get("must_beat") or (ruleset in {"house", "escoria"} and not options.get("equal"))
    rank = "a higher rank" if is_strict else "the same rank or a higher one"
    more = {
        "higher": ", or more cards of a higher rank",
        "any": ", or more cards of any rank",
    }.get(options.get("larger_sets", "off"), "")
    return f"as many cards of {rank}{more}"


def passing(settings: Mapping[str, Any]) -> str:
    """What a pass means here (P4, 4.3, RULES 7)."""
    if passes_bind(settings):
        return "out of this trick, back in with the next"
    if settings.get("mode") == "turns":
        return "for this turn only; when the turn comes back in this trick you may play again"
    return "on this play only; with the next play you are back in"


def _elsewhere(view: View) -> Iterator[tuple[str, str, str]]:
    settings = view.settings
    ruleset, options = settings.get("ruleset", ""), settings.get("options", {})
    in_steps = ruleset in {"house", "escoria"} or options.get("exchange") == "one_free"
    if not options.get("fresh_hands"):
        yield "exchange", "3 4", EXCHANGES.get("steps" if in_steps else ruleset, "give cards")
    yield "host", "s start · n next round · e end the game · r play again · l to the lobby", ""
    yield "", "a [easy|normal|hard] add a bot · kick SEAT · set NAME VALUE", ""
    yield "any time", "react 🔥 (or 1 to 8) · v look again · rules the rules of this table · ? help", ""
    yield "", "x leave · quit" + (f" ({words.kept_seat(view)})" if view.you else ""), ""
    if settings.get("disconnect") == "wait":
        yield "lost", f"in a game a seat whose connection is lost is {words.AWAITED}", ""
    yield "watching", "j take a free seat", ""
