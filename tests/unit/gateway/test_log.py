"""The log as it may be shown: up to the running game, with the secrets of ended deals only (PROTOCOL 2)."""

import json

import pytest

from rapid.engine import events as ev
from rapid.errors import StoreUnavailable
from rapid.gateway.log import Extent, extent_of, log_lines
from rapid.table.ports import LogEntry
from rapid.wire.records import Record

OPENED = [ev.TableClosed("x"), ev.Committed(1, "c1", "s1"), ev.SeatTaken(0, "A", "person", token_hash="h")]
GAME = [
    ev.GameStarted(1, (0,), None),
    ev.Dealt(1, 1, (0,), {"0": ("3S",)}),
    ev.Committed(2, "c2", "s2"),
    ev.TrickOpened(1, None, 5),
]
ROUND_ENDED = ev.RoundEnded(1, 1, (0,), {}, {}, {}, "s1")
ENDED = ev.GameEnded(1, "rounds", (0,), {})
AGAIN = [ev.GameStarted(2, (0,), None), ev.Dealt(1, 2, (0,), {"0": ("4S",)}), ev.Committed(3, "c3", "s3")]
CUT_SHORT = [ev.GameEnded(2, "interrupted", (), {}, "s2"), ev.LobbyOpened()]


@pytest.fixture(autouse=True)
def pages_of_three(monkeypatch):
    monkeypatch.setattr("rapid.gateway.log.PAGE", 3)


class FakeStore:
    """A log of given decisions with a bare claim in front, and the run of Redis that it is read from."""

    def __init__(self, *decisions):
        self.log, self.run, self.lives = self, 1, None
        self.tell(*decisions)

    def tell(self, *decisions):
        self.entries, seq = [LogEntry("1-0", None)], 1
        for n, decision in enumerate(decisions, 1):
            self.entries.append(LogEntry(f"1-{n}", Record(seq, 10 * n, "0-0", tuple(decision))))
            seq += len(decision)

    async def read(self, table, after, *, limit):
        ids = ["0-0", *(entry.id for entry in self.entries)]
        return self.entries[ids.index(after) :][:limit] if after in ids else []

    async def run_id(self):
        """Return the run; the one that ends with this answer is followed by one that has lost the end of a game."""
        run = f"run-{self.run}"
        if self.lives is not None:
            self.lives -= 1
            if self.lives == 0:
                self.run += 1
                self.tell(OPENED, GAME)
        return run


async def shown(store):
    extent = await extent_of(store, "t")
    text = b"".join([lines async for lines in log_lines(store, "t", extent)]).decode()
    return extent, [json.loads(line) for line in text.splitlines()]


async def test_no_log():
    assert await extent_of(FakeStore(), "t") == Extent(0, has_ended_game=False, open_deals=frozenset(), run="run-1")


async def test_no_game_has_ended():
    assert not (await extent_of(FakeStore(OPENED, GAME), "t")).has_ended_game


async def test_all_of_it_between_games():
    extent, lines = await shown(FakeStore(OPENED, GAME, [ROUND_ENDED, ENDED]))
    assert extent == Extent(9, has_ended_game=True, open_deals=frozenset({2}), run="run-1")
    assert lines[0] == {"log": "rapid", "v": 1, "table": "t"}
    assert [line["seq"] for line in lines[1:]] == list(range(1, 10))
    assert [line.get("secret") for line in lines if line.get("type") == "committed"] == ["s1", None]
    assert not any("token_hash" in line for line in lines)
    assert [line["at"] for line in lines[1:]] == [10] * 3 + [20] * 4 + [30] * 2


async def test_up_to_the_running_game():
    extent, lines = await shown(FakeStore(OPENED, GAME, [ROUND_ENDED, ENDED], AGAIN))
    assert extent.last_seq == 9
    assert lines[-1]["type"] == "game_ended"
    assert [line.get("secret") for line in lines if line.get("type") == "committed"] == ["s1", None]


async def test_a_deal_cut_short_has_ended():
    extent, lines = await shown(FakeStore(OPENED, GAME, [ROUND_ENDED, ENDED], AGAIN, CUT_SHORT))
    assert extent.open_deals == {3}
    assert lines[-1]["type"] == "lobby_opened"
    assert [line.get("secret") for line in lines if line.get("type") == "committed"] == ["s1", "s2", None]


NOTHING = [ev.HostChanged(0)]


@pytest.mark.parametrize("lives", range(1, 8))
async def test_a_running_game_is_not_shown_though_its_end_was_lost_while_the_log_was_read(lives):
    """Wherever Redis comes back without the end of the game, until the page with the hands has been read."""
    store = FakeStore(OPENED, *[NOTHING] * 6, GAME, [ROUND_ENDED, ENDED])
    store.lives, pieces = lives, []

    async def show():
        async for piece in log_lines(store, "t", await extent_of(store, "t")):
            pieces.append(piece)  # noqa: PERF401  # what came before the fault counts

    with pytest.raises(StoreUnavailable):
        await show()
    assert store.run == 2
    assert len(pieces) == (0 if lives < 5 else lives - 4)
    assert b'"hands"' not in b"".join(pieces)


@pytest.mark.parametrize("lives", range(1, 5))
async def test_a_log_that_lost_its_end_while_it_was_read_is_not_taken_for_corrupt(lives):
    store = FakeStore(OPENED, *[NOTHING] * 6, GAME, [ROUND_ENDED, ENDED])
    store.lives, tell = lives, store.tell
    store.tell = lambda *_: tell(OPENED)
    with pytest.raises(StoreUnavailable):
        await extent_of(store, "t")
