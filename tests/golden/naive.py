"""A second, naive way to count the lines of play, which knows the rules and nothing of the engine.

Cards are text, hands are sets of it, a position is what lies on the table. Only accepted plays and passes count,
no timers; a round that is over goes nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

FRENCH = tuple("3456789TJQKA2")


@dataclass(frozen=True)
class Game:
    """What is played: the ranks weakest first, the mode, the variants that are on, and how rulesets differ."""

    ranks: tuple[str, ...] = FRENCH
    has_turns: bool = False
    on: frozenset[str] = frozenset()
    is_strict: bool = False
    """Only a higher rank answers (4.1)."""
    is_binding: bool = True
    """A pass holds until the next trick (P4)."""
    killer: str | None = None
    """This card alone wins any trick (3.5)."""
    closes_on_finish: bool = False
    """3.7."""
    equal_skips: bool = False
    """3.4: in turns an equal rank skips the next seat, whatever it holds."""
    larger: str = "off"
    """5.5: `higher`: more cards of a higher rank beat fewer; `any`: more cards always do."""
    turning: str = "off"
    """5.5, 6: what four of a kind turns; `run`: four single cards of one rank do so too."""
    is_two_free: bool = False
    """5.5: a 2 beats everything and is beaten by everything."""
    are_threes_clear: bool = False
    """5.5: threes beat all of their count and take its rank."""
    wild: frozenset[str] = frozenset()
    """6: the ranks whose cards may stand for any other card but a joker; `*` are the jokers."""


@dataclass(frozen=True)
class Position:
    """Where a round stands; `last` made the top's play, `run` cards of its rank lie at the top (V2)."""

    hands: tuple[frozenset[str], ...]
    turn: int | None
    rank: str | None = None
    count: int = 0
    run: int = 0
    last: int | None = None
    passed: frozenset[int] = frozenset()
    must: str | None = None
    is_turned: bool = False
    singles: int = 0
    """How many single cards of one rank lie at the top, where that matters (5.5)."""
    way: int = 1
    """The direction of play: 1 or -1."""


TURNED = "KQJT98765432A"
"""5.5: weakest first while `run` has turned the order; an ace beats all and is beaten by all."""


def opening(hands: tuple[str, ...], leader: int | None) -> Position:
    """Return a round's first trick, empty; `leader` is None in rapid mode."""
    return Position(tuple(frozenset(hand.split()) for hand in hands), leader)


@cache
def lines(game: Game, position: Position, depth: int) -> int:
    """Return how many lines of `depth` steps there are."""
    following = list(steps(game, position))
    if depth == 1:
        return len(following)
    return sum(lines(game, after, depth - 1) for after in following if after is not None)


def steps(game: Game, position: Position) -> Iterator[Position | None]:
    """Yield the position behind every step that is allowed; None where the round is over."""
    for seat, hand in enumerate(position.hands):
        if not hand or seat in position.passed or (game.has_turns and seat != position.turn):
            continue
        for rank, cards in sets_of(game, hand):
            if is_allowed(game, position, rank, cards):
                yield behind_play(game, position, seat, rank, cards)
        if position.rank is not None and seat != position.last:
            yield behind_pass(game, replace(position, passed=position.passed | {seat}), seat)


def sets_of(game: Game, hand: frozenset[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every set of one to four cards of one rank, or played as it: (rank, cards)."""
    for rank in {*game.ranks, "*"} - (game.wild & {"*"}):
        same = [card for card in hand if card[:-1] == rank or (card[:-1] in game.wild and rank != "*")]
        for count in range(1, min(len(same), 4) + 1):
            yield from ((rank, cards) for cards in combinations(same, count))


def strength(game: Game, rank: str, *, is_turned: bool) -> int:
    """How strong a rank is; jokers are highest in either order."""
    if rank == "*":
        return 100
    if is_turned and game.turning == "run":
        return TURNED.index(rank)
    place = game.ranks.index(rank)
    return -place if is_turned else place


def is_free(game: Game, rank: str, *, is_turned: bool) -> bool:
    """Beats all of its count and is beaten by all of its count."""
    return (game.is_two_free and rank == "2") or (game.turning == "run" and is_turned and rank == "A")


def is_allowed(game: Game, position: Position, rank: str, cards: tuple[str, ...]) -> bool:
    top, turned = position.rank, position.is_turned
    if top is None or cards == (game.killer,):
        return True
    if len(cards) < position.count or position.must not in {None, rank}:
        return False
    ours, theirs = (strength(game, each, is_turned=turned) for each in (rank, top))
    if len(cards) > position.count:
        # As high cards: a free 2 or ace counts as high here.
        ours = 90 if is_free(game, rank, is_turned=turned) else ours
        theirs = 90 if is_free(game, top, is_turned=turned) else theirs
        return game.larger == "any" or (game.larger == "higher" and ours > theirs)
    if rank == "*" or (game.are_threes_clear and rank == "3"):
        return True
    if is_free(game, rank, is_turned=turned) or is_free(game, top, is_turned=turned):
        return True
    return ours > theirs or (ours == theirs and not game.is_strict)


def behind_play(game: Game, position: Position, seat: int, face: str, cards: tuple[str, ...]) -> Position | None:
    was_turned = position.is_turned
    is_clear = game.are_threes_clear and face == "3" and position.rank is not None
    rank = str(position.rank) if is_clear else face
    hands = tuple(hand - set(cards) if at == seat else hand for at, hand in enumerate(position.hands))
    if sum(bool(hand) for hand in hands) == 1:
        return None
    is_same = rank == position.rank and not is_clear
    run = 0 if is_clear else len(cards) + (position.run if is_same else 0)
    single = 0 if is_clear or len(cards) > 1 else 1 + (position.singles if is_same else 0)
    at_once = len(cards) == 4 and ("revolution" in game.on or game.turning != "off")
    turns = at_once or (game.turning == "run" and single >= 4)
    turns_way = turns and game.has_turns and game.turning in {"run", "order_and_direction"}
    after = Position(
        hands,
        None,
        rank,
        len(cards),
        run if "four_closes" in game.on else 0,
        seat,
        position.passed if game.is_binding else frozenset(),
        None,
        was_turned ^ turns,
        single if game.turning == "run" else 0,
        -position.way if turns_way else position.way,
    )
    last = TURNED[-1] if game.turning == "run" else game.ranks[0]
    # V3: of jokers that have a rank it is theirs.
    first, last = ("*", "*") if "*" in game.ranks else (game.ranks[-1], last)
    closes = (
        cards == (game.killer,)
        or ("four_closes" in game.on and run >= 4)
        or ("strongest_closes" in game.on and rank == (last if was_turned else first))
        or (game.closes_on_finish and not hands[seat])
    )
    if closes:
        return next_trick(game, after)
    return behind_pass(game, after, seat, is_equal=is_same and len(cards) == position.count)


def behind_pass(game: Game, position: Position, seat: int, *, is_equal: bool = False) -> Position:
    """Behind any step of `seat` that closes nothing by itself; `is_equal`: it was a play of the rank before it."""
    others = {at for at, hand in enumerate(position.hands) if hand and at not in position.passed} - {position.last}
    if not game.has_turns:
        return position if others else next_trick(game, position)
    # T3, T4: chair by chair, until the last player's.
    seats = len(position.hands)
    chair = (seat + position.way) % seats
    while chair != position.last:
        if chair in others and not is_equal:
            return replace(position, turn=chair, must=None)
        if chair in others and is_equal:
            held = sum(card[:-1] == position.rank for card in position.hands[chair])
            if "skip" in game.on and held >= position.count:
                return replace(position, turn=chair, must=position.rank)
            is_equal = not ("skip" in game.on or game.equal_skips)
            if is_equal:
                return replace(position, turn=chair, must=None)
        chair = (chair + position.way) % seats
    return next_trick(game, position)


def next_trick(game: Game, position: Position) -> Position:
    """P7: the last player leads, or the next with cards."""
    leader = None
    if game.has_turns:
        seats = len(position.hands)
        assert position.last is not None
        leader = next(
            at for step in range(seats) if position.hands[at := (position.last + position.way * step) % seats]
        )
    return Position(position.hands, leader, is_turned=position.is_turned, way=position.way)
