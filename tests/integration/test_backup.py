"""Backup and restore of a data folder: of one moment, whole or not at all, and what comes back goes on."""

import asyncio
import contextlib
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import tarfile
from pathlib import Path

import aiohttp
import pytest

from rapid.engine.notation import Decided, log_lines
from rapid.engine.replay.verify import verify_lines
from rapid.errors import ConfigError, RapidError
from rapid.store import backup, open_store
from rapid.store.embedded import EmbeddedRedis, attach_or_start
from rapid.store.embedded_folder import DataFolder
from tests.conftest import REAL_KINDS
from tests.integration.cli_bench import ROOT, rapid, serving
from tests.integration.worker_bench import Bench, worker_on


@pytest.fixture(params=[*REAL_KINDS])
def search_path(request, tmp_path, monkeypatch) -> str:
    """Each kind of server is the one that the commands find."""
    only = tmp_path / "program"
    only.mkdir()
    program = REAL_KINDS[request.param]
    (only / program.name).symlink_to(program)
    monkeypatch.setenv("PATH", f"{only}:{os.environ['PATH']}")
    return str(only)


@contextlib.asynccontextmanager
async def table_on(url: str, name: str):
    store = await open_store(url)
    bench = Bench(store, name)
    try:
        yield bench
    finally:
        await bench.close()
        await store.close()


async def race_on(bench: Bench) -> None:
    while True:
        await bench.race_posts()


async def test_what_was_acknowledged_before_a_backup_is_in_it_and_every_table_goes_on(tmp_path: Path, search_path):
    data, copy = tmp_path / "data", tmp_path / "copy"
    server = EmbeddedRedis(data, search_path=search_path)
    await server.start()
    names = [f"table{n:07}" for n in range(4)]
    acknowledged: dict[str, int] = {}
    async with contextlib.AsyncExitStack() as parts:
        tables = [await parts.enter_async_context(table_on(server.url, name)) for name in names]
        await parts.enter_async_context(worker_on(server.url, "w1"))
        for table in tables:
            await table.open(race_seconds=60)
            for _ in range(3):
                await table.race()
            acknowledged[table.table] = (await table.state()).seq
        racing = [asyncio.create_task(race_on(table)) for table in tables]
        made = await backup.back_up(data, tmp_path / "a.tar.gz")
        for task in racing:
            task.cancel()
        await asyncio.gather(*racing, return_exceptions=True)
    await server.stop()
    assert made.bytes > 0
    assert stat.S_IMODE((tmp_path / "a.tar.gz").stat().st_mode) == 0o600
    assert {path.name for path in (data / "redis").iterdir()} <= {"appendonly.aof", "appendonlydir"}

    restored = await backup.restore(tmp_path / "a.tar.gz", copy)
    assert (restored.tables, restored.manifest) == (len(names), made)
    server = EmbeddedRedis(copy, search_path=search_path)
    await server.start()
    async with contextlib.AsyncExitStack() as parts:
        tables = [await parts.enter_async_context(table_on(server.url, name)) for name in names]
        for table in tables:
            assert (await table.state()).seq >= acknowledged[table.table]
        await parts.enter_async_context(worker_on(server.url, "w2"))
        for table in tables:
            await table.until_event("resumed")
            state = await table.state()
            played = len(await table.events("played"))
            if state.phase == "playing":
                await table.race()
                await table.until_event("played", played + 1)
            await verified(table)
    await server.stop()


async def verified(table: Bench) -> None:
    decided = [Decided(r.seq, r.at, r.events) for r in await table.records()]
    (report,) = verify_lines(log_lines(table.table, decided))
    assert report.ok, report


async def test_the_scripts_on_a_served_folder_then_a_restored_one_is_played_on(tmp_path: Path):
    data, archive, copy = tmp_path / "data", tmp_path / "one backup.tar.gz", tmp_path / "the copy"
    async with serving("--data", data) as server:
        table = await opened(server.url)
        ran = await asyncio.to_thread(script, "backup", data.name, archive.name, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    ran = await asyncio.to_thread(script, "restore", archive.name, copy.name, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "1 open tables" in ran.stdout
    async with serving("--data", copy):
        listed = await rapid("tables", "--data", copy)
        assert table in listed.out
    exported = await rapid("export", table, "--data", copy)
    (report,) = verify_lines(f"{line}\n".encode() for line in exported.out.splitlines())
    assert report.ok


def script(name: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "ops" / name, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


async def opened(url: str) -> str:
    async with aiohttp.ClientSession() as http, http.post(f"{url}/api/tables", json={"name": "Ann"}) as answer:
        assert answer.status == 201
        return str((await answer.json())["table"])


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with nothing in it, whose server does not run, and its backup."""
    folder = tmp_path_factory.mktemp("made")

    async def make() -> None:
        async with attach_or_start_new(folder / "data"):
            pass
        await backup.back_up(folder / "data", folder / "good.tar.gz")

    asyncio.run(make())
    return folder


@pytest.fixture
def archive(made_once: Path, tmp_path: Path) -> Path:
    shutil.copytree(made_once / "data", tmp_path / "data", ignore=shutil.ignore_patterns("*.sock"))
    return Path(shutil.copy(made_once / "good.tar.gz", tmp_path))


@contextlib.asynccontextmanager
async def attach_or_start_new(data: Path):
    data.mkdir()
    async with attach_or_start(data) as url:
        store = await open_store(url)
        await store.close()
        yield url


def nothing_else_in(folder: Path, *names: str) -> bool:
    return {path.name for path in folder.iterdir()} == {*names}


async def test_a_folder_that_nobody_serves_is_backed_up_too(archive: Path, tmp_path: Path):
    assert (await backup.restore(archive, tmp_path / "copy")).tables == 0
    assert nothing_else_in(tmp_path, "data", "copy", "good.tar.gz")


async def test_an_archive_is_never_written_over(archive: Path, tmp_path: Path):
    before = archive.read_bytes()
    with pytest.raises(ConfigError, match="exists already"):
        await backup.back_up(tmp_path / "data", archive)
    assert archive.read_bytes() == before


@pytest.mark.parametrize("where", ["missing", "a file", "another folder"])
async def test_what_is_no_data_folder_is_not_backed_up(where, tmp_path: Path):
    data = tmp_path / "data"
    if where == "a file":
        data.touch()
    elif where == "another folder":
        (data / "photos").mkdir(parents=True)
    with pytest.raises(ConfigError, match="no data folder"):
        await backup.back_up(data, tmp_path / "a.tar.gz")
    assert not (tmp_path / "a.tar.gz").exists()
    assert where != "another folder" or nothing_else_in(data, "photos")


async def test_an_archive_that_cannot_be_written_is_said(archive: Path, tmp_path: Path):
    with pytest.raises(ConfigError, match="No such file or directory"):
        await backup.back_up(tmp_path / "data", tmp_path / "nowhere" / "a.tar.gz")
    assert not list((tmp_path / "data" / "redis").glob("*.rdb"))


async def test_a_target_with_something_in_it_is_left_alone(archive: Path, tmp_path: Path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "letter").touch()
    with pytest.raises(ConfigError, match="not empty"):
        await backup.restore(archive, tmp_path / "copy")
    with pytest.raises(ConfigError, match="not empty"):
        await backup.restore(archive, archive)
    assert nothing_else_in(tmp_path / "copy", "letter")


async def test_an_empty_target_is_fine(archive: Path, tmp_path: Path):
    (tmp_path / "copy").mkdir()
    await backup.restore(archive, tmp_path / "copy")
    assert (tmp_path / "copy" / "redis").is_dir()


def repacked(archive: Path, **changed: bytes | None) -> None:
    """Write the archive anew with other members."""
    with tarfile.open(archive) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
    members |= {name.replace("_", "."): content for name, content in changed.items()}
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in members.items():
            if content is not None:
                about = tarfile.TarInfo(name)
                about.size = len(content)
                tar.addfile(about, io.BytesIO(content))


def manifest_with(archive: Path, **changed: object) -> bytes:
    with tarfile.open(archive) as tar:
        return json.dumps(json.load(tar.extractfile("backup.json")) | changed).encode()


WRONG = {
    "nothing": lambda archive: archive.write_bytes(b""),
    "no archive": lambda archive: archive.write_text("dear diary"),
    "cut short": lambda archive: archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2]),
    "missing": lambda archive: archive.unlink(),
    "without a manifest": lambda archive: repacked(archive, backup_json=None),
    "without a snapshot": lambda archive: repacked(archive, snapshot_rdb=None),
    "another manifest": lambda archive: repacked(archive, backup_json=b'{"kind": 5}'),
    "of another program": lambda archive: repacked(archive, backup_json=manifest_with(archive, kind="a diary")),
    "of a newer version": lambda archive: repacked(archive, backup_json=manifest_with(archive, format=2)),
    "another snapshot": lambda archive: repacked(archive, snapshot_rdb=b"REDIS0009" + b"x" * 100),
    "no snapshot in it": lambda archive: repacked(archive, snapshot_rdb=b"*2\r\n"),
    "a snapshot that no server reads": lambda archive: repacked(
        archive,
        snapshot_rdb=b"REDIS0009junk",
        backup_json=manifest_with(
            archive, bytes=13, sha256="cc8b9ca6bcd4e2d099b52e0474bdaef9e9512247ccc064eede0915e5be618f84"
        ),
    ),
}


@pytest.mark.parametrize("wrong", list(WRONG))
async def test_of_a_wrong_archive_nothing_is_restored_and_nothing_left(archive: Path, tmp_path: Path, wrong):
    WRONG[wrong](archive)
    left = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(RapidError):
        await backup.restore(archive, tmp_path / "copy")
    assert nothing_else_in(tmp_path, *left)


async def test_Redis_killed_in_its_snapshot_is_said_and_nothing_is_left(tmp_path: Path):
    """Its child is held up; both are gone before it has written anything."""
    async with attach_or_start_new(tmp_path / "data"):
        pass
    server = EmbeddedRedis(tmp_path / "data")
    await server.start()
    store = await open_store(server.url)
    await store._client.call("CONFIG", "SET", "rdb-key-save-delay", "10000000")
    making = asyncio.create_task(backup.back_up(tmp_path / "data", tmp_path / "a.tar.gz"))

    async def is_saving() -> bool:
        return b"rdb_bgsave_in_progress:1" in await store._client.call("INFO", "persistence")

    async with asyncio.timeout(20):
        while not await is_saving():
            await asyncio.sleep(0.02)
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(RapidError):
        await making
    await store.close()
    await server.stop()
    assert nothing_else_in(tmp_path, "data")


async def test_the_commands_say_it_in_one_line(archive: Path, tmp_path: Path):
    shutil.rmtree(tmp_path / "data")
    ran = await rapid("backup", tmp_path / "new.tar.gz", "--data", tmp_path / "data")
    assert (ran.code, "no data folder" in ran.complaint) == (1, True)
    ran = await rapid("restore", archive, "--data", tmp_path / "copy")
    assert ran.code == 0, ran.err
    ran = await rapid("restore", archive, "--data", tmp_path / "copy")
    assert (ran.code, "not empty" in ran.complaint) == (1, True)
    for name in ("backup", "restore"):
        assert (await asyncio.to_thread(script, name, "one", cwd=tmp_path)).returncode == 2


async def test_wherever_an_archive_is_damaged_restore_says_so_in_a_line_that_names_it(tmp_path: Path):
    data, whole = tmp_path / "data", tmp_path / "whole.tar.gz"
    server = EmbeddedRedis(data)
    await server.start()
    await backup.back_up(data, whole)
    await server.stop()
    packed = whole.read_bytes()
    bad = tmp_path / "bad.tar.gz"
    for place in range(0, len(packed), max(1, len(packed) // 60)):
        bad.write_bytes(packed[:place] + bytes([packed[place] ^ 0xFF]) + packed[place + 1 :])
        with contextlib.suppress(ConfigError):
            # What is not looked at, as the time in gzip's head, may be anything.
            backup._unpack(bad, DataFolder(tmp_path / f"flipped-{place}"))
        bad.write_bytes(packed[:place])
        with pytest.raises(ConfigError, match=r"bad\.tar\.gz"):
            backup._unpack(bad, DataFolder(tmp_path / f"cut-{place}"))
    # In the midst of the compressed data: what the decompressor says is told too.
    bad.write_bytes(
        packed[: len(packed) // 2] + bytes([packed[len(packed) // 2] ^ 0xFF]) + packed[len(packed) // 2 + 1 :]
    )
    with pytest.raises(ConfigError, match=r"bad\.tar\.gz"):
        await backup.restore(bad, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("kind", ["missing", "folder"])
async def test_an_archive_that_cannot_be_opened_is_named(tmp_path: Path, kind: str):
    archive = tmp_path / "nowhere.tar.gz"
    if kind == "folder":
        archive.mkdir()
    ran = await rapid("restore", archive, "--data", tmp_path / "copy")
    assert ran.code == 1
    assert str(archive) in ran.complaint
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == (["nowhere.tar.gz"] if kind == "folder" else [])
