"""Which Redis is refused, and what is warned about."""

import re
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from rapid.errors import UnfitRedis
from rapid.store.server_check import check_info, check_server

FIT = {"redis_version": "6.2.14", "maxmemory_policy": "noeviction", "aof_enabled": 1}
EVICTING = [
    "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
]  # fmt: skip


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client
        await client.config_set("maxmemory-policy", "noeviction")
        await client.config_set("appendfsync", "everysec")
        await client.config_set("appendonly", "yes")


async def test_our_own_server_is_fit(client: Redis):
    assert await check_server(client) == []


@pytest.mark.parametrize("policy", EVICTING)
async def test_an_evicting_policy_is_refused_by_name(client: Redis, policy):
    await client.config_set("maxmemory-policy", policy)
    with pytest.raises(UnfitRedis, match=f"maxmemory-policy {policy}.*noeviction"):
        await check_server(client)


async def test_an_append_only_file_that_is_off_is_warned_about(client: Redis):
    await client.config_set("appendonly", "no")
    (warning,) = await check_server(client)
    assert "append-only file off" in warning


async def test_one_that_is_never_synced_is_warned_about(client: Redis):
    await client.config_set("appendfsync", "no")
    (warning,) = await check_server(client)
    assert "appendfsync no" in warning


async def test_where_config_is_not_permitted_the_rest_is_still_judged(redis_url: str, client: Redis):
    await client.acl_setuser("hosted", enabled=True, passwords=["+x"], categories=["+@all"], commands=["-config"])
    await client.config_set("maxmemory-policy", "allkeys-lru")
    async with Redis.from_url(redis_url, username="hosted", password="x") as hosted:
        with pytest.raises(UnfitRedis):
            await check_server(hosted)
        await client.config_set("maxmemory-policy", "noeviction")
        (warning,) = await check_server(hosted)
    assert "does not permit CONFIG" in warning
    await client.acl_deluser("hosted")


@pytest.mark.parametrize("version", ["6.0.16", "5.0.14", "2.8.4", "6.1.240"])
def test_an_old_version_is_refused(version):
    with pytest.raises(UnfitRedis, match=re.escape(version)):
        check_info(FIT | {"redis_version": version})


@pytest.mark.parametrize("version", ["6.2.0", "7.0.15", "8.2.1", "10.0"])
def test_a_new_version_is_fit(version):
    assert check_info(FIT | {"redis_version": version}) == []


@pytest.mark.parametrize("field", list(FIT))
def test_what_a_server_does_not_tell_is_warned_about(field):
    (warning,) = check_info({name: value for name, value in FIT.items() if name != field}, "10.0.0.7:6379")
    assert warning.startswith("Redis 10.0.0.7:6379 does not say")
