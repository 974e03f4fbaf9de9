"""Logs as an older version has stored them, byte for byte: they fold for ever (issue: versioned events).

`stored/vN_*.stream` is what Redis held, a line an entry: its id and its fields, the values in base64. Beside it what
that version made of it: the export and every viewer's view. They were written by the version whose records are
N, and are never written anew: what this version makes of them is what is tried.
"""

import base64
import json
import typing
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from rapid.engine.events import AnyEvent
from rapid.engine.notation import Decided, log_lines
from rapid.engine.replay.verify import verify_lines
from rapid.engine.view import view_of
from rapid.store.log import log_entry
from rapid.table.ports import LogEntry
from rapid.table.recovery import fold_log
from rapid.wire.records import Record

STORED = Path(__file__).parent / "stored"
IDS = {
    "v1_cut": "goldencut001",
    "v1_live": "goldenlive01",
    "v1_rapid": "goldenrapid1",
    "v2_turns": "4s1ved65z8dpj657",
    "v3_wild": "tl9bc1wcmqqccso2",
}


def rows_of(name: str) -> list[tuple[str, dict[str, bytes]]]:
    """Return the entries of a stored stream: id and fields."""
    rows = []
    for line in (STORED / f"{name}.stream").read_text("utf-8").splitlines():
        entry_id, *fields = line.split(" ")
        pairs = (field.partition("=") for field in fields)
        rows.append((entry_id, {key: base64.b64decode(value) for key, _, value in pairs}))
    return rows


def entries_of(name: str) -> list[LogEntry]:
    """Return them as a worker or a gateway of this version reads them."""
    table = IDS[name]
    flat = [
        [entry_id.encode(), [part for pair in fields.items() for part in (pair[0].encode(), pair[1])]]
        for entry_id, fields in rows_of(name)
    ]
    return [log_entry(table, row) for row in flat]


def records_of(name: str) -> list[Record]:
    return [entry.record for entry in entries_of(name) if entry.record is not None]


class StoredLog:
    """The part of a `Log` that folding uses, over stored entries."""

    def __init__(self, entries: list[LogEntry]) -> None:
        self._entries = entries

    async def read(self, _table: str, after: str, *, limit: int) -> list[LogEntry]:
        start = next((n for n, entry in enumerate(self._entries, 1) if entry.id == after), 0)
        return self._entries[start : start + limit]


def test_every_stored_log_is_tried():
    assert set(IDS) == {path.stem for path in STORED.glob("*.stream")}


def test_together_they_hold_every_event_there_is_and_several_epochs():
    seen = {type(event) for name in IDS for record in records_of(name) for event in record.events}
    assert seen == set(typing.get_args(AnyEvent))
    assert len({entry_id.partition("-")[0] for entry_id, _ in rows_of("v1_rapid")}) > 2


@pytest.mark.parametrize("name", list(IDS))
async def test_it_folds_to_what_every_viewer_saw_then(name):
    then = json.loads((STORED / f"{name}.views.json").read_text("utf-8"))
    past = await fold_log(StoredLog(entries_of(name)), IDS[name], "0-0")
    assert (past.cursor, past.opened_at) == (then["cursor"], then["opened_at"])
    for viewer, view in then["views"].items():
        seat = None if viewer == "spectator" else int(viewer)
        now = json.loads(msgspec.json.encode(view_of(past.state, seat)))
        assert holds(now, view) == [], f"viewer {viewer}"


@pytest.mark.parametrize("name", list(IDS))
def test_its_export_is_the_same_and_passes_the_second_reading_of_the_rules(name):
    decided = [Decided(record.seq, record.at, record.events) for record in records_of(name)]
    now = list(log_lines(IDS[name], decided))
    assert now == (STORED / f"{name}.log").read_text("utf-8").splitlines()
    (report,) = verify_lines(f"{line}\n".encode() for line in now)
    assert report.ok, report


def holds(now: object, then: object, at: str = "") -> list[str]:
    """Where `now` differs; fields that came to be since then are free (PROTOCOL, head)."""
    if isinstance(now, Mapping) and isinstance(then, Mapping):
        gone = [f"{at}.{key} is gone" for key in then.keys() - now.keys()]
        return gone + [fault for key in then.keys() & now.keys() for fault in holds(now[key], then[key], f"{at}.{key}")]
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [fault for n, pair in enumerate(zip(now, then, strict=True)) for fault in holds(*pair, f"{at}[{n}]")]
    return [] if now == then else [f"{at}: {now!r}, then {then!r}"]
