"""`python -m loadtests.bench_bots`: whether each level of bots beats the one below it (RULES 8).

For each preset and mode two levels play each other, the levels in every other seat, all with the same waiting time.
Games go in pairs: the same deals' secrets and waits, the levels' seats swapped. Printed is how many points a round a
seat of the better level gets more than one of the lower, with the 95 % interval (a pair of games counts as one
observation, since the rounds of a game hang together).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from rapid.bots.simulate import Game
from rapid.bots.simulate_options import SimulateError, SimulateOptions, parse_options, parse_variants, settings_for
from rapid.engine.events import RoundEnded
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings

PAIRS = (("normal", "easy"), ("hard", "normal"))
WAITS_AS = "normal"
ROUNDS_OF_A_GAME = 5
CONFIDENT = 1.96
"""Standard errors on either side of the mean: 95 %."""


class Match(NamedTuple):
    """What is measured: `better` against `lower` at such tables."""

    better: str
    lower: str
    options: SimulateOptions
    rounds: int


class Pair(NamedTuple):
    """A pair of games: its rounds, and the points a seat of the better level got more, over all of them."""

    rounds: int
    ahead: float


class Figure(NamedTuple):
    """Mean points a round that a seat of the better level is ahead, and the half width of its 95 % interval."""

    rounds: int
    mean: float
    half: float

    @property
    def is_better(self) -> bool:
        """Whether the whole interval lies above zero."""
        return self.mean - self.half > 0


def levels_of(match: Match, seats: int, *, swapped: bool) -> tuple[str, ...]:
    """Return the levels by seat, every other one the better."""
    return tuple(match.better if (seat % 2 == 0) != swapped else match.lower for seat in range(seats))


def play(match: Match, settings: Settings, number: int, *, swapped: bool) -> Pair:
    """Play one game to its end."""
    levels = levels_of(match, settings.seats, swapped=swapped)
    better = levels.count(match.better)
    share = {match.better: 1 / better, match.lower: -1 / (len(levels) - better)}
    rounds, ahead = 0, 0.0
    game = Game(match.options.seed, number, settings, levels, WAITS_AS)
    for event in (event for decided in game.run() for event in decided.events if isinstance(event, RoundEnded)):
        rounds += 1
        ahead += sum(share[levels[int(seat)]] * points for seat, points in event.points.items())
    return Pair(rounds, ahead)


def pairs(match: Match) -> Iterator[Pair]:
    """Play pairs of games until there have been enough rounds."""
    settings = settings_for(match.options)
    rounds = number = 0
    while rounds < match.rounds:
        number += 1
        games = [play(match, settings, number, swapped=swapped) for swapped in (False, True)]
        pair = Pair(sum(game.rounds for game in games), sum(game.ahead for game in games))
        rounds += pair.rounds
        yield pair


def figure_of(played: Iterable[Pair]) -> Figure:
    """Return mean and interval: a ratio estimate, each pair of games one observation."""
    played = list(played)
    rounds = sum(pair.rounds for pair in played)
    mean = sum(pair.ahead for pair in played) / rounds
    rest = sum((pair.ahead - mean * pair.rounds) ** 2 for pair in played)
    error = math.sqrt(rest * len(played) / (len(played) - 1)) / rounds if len(played) > 1 else math.inf
    return Figure(rounds, mean, CONFIDENT * error)


def measure(match: Match) -> Figure:
    """Play a match."""
    return figure_of(pairs(match))


def matches(asked: argparse.Namespace) -> list[Match]:
    """Return all that was asked for."""
    variants = None if asked.variants is None else parse_variants(asked.variants)
    return [
        Match(better, lower, _options(asked, ruleset, str(mode), variants), asked.rounds)
        for ruleset in asked.ruleset or PRESETS
        for mode in PRESETS[ruleset].modes
        if asked.mode in (None, str(mode))
        for better, lower in PAIRS
        if asked.better in (None, better)
    ]


def _options(asked: argparse.Namespace, ruleset: str, mode: str, variants: tuple[str, ...] | None) -> SimulateOptions:
    by_rounds = PRESETS[ruleset].plays_to == "rounds"
    return SimulateOptions(
        ruleset=ruleset,
        mode=mode,
        seats=asked.seats,
        rounds=ROUNDS_OF_A_GAME if by_rounds else None,
        seed=asked.seed,
        variants=variants,
        options=parse_options(asked.options),
    )


def row_of(match: Match, figure: Figure) -> str:
    """Return a row of the table."""
    options = match.options
    interval = f"{figure.mean - figure.half:+.3f} to {figure.mean + figure.half:+.3f}"
    levels = f"{match.better} – {match.lower}"
    return f"| {options.ruleset} | {options.mode} | {levels} | {figure.rounds} | {figure.mean:+.3f} | {interval} |"


def parser() -> argparse.ArgumentParser:
    """Return what the command understands."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.bench_bots", description=__doc__)
    parser.add_argument("--ruleset", action="append", choices=list(PRESETS), help="only this one; may be repeated")
    parser.add_argument("--mode", choices=("rapid", "turns"))
    parser.add_argument("--better", choices=[better for better, _ in PAIRS], help="only this level's match")
    parser.add_argument("--rounds", type=int, default=2000, help="rounds a match, at least")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", help="names that are on, or none; without: the preset's own")
    parser.add_argument("--options", default="", help="as for `rapid simulate`: k=v,…")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if a level does not beat the one below it."""
    reader = parser()
    asked = reader.parse_args(arguments)
    try:
        todo = matches(asked)
        for match in todo:
            settings_for(match.options)
    except SimulateError as error:
        reader.error(str(error))
    sys.stdout.write("| ruleset | mode | levels | rounds | ahead | 95 % |\n|---|---|---|---|---|---|\n")
    all_better = True
    with ProcessPoolExecutor(asked.jobs) as processes:
        for match, figure in zip(todo, processes.map(measure, todo), strict=True):
            sys.stdout.write(row_of(match, figure) + "\n")
            sys.stdout.flush()
            all_better &= figure.is_better
    return 0 if all_better else 1


if __name__ == "__main__":
    sys.exit(main())
