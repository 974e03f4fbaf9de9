"""`python -m loadtests`: a short race, for its judges and not for its speed, and a server whose frames go astray."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console

from loadtests.generator import frames
from loadtests.generator.fleet import Fleet
from loadtests.generator.plan import Plan
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import Run
from loadtests.scenarios.cuts import Cuts
from loadtests.under_test.floor import floor
from loadtests.under_test.measured import cut_readers
from loadtests.under_test.own import RAISED, own_server

ROOT = Path(__file__).parents[2]
FIELDS = {
    "scenario", "options", "seconds", "counted", "rate", "refused", "race_lost", "latency_ms", "cpu_us_per_intent",
    "memory_kb", "judges", "bottleneck",
}  # fmt: skip
SETTINGS = {"seats": 4, "race_seconds": 60, "rounds": "unlimited"}
ALL_WELL = {"lost": 0, "doubled": 0, "out_of_order": 0, "unverified": 0}
HEAD_END = b"\r\n\r\n"


def run(*arguments: str, report: Path) -> tuple[int, dict]:
    command = [sys.executable, "-m", "loadtests", *arguments, "--quiet", "--no-picture", "--json", str(report)]
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert report.exists(), ended.stderr
    return ended.returncode, json.loads(report.read_text())


def test_a_race_is_played_in_whole_games_and_judged(tmp_path):
    code, report = run(
        *("race", "--tables", "3", "--rate", "200", "--seconds", "1", "--contention", "2"), report=tmp_path / "r.json"
    )
    assert (code, report["judges"], report["verdicts"]) == (0, ALL_WELL, [])
    assert report.keys() >= FIELDS
    assert report["unanswered"] == 0
    # How much of it is done in time is the machine's matter; what is done are whole games all the same.
    assert report["counted"] + report["not_in_time"] + sum(report["refused"].values()) == 199
    assert report["counted_by_kind"]["play"] >= report["counted"] / 2
    assert report["race_lost"] > 0
    assert report["judged"]["connections"] == 12
    assert report["judged"]["events"] > 3 * 52
    assert (report["rate"] is None) == (report["bottleneck"] is not None)


class Thief(threading.Thread):
    """A way to the server on which one event of each seat but the first's is tampered with."""

    def __init__(self, port: int, tamper) -> None:
        super().__init__(daemon=True)
        self._tamper = tamper
        self.port = 0
        self.tampered: list[str] = []
        self._server_port = port
        self._is_listening = threading.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._sockets = 0

    def run(self) -> None:
        asyncio.run(self._listen())

    def __enter__(self):
        self.start()
        assert self._is_listening.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._end.set)
        self.join(10)

    async def _listen(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._is_listening.set()
        await self._end.wait()
        server.close()
        # The server waits for its connections at its end.
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(HEAD_END)
        upstream, up = await asyncio.open_connection("127.0.0.1", self._server_port)
        self._writers += [writer, up]
        up.write(head)
        self._sockets += head.startswith(b"GET /ws/")
        if head.startswith(b"GET /ws/") and self._sockets in self._tamper:
            back = self._copy_tampered(upstream, writer, *self._tamper[self._sockets])
        else:
            back = self._copy(upstream, writer)
        await asyncio.gather(self._copy(reader, up), back)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
        writer.close()

    async def _copy_tampered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind, tamper) -> None:
        writer.write(await reader.readuntil(HEAD_END))
        data, is_silent = b"", False
        while more := await reader.read(65_536):
            data += more
            while data and (end := frames.whole(data, lambda _opcode, _payload: None)):
                whole, data = data[:end], data[end:]
                if tamper.__name__ not in self.tampered and kind in whole:
                    self.tampered.append(tamper.__name__)
                    whole = tamper(whole, *frame_with(kind, whole))
                    is_silent = tamper is silent_from_here
                if not is_silent:
                    writer.write(whole)
        writer.close()


def frame_with(kind: bytes, data: bytes) -> tuple[int, int]:
    """Where the first frame with this in it begins and ends."""
    place = 0
    while True:
        end = place + frames.whole_one(data[place:])
        if kind in data[place:end]:
            return place, end
        place = end


def left_out(data: bytes, begin: int, end: int) -> bytes:
    return data[:begin] + data[end:]


def doubled(data: bytes, begin: int, end: int) -> bytes:
    return data[:end] + data[begin:end] + data[end:]


def of_another_seat(data: bytes, begin: int, end: int) -> bytes:
    place = data.index(b"\xa4seat", begin, end) + 5
    return data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]


def silent_from_here(data: bytes, begin: int, end: int) -> bytes:
    return b""


# In the midst of a decision: for an intent's own event the generator waits, and says that it never came.
TAMPER = {2: (b"trick_closed", left_out), 3: (b"trick_closed", doubled), 4: (b"\xa6played", of_another_seat)}
"""By the number of the connection; the first, of seat 0, is the one the generator plays by."""


def test_transcripts_that_are_not_the_logs_are_found_and_end_with_1(tmp_path):
    with own_server(is_split=False, fsync="everysec") as target, Thief(target.port, TAMPER) as thief:
        url = f"http://127.0.0.1:{thief.port}"
        code, report = run(
            *("race", "--tables", "1", "--rate", "50", "--seconds", "0.5", "--url", url), report=tmp_path / "r.json"
        )
    assert sorted(thief.tampered) == ["doubled", "left_out", "of_another_seat"]
    assert (code, report["unanswered"]) == (1, 0)
    assert (report["judges"]["lost"], report["judges"]["doubled"]) == (1, 1)
    assert report["judges"]["unverified"] == 1
    viewers = [verdict for verdict in report["verdicts"] if ": viewers: " in verdict]
    assert [any(f"seat {seat}" in verdict for verdict in viewers) for seat in range(4)] == [False, True, True, True]


def test_a_spectator_who_is_sent_nothing_any_more_is_found_though_it_is_hung_up_on(tmp_path):
    """Behind the four seats come two spectators; nothing follows on what the second is not sent."""
    with (
        own_server(is_split=False, fsync="everysec") as target,
        Thief(target.port, {6: (b"trick_closed", silent_from_here)}) as thief,
    ):
        code, report = run(
            *("spectators", "--tables", "1", "--watchers", "2", "--rate", "60", "--seconds", "1.5", "--repeats", "1"),
            *("--url", f"http://127.0.0.1:{thief.port}"),
            report=tmp_path / "r.json",
        )
    assert thief.tampered == ["silent_from_here"]
    assert code == 1
    assert report["judges"]["lost"] > 0
    assert ["watcher 2" in verdict for verdict in report["verdicts"]] == [True]


def test_an_event_that_a_seat_is_not_sent_ends_in_a_report_that_names_the_table(tmp_path):
    """No intent comes to its end there any more, and the log of a table at which no game has ended is not shown."""
    with (
        own_server(is_split=False, fsync="everysec") as target,
        Thief(target.port, {2: (b"trick_opened", silent_from_here)}) as thief,
    ):
        began_s = time.monotonic()
        code, report = run(
            *("race", "--tables", "1", "--idle", "1", "--rate", "20", "--seconds", "0.5"),
            *("--url", f"http://127.0.0.1:{thief.port}"),
            report=tmp_path / "r.json",
        )
        took_s = time.monotonic() - began_s
    assert thief.tampered == ["silent_from_here"]
    assert code == 1
    assert took_s < 40
    assert report["unanswered"] == 1
    assert report["judges"]["lost"] > 0
    assert (report["judged"]["opened"], report["judged"]["tables"]) == (2, 2)
    told = "\n".join(report["verdicts"])
    assert re.search(r"table \w+: playing.*not answered", told)
    assert re.search(r"table \w+: viewers: seat 1 .*had \d+ of \d+ events", told)


def open_run(target, fleet) -> Run:
    run = Run(target, fleet, Display(Console(), is_quiet=True))
    run.open(Plan(host=target.host, port=target.port, tables=2, settings=SETTINGS, pids=dict(target.pids)))
    return run


@pytest.mark.parametrize("part,judged", [("gateway", 2), ("redis", 0)])
def test_a_server_that_is_gone_is_noticed_and_said_and_the_rest_is_judged(part, judged):
    with own_server(is_split=False, fsync="everysec") as target, Fleet(1) as fleet:
        run = open_run(target, fleet)
        os.kill(target.pids[part], signal.SIGKILL)
        began_s = time.monotonic()
        measured = run.measure(20.0, 30.0)
        run.finish()
        found = run.judge()
        run.close()
        took_s = time.monotonic() - began_s
    assert took_s < 10
    assert f"the server is gone: its {part}" in run.faults[0]
    assert measured.bottleneck == run.faults[0]
    assert (found.opened, found.tables, found.connections, found.lost, found.verdicts) == (2, judged, 8, 0, [])
    report = Report(scenario="race", options={"tables": 2}, measured=measured, judged=found, faults=run.faults)
    assert not report.is_correct
    assert ("only 0 of 2 tables could be judged" in report.all_faults) == (judged == 0)


def test_a_generator_that_is_gone_leaves_the_others_reports():
    with own_server(is_split=False, fsync="everysec") as target, Fleet(2) as fleet:
        run = open_run(target, fleet)
        os.kill(fleet.pids[0], signal.SIGKILL)
        began_s = time.monotonic()
        measured = run.measure(1000.0, 60.0)
        took_s = time.monotonic() - began_s
        run.finish()
        found = run.judge()
        run.close()
    # The other one's window ends with it, and is waited for two seconds at most.
    assert took_s < 15
    assert "generator 1 has ended" in run.faults[0]
    assert run.broken_off == measured.broken_off == run.faults[0]
    assert measured.counted > 0
    assert (found.opened, found.tables, found.lost, found.verdicts) == (2, 1, 0, [])


def test_readers_that_stop_are_cut_off_and_whoever_is_not_has_missed_nothing():
    limits = RAISED | {"VIEWER_BUFFER_MAX_BYTES": "4096"}
    with own_server(is_split=False, fsync="everysec", limits=limits) as target, Fleet(1) as fleet:
        run = Run(target, fleet, Display(Console(), is_quiet=True))
        run.open(Plan(host=target.host, port=target.port, tables=1, settings=SETTINGS, slow=2))
        cuts = Cuts(run)
        cuts.begin()
        run.measure(20.0, 0.2)
        cuts.end()
        cuts.begin()
        for _ in range(6):
            run.measure(400.0, 0.5)
            if cut_readers(target) == 2:
                break
        cuts.end()
        run.finish()
        judged = run.judge()
        run.close()
    assert cuts.cut == [0, 2]
    assert [stopped.ended for stopped in cuts.stopped] == [0, 2]
    assert [stopped.due_bytes > 20_000 for stopped in cuts.stopped] == [False, True]
    [fault] = cuts.faults(4096)
    assert "2 readers stopped and none was cut off" in fault
    assert (judged.connections, judged.lost, judged.verdicts) == (8, 0, [])
    assert run.faults == ()


def test_slow_readers_among_others_are_cut_off_too_or_it_is_said_why_not(tmp_path):
    load = ("mixed", "--tables", "1", "--watchers", "1", "--idle", "1", "--slow", "2")
    code, report = run(*load, "--rate", "400", "--seconds", "8", report=tmp_path / "m.json")
    assert (code, report["slow_readers_cut_off"], report["verdict"]) == (0, 2, "")
    code, report = run(*load, "--rate", "20", "--seconds", "0.5", report=tmp_path / "n.json")
    assert (code, report["slow_readers_cut_off"]) == (0, 0)
    assert "No slow reader was cut off, and none had to be" in report["verdict"]


def test_a_load_that_no_machine_carries_ends_the_window_and_not_the_generator(tmp_path):
    code, report = run("race", "--tables", "1", "--rate", "1e6", "--seconds", "30", report=tmp_path / "r.json")
    assert (code, report["rate"], report["judges"]) == (0, None, ALL_WELL)
    assert "far more than is carried" in report["bottleneck"]
    assert report["memory_kb"]["generator 1"] < 1_000_000


def test_the_floor_takes_the_same_load_from_the_same_generator():
    with floor(tables=4, fsync="everysec", decide_us=0.0) as target, Fleet(1) as fleet:
        run = Run(target, fleet, Display(Console(), is_quiet=True))
        run.open(Plan(host=target.host, port=target.port, kind="floor", tables=4))
        measured = run.measure(200.0, 0.5)
        run.close()
    assert measured.unanswered == 0
    assert measured.counted + measured.behind == 99
    # Each of the four seats has had each event.
    assert measured.latency.count == 4 * measured.counted > 0
    assert measured.cpu_s["gateway"] > 0


def run_on(limits: dict[str, str], report: Path, scenario: str = "race") -> tuple[int, dict]:
    with own_server(is_split=False, fsync="everysec", limits=limits) as target:
        url = f"http://127.0.0.1:{target.port}"
        load = ("--tables", "1", "--rate", "60", "--seconds", "1")
        return run(scenario, *load, "--url", url, report=report)


def test_a_server_that_refuses_who_asks_too_often_is_not_asked_on_at_once(tmp_path):
    code, report = run_on({"INTENTS_PER_SECOND": "4", "INTENTS_BURST": "2"}, tmp_path / "r.json")
    assert (code, report["judges"], report["verdicts"], report["cut_off"]) == (0, ALL_WELL, [], 0)
    # A second of load and two behind it, ten times a second at most.
    assert 0 < report["refused"].pop("rate_limited") <= 31
    assert report["refused"] == {}


def test_a_server_that_closes_connections_for_asking_too_often_ends_the_run_with_a_report(tmp_path):
    limits = {"MESSAGES_PER_SECOND": "1", "MESSAGES_BURST": "22"}
    code, report = run_on(limits, tmp_path / "r.json")
    assert (code, report["judges"]) == (1, ALL_WELL)
    assert report["cut_off"] > 0
    assert "(4009)" in report["verdicts"][0]
    code, report = run_on(limits, tmp_path / "c.json", "churn")
    assert (code, report["cut_off"] > 0, report["judges"]) == (1, True, ALL_WELL)
    assert "(4009)" in "\n".join(report["verdicts"])
    code, report = run_on(limits, tmp_path / "l.json", "limit")
    assert (code, len(report["steps"])) == (1, 1)
    assert "(4009)" in report["verdict"]


class Stub(BaseHTTPRequestHandler):
    """Opens tables like a server, and has no WebSocket."""

    opened = b'{"table": "abcdefghij", "seat": 0, "token": "t"}'

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self._answer(201, self.opened)

    def do_GET(self):
        self._answer(404, b"nothing here")

    def log_message(self, *_):
        pass

    def _answer(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Page(Stub):
    opened = b"<html>\n<title>welcome"


@pytest.mark.parametrize("handler,said", [(Stub, "404"), (Page, "<html> <title>welcome"), (None, "refused")])
def test_what_is_no_server_of_ours_is_said_in_a_line(handler, said):
    with ThreadingHTTPServer(("127.0.0.1", 0), handler or Stub) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        if handler is None:
            server.server_close()
        else:
            thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        command = [sys.executable, "-m", "loadtests", "race", "--tables", "1", "--url", url, "--quiet", "--no-picture"]
        ended = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
        )
        if handler is not None:
            server.shutdown()
            thread.join()
    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout, len(lines)) == (1, "", 1)
    assert lines[0].startswith("loadtest: ")
    assert said in lines[0]
