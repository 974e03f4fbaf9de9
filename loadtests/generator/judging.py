"""Behind every run: all transcripts against the logs, every log verified, nothing lost, doubled or out of order."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

import msgspec

from loadtests.generator import frames
from loadtests.generator.plan import Judged
from loadtests.generator.race_table import RaceTable
from loadtests.generator.viewer import Link, Viewer
from loadtests.generator.wire import Wire
from loadtests.judges import Case, Transcript, judge
from loadtests.judges.bench import UNREADABLE
from loadtests.judges.case import Log, count_until, last_seq
from loadtests.stopping import end_with_parent
from rapid.engine.replay.verify import verify_lines

LOST: Final = ("acknowledged", "accepted")
"""Judges who say what was accepted and is not there."""
GONE: Final = ("is not in the log", "is gone")
VERDICTS_PER_TABLE: Final = 5
Cache = dict[bytes, list[dict[str, Any]]]

_decode_log = msgspec.json.Decoder(dict[str, Any]).decode


def judge_all(tables: Sequence[RaceTable], logs: Sequence[Sequence[str] | None], *, is_settled: bool) -> Judged:
    """Judge table by table, on all cores. `is_settled`: the server was there to the end, so nothing may be missing."""
    _JOBS[:] = [(table, lines, is_settled) for table, lines in zip(tables, logs, strict=True)]
    judged = Judged()
    # Forked: the transcripts are there already. Nothing else runs in this process by now.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=end_with_parent) as pool:
        for one in pool.map(_judge_job, range(len(_JOBS)), chunksize=1):
            judged.add(one)
    return judged


_JOBS: list[tuple[RaceTable, Sequence[str] | None, bool]] = []


def _judge_job(number: int) -> Judged:
    table, lines, is_settled = _JOBS[number]
    verdicts = hung_up(table) if is_settled else []
    return judge_table(table.table, transcripts_of(table), lines, is_settled=is_settled, verdicts=verdicts)


def judge_table(
    table: str,
    transcripts: Sequence[Transcript],
    lines: Sequence[str] | None,
    *,
    is_settled: bool = True,
    verdicts: Sequence[str] = (),
) -> Judged:
    """Judge one table; without its log only whether what came is without gaps. `verdicts`: what is known already."""
    log = [_decode_log(line) for line in (lines or ())[1:]]
    judged = Judged(opened=1, events=len(log), connections=len(transcripts))
    verdicts = [*verdicts]
    for one in transcripts:
        judged.messages += len(one.received)
        try:
            _count_events(judged, one, log, is_settled=is_settled)
        except UNREADABLE as error:
            verdicts.append(f"messages: {one.named()} was sent one that is not as PROTOCOL says: {error!r}")
    if lines is not None:
        judged.tables = 1
        verdicts += judge(Case(log=log, transcripts=transcripts, table=table, is_settled=is_settled))
        judged.lost += _count_lost(verdicts)
        wrong = [report for report in verify_lines(lines) if not report.ok]
        verdicts += [f"verify: seq {report.seq}: {report.reason}" for report in wrong]
    judged.unverified = int(bool(verdicts))
    judged.verdicts = [f"table {table}: {verdict}" for verdict in verdicts[:VERDICTS_PER_TABLE]]
    return judged


def _count_lost(verdicts: Sequence[str]) -> int:
    """Count each accepted intent that is not there once, however many judges miss it."""
    parted = [verdict.partition(": ") for verdict in verdicts]
    return len({_SEQ.sub("", text) for name, _, text in parted if name in LOST and text.endswith(GONE)})


_SEQ: Final = re.compile(r" \(seq \d+\)")


def _count_events(judged: Judged, one: Transcript, log: Log, *, is_settled: bool) -> None:
    seen, at = set[int](), 0
    for _, message in one.received:
        if message["t"] == "welcome":
            at = message["seq"]
        elif message["t"] == "event":
            seq = message["seq"]
            if seq in seen:
                judged.doubled += 1
            elif seq < at:
                judged.out_of_order += 1
            elif seq > at + 1:
                judged.lost += seq - at - 1
            seen.add(seq)
            at = max(at, seq)
    if at:
        until = (last_seq(log) if is_settled else 0) if one.closed_ms is None else one.must_seq or 0
        judged.lost += max(0, count_until(log, until) - count_until(log, at))


def hung_up(table: RaceTable) -> list[str]:
    """Say on whom the server has hung up who had not left, and who read what came."""
    if table.fold.phase == "closed":
        return []
    return [
        f"hung up: {_named(viewer)}: the server ended its connection ({link.connection.code or 'without a word'})"
        for viewer in table.viewers
        for link in viewer.links
        if link.connection.is_cut and not (viewer.is_gone or link.connection.has_stopped)
    ]


def _named(viewer: Viewer) -> str:
    return f"{'seat' if viewer.number >= 0 else 'watcher'} {abs(viewer.number)}"


def transcripts_of(table: RaceTable) -> list[Transcript]:
    """Return what each connection sent and was sent."""
    cache: Cache = {}
    return [_transcript(viewer, link, table.wire, cache) for viewer in table.viewers for link in viewer.links]


def _transcript(viewer: Viewer, link: Link, wire: Wire, cache: Cache) -> Transcript:
    connection = link.connection
    received: list[tuple[int, dict[str, Any]]] = []
    for chunk, at_s in zip(connection.chunks, connection.times, strict=True):
        messages = cache.get(chunk)
        if messages is None:
            messages = cache[chunk] = [wire.read_all(payload) for payload in frames.payloads(chunk)]
        at_ms = int(at_s * 1000)
        received += [(at_ms, message) for message in messages]
    closed_s = connection.closed_s
    is_seat = viewer.number >= 0
    return Transcript(
        viewer=_named(viewer),
        seat=viewer.number if is_seat else None,
        sent=[(int(at_s * 1000), message) for at_s, message in link.sent],
        received=received,
        opened_ms=int(connection.opened_s * 1000),
        closed_ms=None if closed_s is None else int(closed_s * 1000),
        must_seq=link.must_seq,
    )
