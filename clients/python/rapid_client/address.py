"""Addresses people type: of a server, or of a table (`/t/ID`, PROTOCOL 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from .errors import BadAddress

_TABLE_PATH = re.compile(r"^(?P<prefix>.*)/t/(?P<table>[a-zA-Z0-9]{10,64})/?$")
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


@dataclass(frozen=True, slots=True)
class Address:
    """`base`: the server, without a slash at the end; `table`: the table's id, None for the bare server."""

    base: str
    table: str | None = None

    @property
    def table_url(self) -> str:
        """The address to hand to a friend."""
        return f"{self.base}/t/{self.table}" if self.table else self.base


def parse_address(typed: str) -> Address:
    """`host:8080`, `http://host/t/ID`, `wss://host/prefix/t/ID` … Raises `BadAddress`."""
    typed = typed.strip()
    parts = urlsplit(typed if "://" in typed else f"http://{typed}")
    scheme = _SCHEMES.get(parts.scheme)
    try:
        is_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_host = False
    if scheme is None or not is_host or parts.username is not None:
        raise BadAddress(f"not the address of a server: {typed!r}")
    found = _TABLE_PATH.match(parts.path)
    if found:
        # Ids are lower case only: capitals are those of whoever copied them.
        return Address(f"{scheme}://{parts.netloc}{found['prefix']}", found["table"].lower())
    if "/t/" in parts.path:
        raise BadAddress(f"not the address of a table: {typed!r}")
    return Address(f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}")
