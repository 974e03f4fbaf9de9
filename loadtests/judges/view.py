"""The view of PROTOCOL 3.3 as the judges' own fold gives it, to be laid beside that of a `welcome`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadtests.judges.table import ROLES, Chair, Table


def view_of(table: Table, seat: int | None) -> dict[str, Any]:
    """Return what this viewer must be shown now."""
    return {
        "table": table.name,
        "phase": table.phase,
        "settings": table.settings,
        "host": table.host,
        "order": table.order if table.hands is not None else sorted(table.chairs),
        "seats": [_row(table, chair) for _, chair in sorted(table.chairs.items())],
        "game": table.game,
        "round": table.round,
        "trick": table.trick,
        "revolution": table.revolution,
        "turn": None,
        "must_rank": None,
        "deadline": table.deadline,
        "exchange": None if table.owes is None else {"owes": table.owes},
        "you": None if seat is None or seat not in table.chairs else _you(table, seat),
        "results": table.results,
        "commit": table.commit,
        "deal": table.deal,
    }


def difference(view: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    """Return the name of the first field that is not as it must be; cards in a list have no order."""
    for name, value in wanted.items():
        if name not in view:
            return name
        if _unordered(view[name]) != _unordered(value):
            return name
    return None


def _unordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: sorted(inner) if key in {"hand", "cards"} and isinstance(inner, list | tuple) else _unordered(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_unordered(inner) for inner in value]
    return value


def _row(table: Table, chair: Chair) -> dict[str, Any]:
    row = {
        "seat": chair.seat,
        "name": chair.name,
        "kind": chair.kind,
        "connected": chair.is_connected or chair.kind == "bot",
        "standin": chair.has_standin,
        "leaving": chair.is_leaving,
        "cards": len(table.hands[chair.seat]) if table.hands is not None else 0,
        "passed": chair.seat in table.passed,
        "place": _place(table, chair.seat),
        "role": _role(table, chair.seat),
        "total": chair.total,
    }
    return row if chair.level is None else row | {"level": chair.level}


def _place(table: Table, seat: int) -> int | None:
    if table.hands is None:
        standings = table.results["standings"] if table.results is not None else []
        return standings.index(seat) + 1 if seat in standings else None
    if seat in table.clean:
        return table.clean.index(seat) + 1
    if seat in table.penalised:
        return len(table.order) - table.penalised.index(seat)
    return None


def _role(table: Table, seat: int) -> str | None:
    if seat not in table.standings:
        return None
    roles = ROLES.get(len(table.standings))
    return None if roles is None else roles[table.standings.index(seat)]


def _you(table: Table, seat: int) -> dict[str, Any]:
    owed = next((owed for owed in table.owes or () if owed["from"] == seat), None)
    return {
        "seat": seat,
        "hand": sorted(table.hands[seat]) if table.hands is not None and seat in table.hands else [],
        "owes": None if owed is None else {name: owed[name] for name in ("to", "count", "pick")},
        "salted": table.chairs[seat].is_salted,
    }
