"""`python -m loadtests.bench_engine`: how long the rules take, without any network or Redis.

Prints the median time of a decision for an accepted play (`decide`, which folds its events
with `evolve`), for a pass and a lost race, of a bot's choice with and without its view, and
how many rounds a second `rapid simulate` plays on one core.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from rapid.bots.dice import Dice
from rapid.bots.policy import choose
from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions, settings_for
from rapid.engine.decide import decide
from rapid.engine.intents import OpenTable, Pass, Play, Start
from rapid.engine.state import State, blank
from rapid.engine.timers import fire_due
from rapid.engine.view import view_of

SECRET = "5e" * 32
POSITIONS = 400
"""Positions of real games that each figure is the median over."""
REPEATS = 7
"""Times a position is measured; the quickest counts, which leaves other processes out."""


class Position:
    """One moment of a game with a move that is accepted there."""

    def __init__(self, state: State, move: Play | Pass, at: int) -> None:
        self.state, self.move, self.at = state, move, at


def positions(seats: int, level: str, seed: int) -> list[Position]:
    """Return moments of a game in which bots move one behind the other, as fast as they like."""
    options = SimulateOptions(seats=seats, rounds=50, seed=seed, level=level)
    table = "benchmark0001"
    opened = OpenTable(table=table, settings=settings_for(options), person=None, bots=seats)
    dice, number = Dice(seed), 0
    found: list[Position] = []
    while len(found) < POSITIONS:
        number += 1
        state = decide(blank(table), opened, 0, SECRET).state
        state = decide(state, Start(seat=0), 1, f"{seed + number:064x}").state
        found += _moves(state, dice, seats)
    return found[:POSITIONS]


def _moves(state: State, dice: Dice, seats: int) -> list[Position]:
    found: list[Position] = []
    at = state.at
    while state.phase == "playing":
        at += 1
        seat = int(dice.random() * seats)
        move = choose(view_of(state, seat), dice)
        if isinstance(move, Play | Pass):
            found.append(Position(state, move, at))
            state = decide(state, move, at).state
        elif dice.random() < 1 / 8:
            at = max(at, state.deadline or at)
            fired = fire_due(state, at)
            state = fired.state if fired else state
    return found


def microseconds(work: Callable[[], object]) -> float:
    """Return the quickest of several times of one call."""
    best = float("inf")
    clock = time.perf_counter_ns
    for _ in range(REPEATS):
        begun = clock()
        work()
        best = min(best, clock() - begun)
    return best / 1000


def median_of(works: Sequence[Callable[[], object]]) -> float:
    """Return the median over these calls, in microseconds."""
    return round(statistics.median(microseconds(work) for work in works), 2)


def measure(seats: int, seed: int) -> dict[str, float]:
    """Return all figures by name, microseconds unless the name says otherwise."""
    moments = positions(seats, "normal", seed)
    plays = [moment for moment in moments if isinstance(moment.move, Play)]
    passes = [moment for moment in moments if isinstance(moment.move, Pass)]
    late = [(decide(m.state, m.move, m.at).state, m) for m in plays]
    figures = {
        "decide_and_evolve_play_us": median_of([partial(decide, m.state, m.move, m.at) for m in plays]),
        "decide_and_evolve_pass_us": median_of([partial(decide, m.state, m.move, m.at) for m in passes]),
        "decide_late_play_us": median_of([partial(decide, s, m.move, m.at + 5) for s, m in late]),
        "view_us": median_of([partial(view_of, m.state, m.move.seat) for m in moments]),
    }
    for level in ("easy", "normal", "hard"):
        views = [view_of(m.state, m.move.seat) for m in positions(seats, level, seed)]
        dice = Dice(seed)
        figures[f"choose_{level}_us"] = median_of([partial(choose, v, dice) for v in views])
    return figures


def rounds_a_second(seats: int, seed: int, rounds: int) -> float:
    """Return how many rounds a second `rapid simulate` plays, lines and all, by this process' own CPU time."""
    options = SimulateOptions(seats=seats, rounds=5, games=max(1, rounds // 5), seed=seed)
    begun = time.process_time()
    ended = sum('"type":"round_ended"' in line for line in simulate(options))
    return round(ended / (time.process_time() - begun), 1)


def main() -> None:
    """Measure and print, as text or as JSON."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.bench_engine", description=__doc__)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=300, help="rounds to simulate")
    parser.add_argument("--json", action="store_true", help="figures as one JSON object")
    asked = parser.parse_args()
    figures = measure(asked.seats, asked.seed)
    figures["simulate_rounds_per_second"] = rounds_a_second(asked.seats, asked.seed, asked.rounds)
    if asked.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    for name, figure in figures.items():
        sys.stdout.write(f"{name:32}{figure:10.2f}\n")


if __name__ == "__main__":
    main()
