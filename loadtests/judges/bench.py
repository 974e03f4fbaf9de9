"""All judges, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from loadtests.judges import hidden, holders, plays, replies, seats, timers, viewers
from loadtests.judges.case import Case, Log

VERDICTS_MAX = 20
"""Of one judge: behind the first few the rest says the same again."""

Judge = Callable[[Case], Iterable[str]]


def _over_log(judge_one: Callable[[Log], Iterable[str]]) -> Judge:
    return lambda case: judge_one(case.log)


JUDGES: dict[str, Judge] = {
    "run": _over_log(plays.judge_run),
    "one_play_a_state": _over_log(plays.judge_states),
    "cards": _over_log(plays.judge_cards),
    "controllers": _over_log(seats.judge_controllers),
    "timers": timers.judge_timers,
    "losses": replies.judge_losses,
    "acknowledged": replies.judge_plays,
    "attempts": replies.judge_attempts,
    "accepted": replies.judge_accepted,
    "replies": replies.judge_replies,
    "viewers": viewers.judge_viewers,
    "forks": viewers.judge_resumed,
    "hidden": hidden.judge_hidden,
    "owners": seats.judge_owners,
    "holders": holders.judge_holders,
    "lost_seats": seats.judge_lost,
}
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What reading raises where a field is missing, of another type, or not possible there, by PROTOCOL."""
OF_A_LOG = ("run", "one_play_a_state", "cards", "controllers", "timers")


def judge(case: Case) -> list[str]:
    """Return the verdicts of all judges, each behind the judge's name; empty when all is well."""
    return _verdicts(case, JUDGES)


def judge_log(log: Log) -> list[str]:
    """Return the verdicts over a log alone."""
    return _verdicts(Case(log), OF_A_LOG)


def _verdicts(case: Case, names: Iterable[str]) -> list[str]:
    return [f"{name}: {verdict}" for name in names for verdict in islice(_heard(name, case), VERDICTS_MAX)]


def _heard(name: str, case: Case) -> Iterator[str]:
    """One judge to the end, or to what it cannot read: that is a verdict too, and the others are still heard."""
    try:
        yield from JUDGES[name](case)
    except UNREADABLE as error:
        yield f"what it was given is not as PROTOCOL says: {type(error).__name__}: {error}"
