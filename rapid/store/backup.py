"""A copy of a data folder in one file, taken while its server runs, and a folder made of it again.

The copy is a snapshot that Redis makes of itself (BGSAVE): of one moment, which comes after all that was acknowledged
before it was asked for. A copy of the append-only file would not do: its last seconds may not be written yet. A Redis
that keeps an append-only file starts from that alone and passes over a snapshot, so what is restored is laid down as
the beginning of an append-only file.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct

from rapid.errors import BackupFailed, ConfigError, StoreUnavailable
from rapid.store.connection import Client, connect
from rapid.store.embedded import EmbeddedRedis, attach_or_start
from rapid.store.embedded_folder import DataFolder, FileLock
from rapid.store.listing import RedisListing
from rapid.store.redis_store import fixed_shards

KIND: Final = "rapid backup"
FORMAT: Final = 1
MANIFEST: Final = "backup.json"
SNAPSHOT: Final = "snapshot.rdb"
SAVED_AS: Final = "dump.rdb"
"""The name that Redis gives its snapshots."""
MAGIC: Final = b"REDIS"
RDB_OF_6_2: Final = 9
"""Newer snapshots are for Redis 7 or later, which keeps its append-only file in a folder."""
SNAPSHOT_WAIT_SECONDS: Final = 3_600.0
POLL_SECONDS: Final = 0.1
CHUNK_BYTES: Final = 1 << 20
MANIFEST_MAX_BYTES: Final = 65_536


class Manifest(Struct, frozen=True, kw_only=True):
    """What an archive says of itself."""

    kind: str
    format: int
    made_at: str
    redis: str
    bytes: int
    sha256: str


class Restored(Struct, frozen=True):
    """What was found in an archive."""

    manifest: Manifest
    tables: int
    """Those that are not closed."""


async def back_up(data: Path, archive: Path) -> Manifest:
    """Copy the data folder's tables into a new file. The folder's server may be running.

    Raises `ConfigError` for a folder or file that cannot be used, `BackupFailed`, and what `attach_or_start` raises.
    Whatever happens the archive is there whole or not at all.
    """
    folder = _source(data, archive)
    lock = FileLock(folder.path / "backup.lock")
    if not lock.try_take():
        raise ConfigError(f"another backup of {folder.path} is being made")
    snapshot = folder.redis / "backup.rdb"
    try:
        async with attach_or_start(data) as url:
            version = await _save(connect(url, "rapid:backup"), folder.redis / SAVED_AS)
            # Ours from here on: the next snapshot of whomever is another file.
            (folder.redis / SAVED_AS).replace(snapshot)
        return _pack(snapshot, archive, version)
    except OSError as error:
        raise ConfigError(f"no backup was made at {archive}: {error.strerror}") from error
    finally:
        snapshot.unlink(missing_ok=True)
        lock.let_go()


async def restore(archive: Path, data: Path) -> Restored:
    """Make a data folder of an archive. The folder must not exist, or be empty.

    It is tried with a Redis server before it gets its name. Raises `ConfigError`, and what `EmbeddedRedis.start` raises
    if no server here can read it; then nothing is left behind.
    """
    folder = _target(data)
    making = folder.path.with_name(f".{folder.path.name}.restoring-{os.getpid()}")
    try:
        making.mkdir(mode=0o700, parents=True)
        manifest = _unpack(archive, DataFolder(making))
        tables = await _tables_in(making)
        making.rename(folder.path)
    except OSError as error:
        raise ConfigError(f"nothing was restored into {folder.path}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return Restored(manifest, tables)


def _source(data: Path, archive: Path) -> DataFolder:
    folder = DataFolder(data)
    if not folder.redis.is_dir():
        raise ConfigError(f"{folder.path} is no data folder of rapid")
    if archive.exists():
        raise ConfigError(f"{archive} exists already")
    return folder


def _target(data: Path) -> DataFolder:
    folder = DataFolder(data)
    if folder.path.exists() and (not folder.path.is_dir() or any(folder.path.iterdir())):
        raise ConfigError(f"{folder.path} exists already and is not empty: restore into a new folder")
    return folder


async def _save(client: Client, file: Path) -> str:
    """Let Redis write a snapshot begun after this moment; return its version."""
    try:
        async with asyncio.timeout(SNAPSHOT_WAIT_SECONDS):
            server = await _info(client, "server")
            await _saved(client, file)
        if (await _info(client, "server"))["run_id"] != server["run_id"]:
            raise BackupFailed("Redis was restarted while it made its snapshot")
    except TimeoutError:
        raise BackupFailed("Redis has not finished its snapshot in time") from None
    finally:
        await client.close()
    return server["redis_version"]


async def _saved(client: Client, file: Path) -> None:
    is_started = False
    while True:
        if not is_started:
            _forget(file)
            is_started = await _is_save_started(client)
        elif (info := await _info(client, "persistence"))["rdb_bgsave_in_progress"] == "0":
            break
        await asyncio.sleep(POLL_SECONDS)
    if info["rdb_last_bgsave_status"] != "ok" or not _is_there(file):
        raise BackupFailed("Redis could not write its snapshot; redis.log in the data folder says why")


def _forget(file: Path) -> None:
    """An older one must not pass for ours."""
    file.unlink(missing_ok=True)


def _is_there(file: Path) -> bool:
    return file.exists()


async def _is_save_started(client: Client) -> bool:
    """One that is being made already, or a rewrite of the append-only file, is waited for."""
    try:
        await client.call("BGSAVE")
    except StoreUnavailable as error:
        if "in progress" in str(error) or "Can't BGSAVE" in str(error):
            return False
        raise
    return True


async def _info(client: Client, section: str) -> dict[str, str]:
    text = (await client.call("INFO", section)).decode("utf-8", "replace")
    rows = (row.partition(":") for row in text.splitlines() if ":" in row)
    return {name: value.strip() for name, _, value in rows}


def _pack(snapshot: Path, archive: Path, version: str) -> Manifest:
    with snapshot.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    size = snapshot.stat().st_size
    manifest = Manifest(kind=KIND, format=FORMAT, made_at=made_at, redis=version, bytes=size, sha256=digest)
    with _appearing(archive) as whole, tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as tar:
        text = json.dumps(msgspec.to_builtins(manifest), indent=1).encode()
        about = tarfile.TarInfo(MANIFEST)
        about.size, about.mode = len(text), 0o600
        tar.addfile(about, io.BytesIO(text))
        with snapshot.open("rb") as held:
            copy = tarfile.TarInfo(SNAPSHOT)
            copy.size, copy.mode = size, 0o600
            tar.addfile(copy, held)
    return manifest


@contextmanager
def _appearing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that gets its name only once it is whole and on the disk. Its owner alone may read its secrets."""
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        with open(partial, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            raise ConfigError(f"{path} exists already")
        partial.rename(path)
        _sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def _unpack(archive: Path, folder: DataFolder) -> Manifest:
    folder.make()
    try:
        with _archive(archive) as packed, tarfile.open(fileobj=packed, mode="r:gz") as tar:
            manifest = _manifest_of(tar, archive)
            _lay_down(_member(tar, SNAPSHOT, archive), manifest, folder, archive)
            # A cut in what fills up the end is damage too, and shows in the check sum behind it.
            while tar.fileobj.read(CHUNK_BYTES):
                pass
    except (tarfile.TarError, EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
        raise ConfigError(f"{archive} is no backup of rapid, or is damaged: {error}") from error
    return manifest


def _archive(archive: Path) -> IO[bytes]:
    try:
        return archive.open("rb")
    except OSError as error:
        raise ConfigError(f"{archive} cannot be read: {error.strerror}") from error


def _member(tar: tarfile.TarFile, name: str, archive: Path) -> IO[bytes]:
    """Read by name alone: nothing in an archive says where anything is written."""
    with suppress(KeyError):
        found = tar.extractfile(name)
        if found is not None:
            return found
    raise ConfigError(f"{archive} is no backup of rapid: there is no {name} in it")


def _manifest_of(tar: tarfile.TarFile, archive: Path) -> Manifest:
    text = _member(tar, MANIFEST, archive).read(MANIFEST_MAX_BYTES)
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError:
        raise ConfigError(f"{archive} is no backup of rapid: its {MANIFEST} says something else") from None
    if manifest.kind != KIND:
        raise ConfigError(f"{archive} is no backup of rapid but of {manifest.kind}")
    if manifest.format > FORMAT:
        raise ConfigError(f"{archive} was made by a newer version of rapid (format {manifest.format})")
    return manifest


def _lay_down(snapshot: IO[bytes], manifest: Manifest, folder: DataFolder, archive: Path) -> None:
    """Write the snapshot as the beginning of an append-only file, as the Redis that can read it keeps one."""
    head = snapshot.read(len(MAGIC) + 4)
    if not head.startswith(MAGIC) or not head[len(MAGIC) :].isdigit():
        raise ConfigError(f"{archive} holds no snapshot of a Redis")
    if int(head[len(MAGIC) :]) <= RDB_OF_6_2:
        target = folder.redis / "appendonly.aof"
    else:
        of_7 = folder.redis / "appendonlydir"
        of_7.mkdir(mode=0o700)
        target = of_7 / "appendonly.aof.1.base.rdb"
        (of_7 / "appendonly.aof.manifest").write_text(f"file {target.name} seq 1 type b\n", encoding="ascii")
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as file:
        piece: bytes = head
        while piece:
            digest.update(piece)
            size += len(piece)
            file.write(piece)
            piece = snapshot.read(CHUNK_BYTES)
        file.flush()
        os.fsync(file.fileno())
    if (size, digest.hexdigest()) != (manifest.bytes, manifest.sha256):
        raise ConfigError(f"{archive} is damaged: its snapshot is not the one that was made")
    _sync_folder(target.parent)


async def _tables_in(data: Path) -> int:
    """Let a server read what was laid down; return how many tables are open in it."""
    server = EmbeddedRedis(data)
    await server.start()
    client = connect(server.url, "rapid:restore")
    try:
        return await RedisListing(client, await fixed_shards(client, None)).count()
    finally:
        await client.close()
        await server.stop()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
