"""Places, roles, points, winners (RULES 2.6, G3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapid.engine.replay.rulebook import Rulebook


def standings(clean: Sequence[int], left: Iterable[int], penalised: Sequence[int]) -> list[int]:
    """L1: clean finishers in order, the seat left with cards, the penalised, last penalised first."""
    return [*clean, *left, *reversed(penalised)]


def roles(book: Rulebook, placed: Sequence[int]) -> dict[int, str]:
    """L2: the title of each seat."""
    return dict(zip(placed, book.roles[len(placed)], strict=True))


def points(book: Rulebook, titles: dict[int, str]) -> dict[int, int]:
    """L2: what each seat earns in the round."""
    return {seat: book.points.get(title, 0) for seat, title in titles.items()}


def leaders(totals: dict[int, int]) -> set[int]:
    """G3: all who share the highest total."""
    best = max(totals.values(), default=0)
    return {seat for seat, total in totals.items() if total == best}
