"""The Redis server of our own, with real processes."""

import asyncio
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import redis
from redis.asyncio import Redis

from rapid.errors import ConfigError, DataFolderBusy, ServerDidNotStart
from rapid.store import embedded
from rapid.store.embedded import EmbeddedRedis, attach_or_start, is_answering

PATIENCE_SECONDS = 20.0


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "data")
    yield server
    await server.stop()


def sync_client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, decode_responses=True)


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.01)


def has_ended(pid: int) -> bool:
    """A zombie has ended too; it is its parent's to bury."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


async def test_it_answers_when_started_and_keeps_nothing_open_to_others(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    with sync_client(server.url) as client:
        assert client.ping()
        settings = client.config_get("*")
    assert settings["port"] == "0"
    assert settings["appendonly"] == "yes"
    assert settings["appendfsync"] == "everysec"
    assert settings["save"] == ""
    assert settings["maxmemory-policy"] == "noeviction"
    assert settings["aof-load-truncated"] == "yes"
    assert stat.S_IMODE((tmp_path / "data" / "redis.sock").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_fsync_always_is_passed_on(tmp_path: Path):
    server = EmbeddedRedis(tmp_path / "data", fsync="always")
    await server.start()
    with sync_client(server.url) as client:
        assert client.config_get("appendfsync") == {"appendfsync": "always"}
    await server.stop()


async def test_stop_ends_the_process_and_a_restart_keeps_the_data(server: EmbeddedRedis):
    await server.start()
    pid = server.pid
    with sync_client(server.url) as client:
        client.xadd("log", {"e": "1"}, id="1-1")
    await server.stop()
    assert server.pid is None
    assert has_ended(pid)
    await server.start()
    with sync_client(server.url) as client:
        assert client.xrange("log") == [("1-1", {"e": "1"})]


async def test_a_killed_server_keeps_what_it_had_answered(server: EmbeddedRedis):
    await server.start()
    with sync_client(server.url) as client:
        client.set("answered", "yes")
    os.kill(server.pid, signal.SIGKILL)
    await server.stop()
    await server.start()
    with sync_client(server.url) as client:
        assert client.get("answered") == "yes"


async def test_a_torn_tail_of_the_append_only_file_is_dropped(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    with sync_client(server.url) as client:
        client.set("whole", "yes")
    await server.stop()
    files = [*(tmp_path / "data" / "redis").rglob("appendonly.aof"), *(tmp_path / "data").rglob("*.incr.aof")]
    assert len(files) == 1
    with files[0].open("ab") as file:
        file.write(b"*3\r\n$3\r\nSET\r\n$4\r\ntorn\r\n$9\r\nhalf")
    await server.start()
    with sync_client(server.url) as client:
        assert client.keys() == ["whole"]


async def test_a_server_that_ends_by_itself_is_started_again(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    first = server.pid
    with sync_client(server.url) as client:
        client.set("kept", "yes")
    keeper = asyncio.create_task(server.keep_running())
    os.kill(first, signal.SIGKILL)
    await eventually(lambda: server.pid != first)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await is_answering(tmp_path / "data" / "redis.sock"):
            await asyncio.sleep(0.01)
    with sync_client(server.url) as client:
        assert client.get("kept") == "yes"
    keeper.cancel()
    await asyncio.gather(keeper, return_exceptions=True)


async def test_waits_until_the_data_is_loaded(server: EmbeddedRedis):
    """A server that is still reading its file answers LOADING, which is not an answer yet."""
    await server.start()
    async with Redis.from_url(server.url) as client:
        fill = "for n = ARGV[1], ARGV[1] + 9999 do redis.call('SET', 'k' .. n, string.rep('x', 100)) end"
        for first in range(0, 300_000, 10_000):  # in pieces: a busy machine is not to be asked for long at once
            await client.eval(fill, 0, first)
        await client.bgrewriteaof()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await client.info("persistence"))["aof_rewrite_in_progress"]:
                await asyncio.sleep(0.01)
    await server.stop()
    await server.start()
    with sync_client(server.url) as client:
        assert client.dbsize() == 300_000


async def test_a_long_data_path_gets_a_short_socket_that_others_find(tmp_path: Path):
    data = tmp_path / ("long" * 30) / ("path with spaces?#%" * 5)
    server = EmbeddedRedis(data)
    await server.start()
    with sync_client(server.url) as client:
        client.set("here", "yes")
        socket = Path(client.connection_pool.connection_kwargs["path"])
    assert len(os.fsencode(socket)) < 108
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    async with attach_or_start(data.parent / "x" / ".." / data.name) as url:
        with sync_client(url) as client:
            assert client.get("here") == "yes"
    await server.stop()


async def test_a_run_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = tmp_path / "run"
    (run / f"rapid-{os.geteuid()}").mkdir(parents=True)
    (run / f"rapid-{os.geteuid()}").chmod(0o777)
    monkeypatch.setattr("rapid.store.embedded_folder.RUN_FOLDERS", run)
    with pytest.raises(ConfigError, match="you alone may use"):
        await EmbeddedRedis(tmp_path / ("long" * 30)).start()


async def test_a_second_owner_is_told_that_the_folder_is_busy(
    server: EmbeddedRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(embedded, "OWNER_WAIT_SECONDS", 0.05)
    await server.start()
    with pytest.raises(DataFolderBusy, match=re.escape(str(tmp_path / "data"))):
        await EmbeddedRedis(tmp_path / "data").start()
    assert await is_answering(tmp_path / "data" / "redis.sock"), "the running server is left alone"


async def test_other_commands_attach_to_a_running_server_and_leave_it_running(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    async with attach_or_start(tmp_path / "data") as url:
        assert url == server.url
    assert await is_answering(tmp_path / "data" / "redis.sock")


async def test_other_commands_start_a_server_for_their_time_only(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    with sync_client(server.url) as client:
        client.set("kept", "yes")
    await server.stop()
    async with attach_or_start(tmp_path / "data") as url:
        with sync_client(url) as client:
            assert client.get("kept") == "yes"
    assert not await is_answering(tmp_path / "data" / "redis.sock")


async def test_a_misspelt_data_folder_is_not_made(tmp_path: Path):
    with pytest.raises(ConfigError, match="no data folder"):
        async with attach_or_start(tmp_path / "misspelt"):
            pass
    assert not (tmp_path / "misspelt").exists()


async def test_a_server_that_cannot_start_is_quoted(server: EmbeddedRedis, tmp_path: Path):
    await server.start()
    await server.stop()
    files = [*(tmp_path / "data" / "redis").rglob("appendonly.aof"), *(tmp_path / "data").rglob("*.incr.aof")]
    files[0].write_bytes(b"not a file of Redis\r\n" * 10)
    with pytest.raises(ServerDidNotStart, match=r"(?i)bad file format"):
        await server.start()
    assert server.pid is None


async def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ConfigError, match="cannot be used"):
        await EmbeddedRedis(tmp_path / "data").start()


OWNER = """
import asyncio, sys
from pathlib import Path
from rapid.store.embedded import EmbeddedRedis

async def main():
    server = EmbeddedRedis(Path(sys.argv[1]))
    await server.start()
    print(server.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_kill_9_of_the_owner_leaves_no_server_and_loses_nothing(tmp_path: Path):
    with subprocess.Popen([sys.executable, "-c", OWNER, tmp_path / "data"], stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        server = EmbeddedRedis(tmp_path / "data")
        with sync_client(server.url) as client:
            client.set("answered", "yes")
        assert not has_ended(pid)
        owner.kill()
        owner.wait()
    # The next owner need not wait for anything: it does so itself.
    await server.start()
    assert has_ended(pid)
    with sync_client(server.url) as client:
        assert client.get("answered") == "yes"
    await server.stop()


async def test_kill_9_of_the_owner_ends_the_server_with_no_successor(tmp_path: Path):
    with subprocess.Popen([sys.executable, "-c", OWNER, tmp_path / "data"], stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        owner.kill()
        owner.wait()
    await eventually(lambda: has_ended(pid))
