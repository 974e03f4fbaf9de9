"""Where a Redis is: an URL taken apart, as redis-py reads it."""

from __future__ import annotations

import ssl
from typing import Any

from msgspec import Struct
from redis.asyncio.connection import SSLConnection, parse_url

from rapid.errors import ConfigError


class Address(Struct, frozen=True):
    """`path` for a unix socket, else `host` and `port`. Its text never shows the password."""

    host: str = "localhost"
    port: int = 6379
    path: str | None = None
    database: int = 0
    username: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return self.path if self.path is not None else f"{self.host}:{self.port}"

    __repr__ = __str__


def parse_address(url: str) -> Address:
    """Read `redis://`, `rediss://` and `unix://` addresses; `ConfigError` for others."""
    try:
        options: dict[str, Any] = dict(parse_url(url))
    except ValueError as error:
        raise ConfigError(f"not the address of a Redis: {error}") from None
    return Address(
        host=options.get("host", "localhost"),
        port=options.get("port", 6379),
        path=options.get("path"),
        database=options.get("db", 0),
        username=options.get("username"),
        password=options.get("password"),
        tls=_tls(options) if options.get("connection_class") is SSLConnection else None,
    )


def _tls(options: dict[str, Any]) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
    if options.get("ssl_cert_reqs") == "none":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if options.get("ssl_certfile"):
        context.load_cert_chain(options["ssl_certfile"], options.get("ssl_keyfile"))
    return context
