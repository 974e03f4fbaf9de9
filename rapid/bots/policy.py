"""What a bot does: `choose(view, rng)` sees what its seat sees and nothing else (RULES section 8).

Without turns a lead is worth nothing: whoever is quick opens. What counts is how often a
set of cards may be laid at all. `levels` and `expert` say how each level weighs that; here
stands what holds for all: when there is anything to do, and in which shape it is asked for.
"""

from __future__ import annotations

from rapid.bots.dice import Rng
from rapid.bots.expert import expert_play, expert_return
from rapid.bots.leading import leading_play
from rapid.bots.levels import easy_play, normal_play, standin_play
from rapid.bots.sight import STANDIN, Sight, level_of, look, mover_of, row_of
from rapid.cards.cardset import card_names
from rapid.engine.intents import Give, Pass, Play
from rapid.engine.view import SeatView, View, YouView
from rapid.rules.exchange import ANY, BEST, extreme_cards
from rapid.rules.plays import Combination, named

Move = Play | Pass | Give


def choose(view: View, rng: Rng) -> Move | None:
    """Return what the viewing seat's bot does now; None: nothing, it waits for the next trick state.

    The level is that of the seat's own row: a bot's, `normal` for a leaver's, and the
    stand-in's rule for a person who has lost the connection.
    """
    you = view.you
    if you is None:
        return None
    row = row_of(view, you.seat)
    if row is None:
        return None
    if you.owes is not None:
        return _give(view, you, row)
    if view.trick is None or row.passed or not you.hand:
        return None
    if view.turn not in (None, you.seat):
        return None  # T3
    return _act(view, you, row, rng)


def _act(view: View, you: YouView, row: SeatView, rng: Rng) -> Move | None:
    assert view.trick is not None
    sight = look(view, you)
    level, by, on = level_of(row), mover_of(row), view.trick.state
    play = _choice(level, sight, rng)
    if play is None and sight.top is None and sight.rules.has_turns:
        play = standin_play(sight)  # a leader must play (P3); in the race whoever holds back waits for another
    if play is not None:
        return Play(seat=you.seat, on=on, cards=named(sight.rules, *play), by=by)
    if sight.top is None or sight.is_last_player:
        return None  # P3, R5: neither may pass
    return Pass(seat=you.seat, on=on, by=by)


def _choice(level: str, sight: Sight, rng: Rng) -> Combination | None:
    if level == "hard":
        return leading_play(sight) if sight.rules.has_turns else expert_play(sight)
    if sight.is_last_player:
        return None  # only the hard ones race on their own play
    if level == "easy":
        return easy_play(sight, rng)
    if level == STANDIN:
        return standin_play(sight)
    return normal_play(sight, rng)


def _give(view: View, you: YouView, row: SeatView) -> Give | None:
    owes = you.owes
    if owes is None or view.round is None:
        return None
    sight = look(view, you)
    level = level_of(row)
    if level == "hard" and owes.pick == ANY:
        cards = expert_return(sight.rules, sight.hand, owes.count)
    else:
        cards = extreme_cards(sight.rules, sight.hand, owes.count, best=owes.pick == BEST)
    names = card_names(sight.rules.deck, cards)
    return Give(seat=you.seat, round=view.round, cards=names, by=mover_of(row))
