"""What a player types, one line a command (`?` shows them all)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rapid_client import View
from rapid_client.cards import JOKER, declared, held, in_order, is_spanish, is_wild, rank_of, ranks

from . import words
from .settings import NOBODY, Rulesets
from .whom import SEAT_SIGN, seat_called

REACTIONS = "👍👏😂😮😢😡🔥🎉"
LEVELS = ("easy", "normal", "hard")
IN_ROUND = frozenset({"exchange", "playing"})


@dataclass(frozen=True, slots=True)
class Play:
    """Lay these cards."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Give:
    """Return these cards."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Host:
    """A host's command with its fields."""

    do: str
    fields: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class React:
    """Show a reaction."""

    emoji: str


@dataclass(frozen=True, slots=True)
class Simple:
    """A command of one word: `pass leave quit help look rules join`."""

    word: str


@dataclass(frozen=True, slots=True)
class Explain:
    """Tell what a setting is and can be; without a name, all of them."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What was typed means nothing here; `text` says why. `about` is a setting that is to be explained then."""

    text: str
    about: str = ""


Command = Play | Give | Host | React | Simple | Explain | Mistake

# Numbers that no encoding chokes on: what is none goes as text, which the server refuses by the setting's name.
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_ASSIGNED = re.compile(r"^([^\s=]+)\s*=\s*")
_SUITS = "SHDCOEB"
_JOKER = re.compile(r"\*[0-9]")
_SIMPLE = {"p": "pass", "leave": "leave", "quit": "quit", "?": "help", "v": "look", "rules": "rules"}
_HOST = {"s": "start", "n": "next_round", "e": "end_game", "r": "play_again", "l": "to_lobby"}


def parse(line: str, view: View, rulesets: Rulesets | None = None) -> Command | None:
    """The command in a line, as the view makes it mean; None for an empty line. `rulesets` knows the settings.

    `a` is an ace while cards are on the table, and a bot elsewhere; `j` is a jack for those who have a seat.
    """
    typed = line.split()
    if not typed:
        return None
    first, rest = typed[0].lower(), typed[1:]
    if first in _SIMPLE and not rest:
        return Simple(_SIMPLE[first])
    if first in _HOST and not rest:
        return Host(_HOST[first])
    if first == "x" and not rest:
        is_dear = view.you is not None and view.phase in IN_ROUND
        return Mistake(words.dear(view)) if is_dear else Simple("leave")
    if first == "j" and not rest and (view.you is None or view.phase not in IN_ROUND):
        return Simple("join")
    if first == "a" and view.phase not in IN_ROUND:
        return _add_bot(rest)
    if first == "set":
        return _set(rest, view, rulesets or Rulesets())
    special = {"give": _give, "react": _react, "kick": _kick}.get(first)
    if special:
        return special(rest, view)
    cards = _cards(typed, view)
    if isinstance(cards, Mistake):
        return cards
    return Give(cards) if view.phase == "exchange" else Play(cards)


def _add_bot(rest: list[str]) -> Command:
    if not rest:
        return Host("add_bot")
    level = rest[0].lower()
    return Host("add_bot", (("level", level),)) if level in LEVELS else Mistake(f"a bot is one of {', '.join(LEVELS)}")


def _give(rest: list[str], view: View) -> Command:
    cards = _cards(rest, view)
    return cards if isinstance(cards, Mistake) else Give(cards)


def _react(rest: list[str], _view: View) -> Command:
    said = rest[0] if rest else ""
    if said.isdecimal() and 1 <= int(said) <= len(REACTIONS):
        said = REACTIONS[int(said) - 1]
    return React(said) if said and said in REACTIONS else Mistake(f"a reaction is one of {' '.join(REACTIONS)}")


def _kick(rest: list[str], view: View) -> Command:
    seat = seat_called(" ".join(rest), view)
    if isinstance(seat, str):
        return Mistake(seat)
    if view.you and seat == view.you.seat:
        return Mistake("that is your own seat: leave gives it up")
    return Host("remove", (("seat", seat),))


def _set(rest: list[str], view: View, rulesets: Rulesets) -> Command:
    """`set race_seconds 5`, `set revolution=off`: variants and options go by their own names."""
    rest = _ASSIGNED.sub(r"\1 ", " ".join(rest)).split()
    name = rest[0].lower() if rest else ""
    is_seat = rulesets.is_seat(view.settings, name)
    if len(rest) < 2 or (len(rest) > 2 and not is_seat):
        return Explain(name)
    value = _seat(" ".join(rest[1:]), view) if is_seat else _value(rest[1])
    if isinstance(value, Mistake):
        return Mistake(value.text, about=name)
    group = next((key for key in ("variants", "options") if name in view.settings.get(key, {})), None)
    return Host("settings", (("settings", {group: {name: value}} if group else {name: value}),))


def _seat(said: str, view: View) -> int | Mistake | None:
    """The seat that is called so; by number also one that nobody has taken yet."""
    if said.lower() in {NOBODY, "null"}:
        return None
    seat = seat_called(said, view)
    number = said.lstrip(SEAT_SIGN)
    if isinstance(seat, str) and number.isdecimal() and 1 <= int(number) <= view.settings.get("seats", 0):
        is_taken = view.seat(int(number) - 1)
        return Mistake(seat) if is_taken else int(number) - 1
    return Mistake(seat) if isinstance(seat, str) else seat


def _value(word: str) -> Any:
    known = {"on": True, "off": False, "true": True, "false": False, "null": None}
    if word.lower() in known:
        return known[word.lower()]
    if _NUMBER.fullmatch(word):
        return float(word) if "." in word else int(word)
    return word.lower()


def _cards(typed: Sequence[str], view: View) -> tuple[str, ...] | Mistake:
    """Cards of the hand, named by rank (the last of equal cards first kept) or in full."""
    left = list(in_order(view.you.hand)) if view.you else []
    chosen: list[str] = []
    said: set[str] = set()
    for word in (word.upper() for word in typed):
        plain, rank = _without_rank(word, view)
        if rank:
            said.add(rank)
        if rank and not plain:
            continue
        named = [plain] if held(plain) in left else _split(plain, view)
        if not named:
            return Mistake(_no_card(plain, word, view))
        if wrong := next((name for name in named if "=" in name and not _is_card(name.partition("=")[2], view)), None):
            return Mistake(_not_here(wrong.partition("=")[2], view))
        for name in named:
            card = name if held(name) in left else _of_rank(name, left)
            if card is None:
                return Mistake(f"you have {_have(name, view)}")
            left.remove(held(card))
            chosen.append(card)
    return _told(chosen, said, view) if chosen else Mistake("which cards?")


def _without_rank(word: str, view: View) -> tuple[str, str | None]:
    """`*=5` → `*` and the rank 5, which is said for the whole play; `=5` → nothing but that."""
    plain, sign, said = word.partition("=")
    rank = "T" if said == "10" and "T" in ranks(view.settings) else said
    return (plain, rank) if sign and rank in ranks(view.settings) else (word, None)


def _told(chosen: list[str], said: set[str], view: View) -> tuple[str, ...] | Mistake:
    """The cards of a play with what wild ones stand for: what was said, else the rank of those beside them."""
    if view.phase == "exchange":
        return tuple(chosen)
    is_open = [is_wild(card, view.settings) and held(card) == card for card in chosen]
    own = {rank_of(card) for card in chosen}
    if not any(is_open):
        return tuple(chosen) if said <= own else Mistake("only a wild card stands for another one")
    beside = {rank_of(card) for card, is_wild_one in zip(chosen, is_open, strict=True) if not is_wild_one}
    meant = said or beside or (own if own == {"2"} else set())
    if len(meant) > 1:
        return Mistake(words.REFUSALS["not_a_combination"])
    if not meant:
        return Mistake(f"say what a wild card stands for: {_examples(chosen, view)}")
    return declared(chosen, meant.pop(), view.settings)


def _examples(wild: Sequence[str], view: View) -> str:
    """The wild cards that were typed with what they might stand for, as it can be typed: by rank and by name."""
    rank = ranks(view.settings)[2]
    short = " ".join("*" if card.startswith(JOKER) else rank_of(card) for card in wild)
    return f"{short}={rank}, or by name {' '.join(declared(wild, rank, view.settings))}"


def _split(word: str, view: View) -> list[str]:
    """`77` → two sevens; a number that is a rank by itself (10, 11, 12 of the Spanish deck) stays one."""
    known = ranks(view.settings)
    if word in known or (_is_card(word, view) and word[-1:] not in known):
        return [word]
    if word == "10" and "T" in known:
        return ["T"]
    parts = list(word)
    return parts if parts and all(part in known or part == "*" for part in parts) else []


def _suits(view: View) -> str:
    return "OCEB" if is_spanish(view.settings) else "SHDC"


def _not_here(name: str, view: View) -> str:
    """Said of a card of another deck, or of none."""
    example = ranks(view.settings)[2] + _suits(view)[0]
    return f"there is no {name} in this deck: a card is a rank and one of {', '.join(_suits(view))}, as {example}"


def _is_card(name: str, view: View) -> bool:
    """Whether the deck has a card of that name; jokers aside."""
    return name[:-1] in ranks(view.settings) and name[-1:] in _suits(view)


def _no_card(plain: str, word: str, view: View) -> str:
    """Why what was typed is no card of the hand."""
    name = held(plain)
    if _JOKER.fullmatch(name) or ("=" in plain and _is_card(name, view)):
        return f"you have no {name}"
    if plain[:-1] in ranks(view.settings) and plain[-1:] in _SUITS:
        return _not_here(plain, view)
    return f"{word.lower()!r} is no card and no command (? for help)"


def _of_rank(rank: str, left: list[str]) -> str | None:
    """A card of the rank; the two of coins last, since it may be worth more than the others (3.5)."""
    same = [card for card in left if rank_of(card) == rank]
    return min(same, key=lambda card: card == "2O") if same else None


def _have(name: str, view: View) -> str:
    """How little of it the hand has. Ranks may be numbers too, so that none stands alone behind a count."""
    hand = Counter(map(rank_of, view.you.hand)) if view.you else Counter[str]()
    count = hand.get(name, 0)
    if name == JOKER:
        return f"only {_few(count, 'joker')}" if count else "no joker"
    if view.you and name in view.you.hand:
        return f"only one {name}"
    return f"only {_few(count, 'card')} of rank {name}" if count else f"no {name}"


def _few(count: int, what: str) -> str:
    return f"one {what}" if count == 1 else f"{count} {what}s"
