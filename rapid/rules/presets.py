"""The presets this server plays, a row each (RULES sections 2 to 5)."""

from __future__ import annotations

from rapid.cards.deck import FRENCH_52, SPANISH_48, Deck
from rapid.rules.exclusions import described
from rapid.rules.ruleset import (
    Answer,
    Dealer,
    Dealing,
    Direction,
    ExchangeStyle,
    Lead,
    Option,
    Pace,
    Passing,
    PlaysTo,
    Ruleset,
    Swap,
    Variants,
)

PRESIDENT = Ruleset(
    name="president",
    deck=FRENCH_52,
    strength=tuple(range(13)),  # C2: the deck's rank order is the order of strength
    seats_min=3,
    seats_max=6,
    modes=(Pace.RAPID, Pace.TURNS),
    default_mode=Pace.RAPID,
    plays_to=PlaysTo.ROUNDS,
    direction=Direction.CLOCKWISE,
    answer=Answer.EQUAL_OR_HIGHER,
    passing=Passing.BINDS,
    variants=Variants(revolution=True),
    variant_names=("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip"),
    exchange=ExchangeStyle.TAKEN,
    swaps=(Swap(depth=0, count=2), Swap(depth=1, count=1, least_seats=4)),
    roles={
        3: ("president", "neutral", "asshole"),
        4: ("president", "vice_president", "vice_asshole", "asshole"),
        5: ("president", "vice_president", "neutral", "vice_asshole", "asshole"),
        6: ("president", "vice_president", "neutral", "neutral", "vice_asshole", "asshole"),
    },
    points={"president": 3, "vice_president": 2, "neutral": 1},
    penalty_rank=FRENCH_52.ranks.index("2"),
    lead_first=Lead.HOLDER,
    lead_later=Lead.LAST,
    lead_card="QH",
    disconnect=("standin",),
)

SPANISH_ORDER = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2")
"""Weakest first (3.1)."""


def spanish_strength(deck: Deck) -> tuple[int, ...]:
    """Return the strength of each rank of a Spanish deck."""
    order = [rank for rank in SPANISH_ORDER if rank in deck.ranks]
    return tuple(order.index(rank) for rank in deck.ranks)


PRESI = Ruleset(
    name="presi",
    deck=SPANISH_48,
    strength=spanish_strength(SPANISH_48),
    seats_min=3,
    seats_max=6,
    modes=(Pace.TURNS, Pace.RAPID),
    default_mode=Pace.TURNS,
    plays_to=PlaysTo.TARGET,
    direction=Direction.ANTICLOCKWISE,
    answer=Answer.EQUAL_OR_HIGHER,
    passing=Passing.BINDS,
    variants=Variants(),
    variant_names=("revolution", "four_closes", "strongest_closes", "finish_with_two"),
    exchange=ExchangeStyle.CHECKED,
    swaps=(Swap(depth=0, count=2), Swap(depth=1, count=1, least_seats=4)),
    roles={
        3: ("president", "vice_president", "culo"),
        4: ("president", "vice_president", "vice_culo", "culo"),
        5: ("president", "vice_president", "neutral", "vice_culo", "culo"),
        6: ("president", "vice_president", "neutral", "neutral", "vice_culo", "culo"),
    },
    points={"president": 2, "vice_president": 1},
    penalty_rank=SPANISH_48.ranks.index("2"),
    lead_first=Lead.HOLDER,
    lead_later=Lead.LAST,
    lead_card="3O",
    disconnect=("wait", "standin"),
    dealing=Dealing.MOVING,
    equal_skips=True,
    finish_closes=True,
    top_card="2O",
    has_killer=True,
    shares_win=False,
    options=(
        Option(
            "deck",
            "choice",
            default="spanish48",
            help="48 cards, or 40 without the eights and nines.",
            choices=("spanish48", "spanish40"),
        ),
        Option(
            "three",
            "choice",
            default="lowest",
            help="The three is the lowest card, or the second highest, below the two.",
            choices=("lowest", "below_two"),
        ),
        Option("jokers", "integer", default=0, help="How many jokers are in the deck.", min=0, max=4),
        Option(
            "joker",
            "choice",
            default="high",
            help="A joker stands above the twos, or is wild and completes any combination of up to four cards.",
            choices=("high", "wild"),
        ),
        Option("wild_twos", "boolean", default=False, help="A two is wild: it may stand for a card of any rank."),
        Option(
            "turning",
            "choice",
            default="off",
            help="Four of a kind turn the order of the cards, or the order and the direction of play.",
            choices=("off", "order", "order_and_direction"),
        ),
        Option("must_beat", "boolean", default=False, help="An equal rank does not answer, and so skips nobody."),
        Option("killer", "boolean", default=True, help="The two of coins alone wins any trick."),
        Option(
            "passing",
            "choice",
            default="binds",
            help="Whoever passes is out of the trick, or may play when the turn comes back.",
            choices=("binds", "free"),
        ),
        Option(
            "exchange",
            "choice",
            default="checked",
            help="All choose at the same time and are checked, or the last gives one and gets any card back.",
            choices=("checked", "one_free"),
        ),
        Option(
            "leader",
            "choice",
            default="culo",
            help="Who leads the rounds after the first: the last (culo) or the President.",
            choices=("culo", "president"),
        ),
    ),
)

FIRST_DEALER = Option(
    "first_dealer", "seat", default=None, help="Who deals the first round; nobody chosen: the last seat.", min=0, max=6
)

HOUSE = Ruleset(
    name="house",
    deck=FRENCH_52,
    strength=tuple(range(13)),
    seats_min=4,
    seats_max=7,
    modes=(Pace.TURNS, Pace.RAPID),
    default_mode=Pace.TURNS,
    plays_to=PlaysTo.TARGET,
    direction=Direction.CLOCKWISE,
    answer=Answer.HIGHER,
    passing=Passing.FREE,
    variants=Variants(),
    variant_names=("revolution", "four_closes", "strongest_closes", "finish_with_two"),
    exchange=ExchangeStyle.STEPS,
    swaps=(Swap(depth=0, count=1),),
    roles={
        seats: ("president", "vice_president", *(f"place_{place}" for place in range(3, seats + 1)))
        for seats in range(4, 8)
    },
    points={"president": 2, "vice_president": 1},
    penalty_rank=FRENCH_52.ranks.index("2"),
    lead_first=Lead.DEALERS_LEFT,
    lead_later=Lead.FIRST,
    lead_card="",
    disconnect=("standin",),
    dealing=Dealing.DEALERS_LEFT,
    keeps_group=True,
    options=(
        FIRST_DEALER,
        Option("sit_out", "boolean", default=False, help="A pass holds until the trick closes, not one turn only."),
        Option("fresh_hands", "boolean", default=False, help="No exchange; the dealer's left leads every round."),
        Option("three_deals", "boolean", default=False, help="Exactly three rounds are played, to no target."),
    ),
)

ESCORIA = Ruleset(
    name="escoria",
    deck=FRENCH_52,
    strength=tuple(range(13)),
    seats_min=4,
    seats_max=7,
    modes=(Pace.TURNS, Pace.RAPID),
    default_mode=Pace.TURNS,
    plays_to=PlaysTo.TARGET,
    direction=Direction.CLOCKWISE,
    answer=Answer.HIGHER,
    passing=Passing.FREE,
    variants=Variants(),
    variant_names=("revolution", "four_closes", "strongest_closes", "finish_with_two"),
    exchange=ExchangeStyle.STEPS,
    swaps=(Swap(depth=0, count=1),),
    roles={
        4: ("president", "vice_president", "vice_scum", "scum"),
        5: ("president", "vice_president", "neutral", "vice_scum", "scum"),
        6: ("president", "vice_president", "upper_neutral", "lower_neutral", "vice_scum", "scum"),
        7: ("president", "vice_president", "upper_neutral", "neutral", "lower_neutral", "vice_scum", "super_scum"),
    },
    points={"president": 2, "vice_president": 1, "vice_scum": -1, "scum": -2, "super_scum": -2},
    penalty_rank=FRENCH_52.ranks.index("2"),
    lead_first=Lead.DEALERS_LEFT,
    lead_later=Lead.DEALERS_LEFT,
    lead_card="",
    disconnect=("standin",),
    dealing=Dealing.DEALERS_LEFT,
    dealer=Dealer.FIRST,
    order_by_rank=True,
    may_be_endless=True,
    options=(
        FIRST_DEALER,
        Option(
            "dealer",
            "choice",
            default="president",
            help="Who deals from round 2 on, the President or the last (scum); the seat on the left leads.",
            choices=("president", "scum"),
        ),
        Option(
            "reseat",
            "boolean",
            default=False,
            help="The chairs are shown in the order of the ranks.",
        ),
        Option(
            "larger_sets",
            "choice",
            default="off",
            help="More cards beat fewer: those of a higher rank, or any.",
            choices=("off", "higher", "any"),
        ),
        Option("equal", "boolean", default=False, help="An equal rank answers too."),
        Option(
            "skip_next",
            "boolean",
            default=False,
            help="An equal play skips the next seat.",
        ),
        Option(
            "turning",
            "choice",
            default="off",
            help="Four of a kind turn the order; or they and four equal singles turn order and direction.",
            choices=("off", "order", "run"),
        ),
        Option("jokers", "boolean", default=False, help="Two jokers, highest in either order."),
        Option("two_high_low", "boolean", default=False, help="A 2 beats everything and is beaten by everything."),
        Option(
            "transparent_threes",
            "boolean",
            default=False,
            help="Threes beat everything of their count and take its rank.",
        ),
    ),
)

PRESETS: dict[str, Ruleset] = {row.name: described(row) for row in (PRESIDENT, PRESI, HOUSE, ESCORIA)}
KNOWN_RULESETS = ("president", "presi", "house", "escoria")
"""All names of PROTOCOL section 2; those without a row are refused as not played here."""
