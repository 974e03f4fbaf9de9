"""Lines of play counted twice: by the engine, and by a naive reading of the rules. A mismatch prints the position."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rapid.cards.cardset import card_names
from rapid.engine import intents as do
from rapid.engine.decide import decide
from rapid.engine.state import State
from tests.golden import naive
from tests.golden.perft_cases import CASES
from tests.rules.table import dealt


def key_of(state: State) -> tuple:
    """All of a position that says what may follow."""
    round_, trick = state.round, state.trick
    assert round_ is not None
    assert trick is not None
    run = trick.run if state.rules.four_closes else 0
    laid = (trick.top, trick.last_player, run, trick.passed)
    recent = tuple(play.cards for play in trick.plays[-4:]) if state.settings.options.get("turning") == "run" else ()
    return round_.hands, laid, recent, trick.turn, trick.must_rank, round_.revolution, round_.order


def engine_lines(state: State, game: naive.Game, depth: int, known: dict) -> int:
    """The engine's count of lines of `depth` accepted plays and passes."""
    if state.trick is None:
        return 0
    key = (key_of(state), depth)
    if key not in known:
        following = list(accepted(state, game))
        rest = depth - 1
        known[key] = sum(engine_lines(one, game, rest, known) for one in following) if rest else len(following)
    return known[key]


def accepted(state: State, game: naive.Game) -> Iterator[State]:
    """What the engine takes of all that could be laid, and of passes."""
    assert state.round is not None
    assert state.trick is not None
    on = state.trick.state
    for seat in state.round.order:
        hand = frozenset(card_names(state.rules.deck, state.round.hands[seat]))
        tries = [do.Play(seat=seat, on=on, cards=texts(game, *some)) for some in naive.sets_of(game, hand)]
        for intent in [*tries, do.Pass(seat=seat, on=on)]:
            outcome = decide(state, intent, state.at + 1)
            if outcome.refusal is None:
                yield outcome.state


def texts(game: naive.Game, rank: str, cards: tuple[str, ...]) -> tuple[str, ...]:
    """As a play says it: a wild card names the card it stands for (PROTOCOL section 1)."""
    suit = "O" if "12" in game.ranks else "S"
    return tuple(card if card[:-1] == rank else f"{card}={rank}{suit}" for card in cards)


def position_of(state: State, game: naive.Game) -> naive.Position | None:
    """What the naive reading would call this state."""
    round_, trick, deck = state.round, state.trick, state.rules.deck
    if round_ is None or trick is None:
        return None
    rank, count = trick.top or (None, 0)
    return naive.Position(
        hands=tuple(frozenset(card_names(deck, round_.hands[seat])) for seat in sorted(round_.order)),
        turn=trick.turn,
        rank=None if rank is None else (*deck.ranks, "*")[rank],
        count=count,
        run=trick.run if "four_closes" in game.on else 0,
        last=None if rank is None else trick.last_player,
        passed=frozenset(seat for seat in round_.order if trick.passed >> seat & 1),
        must=None if trick.must_rank is None else deck.ranks[trick.must_rank],
        is_turned=round_.revolution,
        singles=singles_of(state, game),
        way=1 if round_.order[0] < round_.order[1] or round_.order[:2] == (len(round_.order) - 1, 0) else -1,
    )


def singles_of(state: State, game: naive.Game) -> int:
    """How many single cards of one rank lie at the top, threes that took a rank apart."""
    found: list[str] = []
    plays = state.trick.plays if state.trick and game.turning == "run" else ()
    for place, play in reversed(list(enumerate(plays))):
        rank = play.cards[0][:-1]
        is_clear = game.are_threes_clear and rank == "3" and place > 0
        if len(play.cards) > 1 or is_clear or rank not in (found or [rank]):
            break
        found.append(rank)
    return len(found)


def first_difference(state: State, position: naive.Position, game: naive.Game, depth: int) -> str:
    """The first position from which the two go on differently, within so many steps."""
    ours = {position_of(after, game): after for after in accepted(state, game)}
    theirs = set(naive.steps(game, position))
    if set(ours) != theirs or depth == 1:
        only = [one for one in ours if one not in theirs], [one for one in theirs if one not in ours]
        return f"{position}\nonly by the engine: {only[0]}\nonly by the naive reading: {only[1]}" if any(only) else ""
    found = (first_difference(after, one, game, depth - 1) for one, after in ours.items() if one is not None)
    return next(filter(None, found), "")


@pytest.mark.parametrize("name", list(CASES))
def test_engine_and_naive_reading_count_the_same(name):
    case = CASES[name]
    state = dealt(*case.hands, **case.fields).state
    position = naive.opening(case.hands, case.fields.get("leader"))
    naive.lines.cache_clear()
    ours = engine_lines(state, case.game, case.depth, {})
    theirs = naive.lines(case.game, position, case.depth)
    assert ours == theirs, first_difference(state, position, case.game, case.depth)
