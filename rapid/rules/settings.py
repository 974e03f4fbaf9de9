"""A table's settings: their shape, their checks and how a change is laid over them (PROTOCOL 2)."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, structs

from rapid.cards.wild import Wild, make_wild
from rapid.rules.options import laid_over
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Pace, PlaysTo, Rules, Ruleset, Skips, Turning, Variants

ROUNDS_MOST = 50
"""G1, 5.3."""
Rounds = int | Literal["unlimited"] | None
Target = int | Literal["none"] | None


class Settings(Struct, frozen=True):
    """Complete settings, as events, views and replies carry them."""

    ruleset: str
    mode: str
    rounds: Rounds
    target: Target
    variants: Variants
    options: dict[str, Any]
    seats: int
    race_seconds: int | float
    action_seconds: int | float
    standin_grace_seconds: int | float
    disconnect: str
    bot_level: str
    visibility: str
    door: str
    spectator_delay_seconds: int
    bot_delay_ms: int | UnsetType = UNSET
    """Replaces the bots' waiting time; only on a server started with `--dev`."""


def default_settings(ruleset: Ruleset) -> Settings:
    """Return the settings of a table that asked for nothing but this ruleset."""
    by_rounds = ruleset.plays_to is PlaysTo.ROUNDS
    return Settings(
        ruleset=ruleset.name,
        mode=str(ruleset.default_mode),
        rounds=5 if by_rounds else None,
        target=None if by_rounds else 11,
        variants=ruleset.variants,
        options={option.name: option.default for option in ruleset.options},
        seats=ruleset.seats_max,
        race_seconds=10,
        action_seconds=30,
        standin_grace_seconds=5,
        disconnect=ruleset.disconnect[0],
        bot_level="normal",
        visibility="private",
        door="open",
        spectator_delay_seconds=0,
    )


RESET_WITH_RULESET = ("variants", "options", "mode", "rounds", "target", "disconnect", "seats")


def with_ruleset(settings: Settings, ruleset: Ruleset) -> Settings:
    """Return the settings under another ruleset: what hangs on it is reset first."""
    fresh = default_settings(ruleset)
    reset = {name: getattr(fresh, name) for name in RESET_WITH_RULESET}
    return structs.replace(settings, ruleset=ruleset.name, **reset)


def rules_of(settings: Settings) -> Rules:
    """Return the rules that the engine reads for these settings, which were checked before."""
    ruleset = laid_over(PRESETS[settings.ruleset], settings.options)
    variants, deck = settings.variants, ruleset.deck
    has_joker_rank = deck.jokers > 0 and not ruleset.wild_jokers
    strength = (*ruleset.strength, len(ruleset.strength)) if has_joker_rank else ruleset.strength
    turned = _turned(ruleset, strength)
    over_all, under_all = _powers(ruleset)
    top_card = -1 if ruleset.top_card is None else deck.index[ruleset.top_card]
    return Rules(
        ruleset=ruleset,
        deck=deck,
        strength=strength,
        turned=turned,
        strongest=max(strength),
        closing_ranks=(strength.index(max(strength)), turned.index(max(turned))),
        over_all=over_all,
        under_all=under_all,
        larger_sets=ruleset.larger_sets,
        high=(_heights(strength), _high_turned(ruleset, turned)),
        turns_with_run=ruleset.turning is Turning.RUN,
        turns_direction=ruleset.turning in (Turning.RUN, Turning.ORDER_AND_DIRECTION),
        transparent_rank=deck.ranks.index("3") if ruleset.transparent_threes else -1,
        answer=ruleset.answer,
        passing=ruleset.passing,
        has_turns=settings.mode == Pace.TURNS,
        skips=_skips_of(ruleset, variants),
        revolution=variants.revolution or ruleset.turning is not Turning.OFF,
        four_closes=variants.four_closes,
        strongest_closes=variants.strongest_closes,
        finish_with_two=variants.finish_with_two,
        penalty_rank=ruleset.penalty_rank,
        finish_closes=ruleset.finish_closes,
        killer=1 << top_card if ruleset.has_killer else 0,
        wild=_wild(ruleset, top_card),
        exchange_order=_exchange_order(ruleset, top_card),
        waits=settings.disconnect == "wait",
        target=settings.target if isinstance(settings.target, int) else None,
        rounds=_rounds_of(ruleset, settings),
        is_endless=settings.rounds == "unlimited" or settings.target == "none",
        race_ms=to_ms(settings.race_seconds),
        action_ms=to_ms(settings.action_seconds),
        grace_ms=to_ms(settings.standin_grace_seconds),
    )


def _turned(ruleset: Ruleset, strength: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strengths of the turned order: jokers and what is high in either order stay high (5.5)."""
    deck, plain = ruleset.deck, ruleset.strength
    most = max(plain)
    turned = [most - one for one in plain]
    if ruleset.turning is Turning.RUN:  # from the strongest: A 2 3 4 … K A
        turned = [most - 1 - (one + 1 if one < plain[deck.ranks.index("A")] else 0) for one in plain]
        turned[deck.ranks.index("A")] = most
    return (*turned, *strength[len(plain) :])


def _wild(ruleset: Ruleset, top_card: int) -> Wild | None:
    """Return the wild cards, twos before jokers, the killer last of its equals (RULES 6, 8)."""
    deck = ruleset.deck
    twos = [card for card in range(deck.size) if ruleset.wild_twos and card >> 2 == deck.ranks.index("2")]
    twos.sort(key=lambda card: ruleset.has_killer and card == top_card)
    jokers = range(deck.size - deck.jokers, deck.size) if ruleset.wild_jokers else ()
    order = (*twos, *jokers)
    return make_wild(deck, order) if order else None


def _exchange_order(ruleset: Ruleset, top_card: int) -> tuple[int, ...]:
    """Return by card how good it is: a joker best of all, then the top card (3.9, RULES 6, 9)."""
    deck, strength = ruleset.deck, (*ruleset.strength, len(ruleset.strength))
    return tuple(2 * strength[card >> 2] + (card == top_card) for card in range(deck.size))


def _high_turned(ruleset: Ruleset, turned: tuple[int, ...]) -> tuple[int, ...]:
    """Return how high each rank is against fewer cards in the turned order.

    A 2 that is high and low is high, below the jokers alone (RULES 9). Where direction turns too, the order itself
    says it: the ace, then the 2.
    """
    heights = _heights(turned)
    if not ruleset.two_high_low or ruleset.turning is Turning.RUN:
        return heights
    two = ruleset.deck.ranks.index("2")
    above_ranks = 2 * max(ruleset.strength) + 1
    return tuple(above_ranks if rank == two else one for rank, one in enumerate(heights))


def _heights(strength: tuple[int, ...]) -> tuple[int, ...]:
    """Return the order with room between any two."""
    return tuple(2 * one for one in strength)


def _powers(ruleset: Ruleset) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the ranks that beat all of their count, and those that all beat, each in normal and turned order (5.6)."""
    ranks = ruleset.deck.ranks
    over = under = 0
    if ruleset.deck.jokers and not ruleset.wild_jokers:
        over |= 1 << len(ranks)
    if ruleset.transparent_threes:
        over |= 1 << ranks.index("3")
    if ruleset.two_high_low:
        over |= 1 << ranks.index("2")
        under |= 1 << ranks.index("2")
    ace = 1 << ranks.index("A") if ruleset.turning is Turning.RUN else 0
    return (over, over | ace), (under, under | ace)


def _rounds_of(ruleset: Ruleset, settings: Settings) -> int | None:
    if ruleset.fixed_rounds is not None:
        return ruleset.fixed_rounds
    if settings.target == "none":
        return ROUNDS_MOST  # until the host ends it, but not for ever (5.3)
    return settings.rounds if isinstance(settings.rounds, int) else None


def _skips_of(ruleset: Ruleset, variants: Variants) -> Skips:
    if ruleset.equal_skips:
        return Skips.ALWAYS  # 3.4
    return Skips.UNABLE if variants.skip else Skips.NEVER


def to_ms(seconds: float) -> int:
    """Return whole milliseconds: deadlines are rounded to the millisecond (PROTOCOL 2)."""
    return round(seconds * 1000)
