"""Any ruleset, mode, variants, options and seats that go together: what must hold of every game played so.

`RAPID_COMBINATIONS=1000 pytest tests/property/test_combinations.py` tries more of them.
"""

import os

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from rapid.bots.dice import Dice
from rapid.bots.policy import choose
from rapid.bots.simulate import Game
from rapid.bots.simulate_options import SimulateError, SimulateOptions, settings_for
from rapid.engine import events as ev
from rapid.engine.evolve import fold
from rapid.engine.notation import event_lines, header_line, parse_header, parse_line
from rapid.engine.project import project_event
from rapid.engine.replay.verify import verify_lines
from rapid.engine.state import blank
from rapid.engine.view import view_of
from rapid.rules.presets import PRESETS
from tests.property.knowledge import Knowledge, Zones, hidden_words
from tests.property.test_anything import read_back

COMBINATIONS = int(os.environ.get("RAPID_COMBINATIONS", "20"))
PART = 10
"""How many a test draws: a test has a time limit."""
ROUNDS_MOST = 3
some = settings(
    max_examples=PART,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def values_of(option, seats):
    """Draw what this option may be set to."""
    if option.type == "boolean":
        return st.booleans()
    if option.type == "choice":
        return st.sampled_from(option.choices)
    if option.type == "seat":
        return st.none() | st.integers(0, seats - 1)
    return st.integers(option.min, option.max)


@st.composite
def combinations(draw):
    """Whatever the settings take: what they refuse is drawn again, a field at a time towards the defaults."""
    preset = draw(st.sampled_from(list(PRESETS.values())))
    mode = str(draw(st.sampled_from(preset.modes)))
    seats = draw(st.integers(preset.seats_min, preset.seats_max))
    variants = draw(st.sets(st.sampled_from(preset.variant_names))) if preset.variant_names else set()
    options = {option.name: draw(values_of(option, seats)) for option in preset.options if draw(st.booleans())}
    level, seed = draw(st.sampled_from(("easy", "normal", "hard"))), draw(st.integers(0, 2**32))
    rounds = draw(st.integers(1, ROUNDS_MOST)) if str(preset.plays_to) == "rounds" else None
    while True:
        asked = SimulateOptions(
            ruleset=preset.name, mode=mode, seats=seats, rounds=rounds, seed=seed,
            variants=tuple(sorted(variants)), options=options, level=level,
        )  # fmt: skip
        try:
            settings_for(asked)
        except SimulateError:
            if options:
                options.pop(draw(st.sampled_from(sorted(options))))
            elif variants:
                variants.discard(draw(st.sampled_from(sorted(variants))))
            else:
                raise
            continue
        return asked


@pytest.mark.parametrize("part", range(-(-COMBINATIONS // PART)))
def test_games_of_any_combination(part):
    seed(part)(some(given(combinations())(check)))()


def check(options):
    """A game of this combination ends, verifies, and is what it should be at every moment."""
    game = Game(options.seed, 1, settings_for(options))
    lines, before = [header_line(game.state.table)], game.state
    for decided in game.run():
        lines += event_lines(decided)
        read_back(before, decided.events, decided.at, game.state)
        before = game.state
    (report,) = verify_lines(lines)
    assert report.ok, report
    told = [parse_line(line) for line in lines[1:]]
    assert isinstance(told[-1].event, ev.GameEnded)
    assert walk(parse_header(lines[0]).table, told) == game.state


def walk(table, told):
    """Read the log event by event, return what it folds to.

    Cards are conserved, nobody is shown too much, no bot is at a loss.
    """
    state, zones = blank(table), Zones()
    words = hidden_words([line.event for line in told])
    seats = [line.event.seat for line in told if isinstance(line.event, ev.SeatTaken)]
    knowing = {viewer: Knowledge(viewer) for viewer in (None, *seats)}
    for line, following in zip(told, [*told[1:], None], strict=True):
        state = fold(state, (line.event,), line.at)
        zones.move(line.event)
        if state.round is not None:
            assert zones.all_cards() == sorted(state.rules.deck.names)
        is_whole = following is None or following.at != line.at
        for place, (viewer, knowledge) in enumerate(knowing.items()):
            knowledge.learn(line.event)
            shown = project_event(line.event, viewer)
            assert not knowledge.unknown_cards(shown)
            assert not knowledge.leaked(shown, words)
            # All views hold all plays of the trick: each viewer looks every so often.
            if is_whole and state.seq % len(knowing) == place:
                assert not knowledge.unknown_cards(view_of(state, viewer))
        if is_whole:
            assert_nobody_is_at_a_loss(state, line.event)
    return state


def assert_nobody_is_at_a_loss(state, event):
    """Whoever must act, can, and a bot in its place finds something to do."""
    dice = Dice("at a loss", state.seq)
    if isinstance(event, ev.TurnBegan):
        assert choose(view_of(state, event.seat), dice) is not None, event
    if isinstance(event, ev.ExchangeOpened):
        assert all(choose(view_of(state, owed.from_), dice) is not None for owed in event.owes), event
    if isinstance(event, ev.TrickOpened) and event.leader is None:
        assert any(choose(view_of(state, seat), dice) is not None for seat in state.round.order), event


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_every_option_is_among_those_drawn(preset):
    kinds = {option.type for option in preset.options}
    assert kinds <= {"boolean", "choice", "integer", "seat"}
