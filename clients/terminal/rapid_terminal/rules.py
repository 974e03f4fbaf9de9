"""How a table is played, in sentences made from its settings, so that none says what an option has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rapid_client.cards import JOKER, is_spanish, ranks

from . import words
from .facts import Facts, facts_of
from .styles import row

Row = Mapping[str, Any]

LABELS = (10,)
JOKERS_ABOVE = "above everything, in a turned order too"
TAKES_PART = "From round 2 on, before the first trick:"
PLACES = "place_"
"""What a role is called that is a place without a title."""

FIRST_CARDS = {
    "last_first": "Cards over go to the first seats, from round 2 on to the last of the round before first.",
    "moving": "The deal starts one seat on each round; who is dealt to first gets the cards over.",
    "dealer": "The deal starts at the seat after the dealer; who is dealt to first gets the cards over.",
}
LARGER = {
    "higher": "More cards of a higher rank beat fewer, and set the number then.",
    "any": "More cards always beat fewer, and set the number then.",
}
EXCHANGES = {
    "taken": "the last's two best cards go to the first, who returns any two; with 4 seats or more the two beside them "
    "do so with one card.",
    "checked": "the last gives the two best cards, the first the two worst; with 4 seats or more the two beside them "
    "give one each. All choose at the same time, without knowing what they get.",
    "steps": "the last gives the best card to the President, who then returns any card.",
}
LEAD_CARDS = {"QH": "the queen of hearts", "3O": "the three of coins"}
LEAD_LATER = {"last": "the last of the round before leads", "first": "the President leads"}
DEALERS = {
    "moves": "The dealer moves on by one seat each round.",
    "president": "From round 2 on the President deals.",
    "scum": "From round 2 on the last deals.",
}
VARIANTS = {
    "revolution": "Four of a kind at once turn the order of the cards, another four turn it back.",
    "four_closes": "Four cards of one rank, one behind the other, close the trick.",
    "strongest_closes": "A play of the strongest rank closes the trick.",
    "finish_with_two": "Whoever goes out with twos gets a place at the bottom.",
    "skip": "After an equal rank the next seat plays that rank too, or passes; without it the seat is skipped.",
}


def rules_lines(settings: Row, described: Row) -> list[str]:
    """The rules of a table, a line each; `described` is the server's row of its ruleset, empty if it did not say."""
    facts = facts_of(settings)
    told: list[str] = []
    for label, sentences in (
        ("goal", _goal()),
        ("acting", [_acting(settings, facts)]),
        ("deal", _deal(settings, described, facts)),
        ("cards", _cards(settings, facts)),
        ("a play", _plays(facts)),
        ("turning", _turning(settings, facts)),
        ("a pass", [f"{_capital(passing(settings))}. An empty trick cannot be passed."]),
        ("a trick", _trick(settings, facts)),
        ("skipping", _skipping(settings, facts)),
        ("leading", _leading(settings, facts)),
        ("out", _out(settings)),
        ("exchange", [_exchange(facts)]),
        *((label, [text]) for label, text in _titles(settings, described)),
        ("points", _points(facts)),
        ("winning", _winning(settings, facts)),
        ("time", _time(settings)),
        ("lost", [_lost(settings)]),
    ):
        if text := " ".join(sentences):
            told.append(row((label, text), LABELS))
    return told


def passing(settings: Row) -> str:
    """What a pass means here (P4, 4.3, RULES 7)."""
    if facts_of(settings).passes_bind:
        return "out of this trick, back in with the next"
    if _has_turns(settings):
        return "for this turn only; when the turn comes back in this trick you may play again"
    return "on this play only; with the next play you are back in"


def answer(settings: Row) -> str:
    """What answers the top (P1, 4.1, 5.1) with the options that change it."""
    facts = facts_of(settings)
    rank = "a higher rank" if facts.must_beat else "the same rank or a higher one"
    more = {"higher": ", or more cards of a higher rank", "any": ", or more cards of any rank"}
    return f"as many cards of {rank}{more.get(facts.larger_sets, '')}"


def _goal() -> list[str]:
    return [
        "Empty your hand before the others.",
        "The round ends when one seat holds cards; its order gives titles and points.",
    ]


def _acting(settings: Row, facts: Facts) -> str:
    if _has_turns(settings):
        return f"In turns, {'clockwise' if facts.is_clockwise else 'anticlockwise'}."
    return "A race: anyone may play at any time, and the first legal play on what lies there counts."


def _deal(settings: Row, described: Row, facts: Facts) -> list[str]:
    number = 4 * len(ranks(settings))
    deck = f"{number} Spanish cards" if is_spanish(settings) else f"{number} cards"
    jokers = f" and {facts.jokers} joker{'s' if facts.jokers > 1 else ''}" if facts.jokers else ""
    least, most = described.get("seats", {}).get("min"), settings.get("seats")
    seats = f" to {_span(least, most)} seats" if least and most else ""
    return [f"{deck}{jokers}, all dealt{seats}.", FIRST_CARDS[facts.dealing], *_dealers(settings, facts)]


def _dealers(settings: Row, facts: Facts) -> Iterator[str]:
    if facts.dealing != "dealer":
        return
    chosen = settings.get("options", {}).get("first_dealer")
    yield f"{'The last seat' if chosen is None else _capital(words.seat(chosen))} deals first."
    yield DEALERS[facts.dealer]


def _span(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def _cards(settings: Row, facts: Facts) -> Iterator[str]:
    yield f"Weakest first: {' '.join(ranks(settings))}."
    if is_spanish(settings):
        yield "1 is the ace, 10 the jack, 11 the knight, 12 the king."
    if facts.jokers and facts.wild_jokers:
        yield "A joker stands for any card that its player names."
    elif facts.jokers:
        yield f"Jokers stand {JOKERS_ABOVE}."
    if facts.wild_twos:
        yield "A two may stand for any card that its player names."
    if facts.two_high_low:
        yield "Twos beat everything of their number and are beaten by everything."
    if facts.transparent_threes:
        yield (
            "Threes answer everything of their number, take its rank and never count as an equal play; "
            "led, they are threes."
        )
    if facts.has_killer:
        yield "The two of coins, alone, takes any trick at once."


def _plays(facts: Facts) -> Iterator[str]:
    rank = "a higher rank" if facts.must_beat else "an equal or higher rank"
    yield f"One to four cards of one rank, no runs. An answer has as many cards and {rank}."
    if facts.larger_sets in LARGER:
        yield LARGER[facts.larger_sets]


def _turning(settings: Row, facts: Facts) -> Iterator[str]:
    if _is_on(settings, "revolution"):
        yield f"{VARIANTS['revolution']} It ends with the round."
    if facts.turning == "off":
        return
    is_run = facts.turning == "run"
    four = "Four of a kind at once, or four singles of one rank in a row," if is_run else "Four of a kind at once"
    is_both = facts.turning != "order" and _has_turns(settings)
    what = "the order of the cards and the direction of play" if is_both else "the order of the cards"
    yield f"{four} turn {what} until the round ends; the next time turns {'both' if is_both else 'it'} back."
    if is_run:
        turned = " ".join(reversed(ranks(settings, revolution=True)))
        yield f"Strongest first it is then {turned}; an ace beats everything of its number and is beaten by everything."


def _trick(settings: Row, facts: Facts) -> Iterator[str]:
    """When it closes, and who leads the next (P7, R6, T4, 4.3)."""
    if _has_turns(settings):
        yield "Closes when the turn comes back to whoever played last."
    else:
        yield "Closes when all others in the round have passed, or when the time is up."
    if facts.finish_closes:
        yield "A play that empties a hand closes it at once."
    if _is_on(settings, "four_closes"):
        yield VARIANTS["four_closes"]
    if _is_on(settings, "strongest_closes"):
        yield _strongest(settings, facts)
    if _has_turns(settings):
        yield "Whoever played last leads the next; without cards, the next in the play order who has some."
    else:
        yield "Anyone opens the next."


def _strongest(settings: Row, facts: Facts) -> str:
    """V3: which rank that is here."""
    plain, turned = (_top(settings, facts, is_turned=is_turned) for is_turned in (False, True))
    may_turn = _is_on(settings, "revolution") or facts.turning != "off"
    other = f", or {turned} in the turned order" if may_turn and turned != plain else ""
    return f"A play of the strongest rank closes it: {plain}{other}."


def _top(settings: Row, facts: Facts, *, is_turned: bool) -> str:
    has_high = facts.jokers and not facts.wild_jokers
    return "a joker" if has_high else f"a {_rank(ranks(settings, revolution=is_turned)[-1])}"


def _rank(rank: str) -> str:
    return {JOKER: "joker", "A": "ace"}.get(rank, rank)


def _skipping(settings: Row, facts: Facts) -> Iterator[str]:
    if not _has_turns(settings):
        return
    if facts.equal_skips:
        yield "An equal play makes the next seat miss its turn."
    if _is_on(settings, "skip"):
        yield VARIANTS["skip"]


def _leading(settings: Row, facts: Facts) -> Iterator[str]:
    """T1, T2, 3.3, 4.2, 5.1, 5.2: nothing of it holds in a race (RULES 7)."""
    if not _has_turns(settings):
        return
    if facts.lead_card:
        yield f"Whoever holds {LEAD_CARDS[facts.lead_card]} leads round 1; later {LEAD_LATER[facts.lead_later]}."
    elif facts.lead_later == "dealer":
        yield "The seat after the dealer leads each round."
    else:
        yield f"The seat after the dealer leads round 1; later {LEAD_LATER[facts.lead_later]}."
    if facts.by_standings:
        chairs = "the chairs move with it" if facts.reseat else "people keep their chairs"
        yield f"From round 2 on play goes in the order of the last standings; {chairs}."


def _out(settings: Row) -> Iterator[str]:
    yield "Who is out of cards has the next place from the top; who is left with cards has the place left over."
    if _is_on(settings, "finish_with_two"):
        yield VARIANTS["finish_with_two"]


def _exchange(facts: Facts) -> str:
    return f"{TAKES_PART} {EXCHANGES[facts.exchange]}" if facts.exchange in EXCHANGES else "No cards are exchanged."


def _titles(settings: Row, described: Row) -> Iterator[tuple[str, str]]:
    """Best first, by the number of seats; numbers with the same titles stand together."""
    seats_of: dict[str, list[int]] = {}
    for seats, keys in described.get("roles", {}).items():
        named = [words.role(key) for key in keys if not key.startswith(PLACES)]
        rest = ["the others none"] if len(named) < len(keys) else []
        if int(seats) <= settings.get("seats", 0):
            seats_of.setdefault(", ".join([*named, *rest]), []).append(int(seats))
    for number, (names, seats) in enumerate(seats_of.items()):
        yield "" if number else "titles", f"{_span(min(seats), max(seats))} seats: {names}."


def _points(facts: Facts) -> Iterator[str]:
    if facts.points:
        earned = ", ".join(f"{words.role(key)} {points}" for key, points in facts.points.items())
        yield f"Each round: {earned}; the others none."


def _length(settings: Row) -> str:
    rounds, target = settings.get("rounds"), settings.get("target")
    if isinstance(target, int):
        return f"The game is to {target} point{'s' if target > 1 else ''}."
    if target == "none":
        return "The game goes on until the host ends it, for 50 rounds at most."
    if rounds == "unlimited":
        return "The game goes on until the host ends it."
    number = rounds if isinstance(rounds, int) else words.DEALS
    return f"The game has {number} round{'s' if number > 1 else ''}."


def _winning(settings: Row, facts: Facts) -> Iterator[str]:
    yield _length(settings)
    if facts.shares_win:
        yield "The highest total wins; those who share it win together."
    else:
        yield "Whoever gets there first wins; of two in the same round the one placed better in it, alone."
    if settings.get("rounds") != "unlimited" and settings.get("target") != "none":
        yield "If the host stops it before, nobody wins."


def _time(settings: Row) -> Iterator[str]:
    race, action = settings.get("race_seconds"), settings.get("action_seconds")
    if _has_turns(settings):
        yield f"{action} s for a turn or an exchange, then the server acts for you."
        return
    yield f"{race} s without a play close the trick; an empty one the server opens for somebody."
    yield f"{action} s for an exchange, then the server gives for you."


def _lost(settings: Row) -> str:
    if settings.get("disconnect") == "wait":
        return f"A seat whose connection is lost in a game is {words.AWAITED}."
    grace = settings.get("standin_grace_seconds", 0)
    return f"For a lost connection a bot plays after {grace} s, until the player is back."


def _has_turns(settings: Row) -> bool:
    return settings.get("mode") == "turns"


def _is_on(settings: Row, variant: str) -> bool:
    return bool(settings.get("variants", {}).get(variant))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
