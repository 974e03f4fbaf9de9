"""Is this Redis fit to keep tables? Asked at every start, of our own server and of anybody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from rapid.errors import ConfigError, StoreUnavailable, UnfitRedis
from rapid.store.embedded_binary import LEAST_VERSION

KEEPING_POLICY: Final = "noeviction"
ANSWER_TIMEOUT_SECONDS: Final = 5.0


async def check_address(url: str) -> list[str]:
    """As `check_server`, of the Redis at this address; `StoreUnavailable` if it does not answer."""
    try:
        client = Redis.from_url(
            url,
            socket_timeout=ANSWER_TIMEOUT_SECONDS,
            socket_connect_timeout=ANSWER_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError as error:
        raise ConfigError(f"not the address of a Redis: {error}") from error
    try:
        return await check_server(client)
    except (RedisError, OSError) as error:
        raise StoreUnavailable(str(error)) from error
    finally:
        await client.aclose()


async def check_server(client: Redis | RedisCluster) -> list[str]:
    """Return warnings about a Redis, of all primaries if it is a cluster; an empty list is a clean bill.

    Raises `UnfitRedis` if it is older than 6.2 or drops keys when its memory is full. Errors of the connection pass.
    """
    if isinstance(client, RedisCluster):
        infos: Mapping[str, Mapping[str, Any]] = await client.info(target_nodes=RedisCluster.PRIMARIES)
        # Asked of one node, redis-py gives the answer bare.
        nodes = {"": infos} if "redis_version" in infos else infos
    else:
        nodes = {"": await client.info()}
    warnings = [warning for node, info in nodes.items() for warning in check_info(info, node)]
    return warnings + await _fsync_warnings(client)


def check_info(info: Mapping[str, Any], node: str = "") -> list[str]:
    """Judge one server by its `INFO`: warnings, or `UnfitRedis`. `node` names it in the text."""
    name = f"Redis {node}" if node else "Redis"
    version = str(info.get("redis_version", ""))
    if (numbers := _numbers(version)) is not None and numbers < LEAST_VERSION:
        raise UnfitRedis(f"{name} is version {version}, and 6.2 or newer is needed")
    warnings = [] if numbers is not None else [f"{name} does not say which version it is; 6.2 or newer is needed"]
    return warnings + _policy_warnings(info, name) + _append_only_warnings(info, name)


def _policy_warnings(info: Mapping[str, Any], name: str) -> list[str]:
    policy = info.get("maxmemory_policy")
    if policy is None:
        return [f"{name} does not say its maxmemory-policy; with any but {KEEPING_POLICY} it would lose tables"]
    # Whether a limit is set now does not matter: it can be set at any time, and the table lost is one in play.
    if policy != KEEPING_POLICY:
        raise UnfitRedis(
            f"{name} has maxmemory-policy {policy}: it would drop tables when its memory is full. "
            f"Set it to {KEEPING_POLICY} (CONFIG SET maxmemory-policy {KEEPING_POLICY})."
        )
    return []


def _append_only_warnings(info: Mapping[str, Any], name: str) -> list[str]:
    if info.get("aof_enabled") == 1:
        return []
    if info.get("aof_enabled") is None:
        return [f"{name} does not say whether its append-only file is on; without it a restart loses tables"]
    return [f"{name} has its append-only file off: tables are lost when it restarts (CONFIG SET appendonly yes)"]


async def _fsync_warnings(client: Redis | RedisCluster) -> list[str]:
    """`CONFIG` alone tells about syncing, and many hosted servers do not permit it."""
    try:
        setting = await client.config_get("appendfsync")
    except ResponseError:
        return ["Redis does not permit CONFIG GET, so whether it syncs its append-only file is not known"]
    if setting.get("appendfsync") == "no":
        return ["Redis never syncs its append-only file (appendfsync no): a crash of its machine loses what was played"]
    return []


def _numbers(version: str) -> tuple[int, int] | None:
    parts = version.split(".")
    if len(parts) >= 2 and parts[0].isdecimal() and parts[1].isdecimal():
        return int(parts[0]), int(parts[1])
    return None
