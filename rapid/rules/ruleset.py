"""A ruleset is a value: small enums and numbers. Nothing asks for a ruleset by its name.

`Ruleset` is what a preset row holds; `Rules` is a ruleset with one table's settings laid
over it, which is what the engine reads while a game runs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from rapid.cards.deck import Deck
from rapid.cards.wild import Wild


class Pace(StrEnum):
    """Who may act, and which timer runs (RULES section 1, modes)."""

    RAPID = "rapid"
    TURNS = "turns"


class Answer(StrEnum):
    """Which rank answers the top, at the same count."""

    EQUAL_OR_HIGHER = "equal_or_higher"
    HIGHER = "higher"


class Passing(StrEnum):
    """How long a pass holds."""

    BINDS = "binds"
    """Out until the next trick opens (P4)."""
    FREE = "free"
    """For one trick state only (4.3)."""


class Direction(StrEnum):
    """Play order as the table is shown."""

    CLOCKWISE = "clockwise"
    ANTICLOCKWISE = "anticlockwise"


class Lead(StrEnum):
    """Who leads a round's first trick in turn mode."""

    HOLDER = "holder"
    """The seat that holds the ruleset's `lead_card` (T1)."""
    LAST = "last"
    """The last of the previous standings (T2)."""
    FIRST = "first"
    """The first of the previous standings (4.2)."""
    DEALERS_LEFT = "dealers_left"
    """The seat behind the dealer in play order (4.2, 5.1)."""


class Skips(StrEnum):
    """What an equal rank does to the next seat in the trick, in turn mode."""

    NEVER = "never"
    UNABLE = "unable"
    """It is skipped unless it can lay that rank, to which it is then bound (V5)."""
    ALWAYS = "always"
    """It is skipped (3.4)."""


class Turning(StrEnum):
    """What turns the order of strength, besides V1."""

    OFF = "off"
    ORDER = "order"
    """Four of a kind at once; another turns it back (5.5)."""
    ORDER_AND_DIRECTION = "order_and_direction"
    """The same, and the direction turns too (RULES 6)."""
    RUN = "run"
    """That, or four singles of one rank one behind the other; the direction turns too, and an ace is high and low."""


class LargerSets(StrEnum):
    """Whether more cards may answer fewer (5.5)."""

    OFF = "off"
    HIGHER = "higher"
    """If their rank is higher."""
    ANY = "any"
    """Always."""


class PlaysTo(StrEnum):
    """What ends a game."""

    ROUNDS = "rounds"
    TARGET = "target"


class ExchangeStyle(StrEnum):
    """How cards are exchanged."""

    TAKEN = "taken"
    """The lower seat's best cards move at once by the server, the upper returns any (X2, X3)."""
    CHECKED = "checked"
    """All choose at the same time, the lower their best, the upper their worst; cards move together (3.9)."""
    STEPS = "steps"
    """First the lower gives its best, then the upper, having received it, returns any (4.4)."""


class Dealing(StrEnum):
    """Who is dealt to first, and so gets an extra card."""

    LAST_FIRST = "last_first"
    """Round 1 in seat order, later from the last of the previous standings upwards (C3)."""
    MOVING = "moving"
    """Round k starts at the k-th seat (3.2)."""
    DEALERS_LEFT = "dealers_left"
    """The deal starts at the seat behind the dealer (4.2, 5.1)."""


class Dealer(StrEnum):
    """Who deals from round 2 on."""

    MOVES = "moves"
    """The next seat each round (4.2)."""
    FIRST = "president"
    """The first of the previous standings (5.1)."""
    LAST = "scum"
    """The last of them (5.1)."""


class Swap(Struct, frozen=True):
    """The seat `depth` from the last gives to the seat `depth` from the first (X2)."""

    depth: int
    count: int
    least_seats: int = 0


class Option(Struct, frozen=True, omit_defaults=True):
    """One further option of a ruleset, as `/api/rulesets` shows it."""

    name: str
    type: str
    default: Any
    help: str
    choices: tuple[str, ...] | None = None
    min: int | None = None
    max: int | None = None
    needs: dict[str, Any] | None = None
    """Other options, and the values they must have while this one is not at its default."""
    choice_needs: dict[str, dict[str, Any]] | None = None
    """The same for single choices."""
    excludes: tuple[str, ...] | None = None
    not_in: tuple[str, ...] | None = None


class Variants(Struct, frozen=True):
    """The variants V1-V5, each on or off."""

    revolution: bool = False
    four_closes: bool = False
    strongest_closes: bool = False
    finish_with_two: bool = False
    skip: bool = False


class Ruleset(Struct, frozen=True):
    """One preset row."""

    name: str
    deck: Deck
    strength: tuple[int, ...]
    """By rank index of the deck, jokers left out: its strength in normal order, 0 weakest."""
    seats_min: int
    seats_max: int
    modes: tuple[Pace, ...]
    default_mode: Pace
    plays_to: PlaysTo
    direction: Direction
    answer: Answer
    passing: Passing
    variants: Variants
    """Which are on by default."""
    variant_names: tuple[str, ...]
    exchange: ExchangeStyle
    swaps: tuple[Swap, ...]
    roles: dict[int, tuple[str, ...]]
    """By number of seats: role keys, best first (L2)."""
    points: dict[str, int]
    """By role key; a role without a row earns nothing."""
    penalty_rank: int
    """The rank index of V4: the 2."""
    lead_first: Lead
    """Who leads round 1 (T1)."""
    lead_later: Lead
    """Who leads the later rounds, once all exchanges are done (T2)."""
    lead_card: str
    """The card that `Lead.HOLDER` means."""
    disconnect: tuple[str, ...]
    """Policies for a lost connection, the default first."""
    dealing: Dealing = Dealing.LAST_FIRST
    dealer: Dealer = Dealer.MOVES
    first_dealer: int | None = None
    """Who deals round 1; the last seat if nobody was chosen, or that chair is empty (4.2)."""
    order_by_rank: bool = False
    """From round 2 on the play order is that of the previous standings (5.2)."""
    keeps_group: bool = False
    """A leaver's seat is played on to the end of the game, not of the round (4.7)."""
    may_be_endless: bool = False
    """Whether `target` may be `none` (5.3)."""
    fixed_rounds: int | None = None
    """So many rounds, and no target (4.6)."""
    jokers: int = 0
    wild_jokers: bool = False
    """A joker completes any combination, and has no rank of its own (RULES 6)."""
    wild_twos: bool = False
    """So does a two, which may be a two as well."""
    threes_below_two: bool = False
    """The three is the strongest rank but the two (RULES 6)."""
    turning: Turning = Turning.OFF
    larger_sets: LargerSets = LargerSets.OFF
    two_high_low: bool = False
    """A 2 beats everything and is beaten by everything (5.5)."""
    transparent_threes: bool = False
    """A three beats everything of its count and takes its rank (5.5)."""
    equal_skips: bool = False
    """An equal rank skips the next seat in the trick, in turn mode (3.4)."""
    finish_closes: bool = False
    """A play that empties a hand closes the trick (3.7)."""
    top_card: str | None = None
    """A card of a rank of its own above its equals, in the exchange (3.9)."""
    has_killer: bool = False
    """Alone, the top card wins any trick at once (3.5)."""
    shares_win: bool = True
    """Whether tied leaders win together; else the best of the last round does (3.8)."""
    options: tuple[Option, ...] = ()


class Rules(Struct, frozen=True):
    """A ruleset with a table's settings laid over it: what the engine reads in a game."""

    ruleset: Ruleset
    deck: Deck
    strength: tuple[int, ...]
    """By rank index, that of jokers included unless they are wild and so played as another."""
    turned: tuple[int, ...]
    """The same in the turned order (V1, 5.5)."""
    strongest: int
    """The greatest strength."""
    closing_ranks: tuple[int, int]
    """The strongest rank in normal and in turned order: 2 and 3, but for jokers and an ace that is high (V3, 5.5)."""
    over_all: tuple[int, int]
    """Ranks (bits) that answer anything of their count, in normal and in turned order (5.6)."""
    under_all: tuple[int, int]
    """Ranks (bits) that anything of their count answers (5.6)."""
    larger_sets: LargerSets
    high: tuple[tuple[int, ...], tuple[int, ...]]
    """By rank, in normal and in turned order: how high it is against fewer cards (5.5)."""
    turns_with_run: bool
    """Four singles of one rank turn the order too (5.5)."""
    turns_direction: bool
    """The direction turns with the order, in turn mode (5.5, RULES 6)."""
    transparent_rank: int
    """The rank index that takes the rank of what it answers; -1: none (5.5)."""
    answer: Answer
    passing: Passing
    has_turns: bool
    """Turn mode: seats act in play order, each on a timer of its own (RULES 2.4)."""
    skips: Skips
    revolution: bool
    four_closes: bool
    strongest_closes: bool
    finish_with_two: bool
    penalty_rank: int
    finish_closes: bool
    killer: int
    """As a set, the card that wins any trick when laid alone (3.5); 0 if there is none."""
    wild: Wild | None
    """How plays are written where cards are wild; None: no card is (RULES 6)."""
    exchange_order: tuple[int, ...]
    """By card: how good it is in an exchange, 0 worst (X2, 3.9)."""
    waits: bool
    """Whether a lost person's chair waits and no stand-in acts (3.10)."""
    target: int | None
    """Points that end a game; None: none do."""
    rounds: int | None
    """Rounds of a game; None: it is not they that end it."""
    race_ms: int
    action_ms: int
    is_endless: bool
    """Neither rounds nor a target were set to end the game: the host may, and the leaders win (G4)."""
    grace_ms: int
