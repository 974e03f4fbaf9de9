"""The hard level in turns: whoever wins a trick leads the next, so it counts what wins and what may be led.

It plays as often as it can, like the stand-in, and better in four things: it leads sets that few can answer, keeps for
answers what beats everything, runs out once all but one of its sets are sure to win, and lays its strongest single
against somebody's last card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapid.bots.expert import Candidate, plain_candidates, sets_of
from rapid.bots.levels import standin_play
from rapid.bots.sight import Sight
from rapid.bots.worth import standing
from rapid.cards.cardset import RANK_MASK, of_rank
from rapid.rules.legal import FOUR, answer_fault, turns_order
from rapid.rules.plays import CARDS_MOST, Combination
from rapid.rules.ruleset import Rules
from rapid.rules.standin import wild_answer

A_CARD_MORE = 2
"""So many ranks weaker a set may be for each card that it has more, to be led as gladly."""
FEW = 5
"""With no more cards than this wild ones are kept back no longer."""
LAST_CARD = 1


class Held(NamedTuple):
    """The cards held of one rank."""

    rank: int
    cards: int
    size: int
    strength: int
    """In the present order; what beats everything stands above all."""
    is_sure: bool
    """Whether nobody answers it, led or in its turn."""


def leading_play(sight: Sight) -> Combination | None:
    """Return what to lay in one's turn, None to pass."""
    rules = sight.rules
    plain = sight.hand if rules.wild is None else sight.hand & ~rules.wild.cards
    if sight.must_rank is not None or not plain:
        return standin_play(sight)  # V5, or wild cards alone
    held = _held(sight, plain)
    if rules.wild is not None and (out := _out_at_once(sight, held)) is not None:
        return out
    if sight.top is None:
        return _opening(sight, held)
    return _answer(sight, held, plain)


def _held(sight: Sight, hand: int) -> list[Held]:
    rules, turned = sight.rules, sight.reversed_
    strengths = rules.turned if turned else rules.strength
    still = standing(rules, sight.hand | sight.laid, reversed_=turned)
    over, under = rules.over_all[turned], rules.under_all[turned]
    return [
        Held(
            rank,
            cards,
            size,
            strengths[rank] + (rules.strongest if over >> rank & 1 else 0),
            not under >> rank & 1 and (still[rank] >= rules.strongest or _closes(sight, rank, cards, size)),
        )
        for rank, cards, size in sets_of(hand)
    ]


def _closes(sight: Sight, rank: int, cards: int, size: int) -> bool:
    """Whether nobody can answer that many cards, or they close the trick by themselves (V2, V3, 3.5)."""
    rules = sight.rules
    if size > sight.most_cards or cards == rules.killer:
        return True
    if rules.strongest_closes and rank == rules.closing_ranks[sight.reversed_]:
        return True
    return rules.four_closes and size == FOUR


def _out_at_once(sight: Sight, held: Sequence[Held]) -> Combination | None:
    """Return the whole hand if wild cards make one play of it."""
    rules, top, count = sight.rules, sight.top, sight.hand.bit_count()
    if len(held) > 1 or count > CARDS_MOST or (top is not None and top[1] != count):
        return None
    rank = held[0].rank
    if rank >= len(rules.deck.ranks):
        return None  # nothing stands for a joker
    if top is not None and answer_fault(rules, top, rank, count, reversed_=sight.reversed_):
        return None
    return rank, sight.hand


def _opening(sight: Sight, held: Sequence[Held]) -> Combination:
    spared = _spared(sight.rules, held)
    choice = [one for one in held if one not in spared] or held
    sure = [one for one in choice if one.is_sure]
    if sure and len(choice) - len(sure) <= 1:  # all but one win: they go first
        return _play_of(min(sure, key=lambda one: one.strength))
    useful = [one for one in choice if not _turns_badly(sight, one)] or choice
    return _play_of(max(useful, key=lambda one: A_CARD_MORE * one.size - one.strength))


def _play_of(one: Held) -> Combination:
    return one.rank, one.cards


def _spared(rules: Rules, held: Sequence[Held]) -> list[Held]:
    """V4: with one other set left the 2s go first, or they would be laid last."""
    twos = [one for one in held if rules.finish_with_two and one.rank == rules.penalty_rank]
    return [one for one in held if one not in twos] if twos and len(held) == len(twos) + 1 else []


def _turns_badly(sight: Sight, one: Held) -> bool:
    """Whether these four turn the order into one in which the rest of the hand is weaker (V1, 5.5)."""
    rules = sight.rules
    if not turns_order(rules, one.size):
        return False
    now, then = (rules.turned, rules.strength) if sight.reversed_ else (rules.strength, rules.turned)
    rest = [rank for rank, _, _ in sets_of(sight.hand & ~one.cards) if rank < len(now)]
    return sum(then[rank] for rank in rest) < sum(now[rank] for rank in rest)


def _answer(sight: Sight, held: Sequence[Held], plain: int) -> Combination | None:
    rules = sight.rules
    choice = _allowed(sight, list(plain_candidates(sight, plain)))
    if not choice:
        may_use_wild = rules.wild is not None and sight.hand.bit_count() <= FEW
        return wild_answer(rules, sight.hand, _top(sight), reversed_=sight.reversed_) if may_use_wild else None
    by_rank = {one.rank: one for one in held}
    whole = [one for one in choice if one.laid == one.size]
    sure = [one for one in whole if by_rank[one.rank].is_sure]
    if sure and sum(not one.is_sure for one in held) <= 1:
        return _first(sure, by_rank, rules)
    if sight.least_cards == LAST_CARD and _top(sight)[1] == LAST_CARD:
        return _last(choice, by_rank, rules)
    good = [one for one in whole if not _turns_badly(sight, by_rank[one.rank])]
    return _first(good or whole or choice, by_rank, rules)


def _allowed(sight: Sight, choice: Sequence[Candidate]) -> Sequence[Candidate]:
    """V4: never what leaves 2s alone or lays them last; they go while two other sets are left."""
    rules = sight.rules
    if not rules.finish_with_two:
        return choice
    twos = RANK_MASK << (4 * rules.penalty_rank)
    clean = [one for one in choice if sight.hand & ~one.cards & ~twos or not (sight.hand & twos)]
    if of_rank(sight.hand, rules.penalty_rank) and len([*sets_of(sight.hand & ~twos)]) <= 2:
        clean = [one for one in clean if one.rank == rules.penalty_rank] or clean
    return clean


def _top(sight: Sight) -> tuple[int, int]:
    assert sight.top is not None
    return sight.top


def _key(one: Candidate, by_rank: dict[int, Held], rules: Rules) -> tuple[bool, int, int]:
    """Weakest first; the killer two above the twos, and alone it breaks a set of them (RULES 9)."""
    return one.laid != one.size, by_rank[one.rank].strength + (one.cards == rules.killer), one.laid


def _first(choice: Sequence[Candidate], by_rank: dict[int, Held], rules: Rules) -> Combination:
    one = min(choice, key=lambda one: _key(one, by_rank, rules))
    return one.rank, one.cards


def _last(choice: Sequence[Candidate], by_rank: dict[int, Held], rules: Rules) -> Combination:
    one = max(choice, key=lambda one: _key(one, by_rank, rules)[1:])
    return one.rank, one.cards
