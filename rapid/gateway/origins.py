"""Which pages may connect: a foreign `Origin` is refused, none at all is not a browser's (PROTOCOL 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def _place(address: str, scheme: str) -> tuple[str, int | None] | None:
    """Return host and port of `scheme://host[:port]` or `host[:port]`, None if it is neither."""
    text = address if "://" in address else f"{scheme}://{address}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or parts.path not in {"", "/"} or parts.query or parts.fragment:
        return None
    return parts.hostname.lower(), port or _PORTS.get(parts.scheme)


def may_connect(origin: str | None, host: str, allowed: Iterable[str]) -> bool:
    """Whether a page of this `Origin` may connect to this `Host`.

    Behind a proxy that ends TLS the `Host` comes without a port and the scheme is not known
    here, so the origin's own scheme says which port a missing one is.
    """
    if origin is None:
        return True
    scheme, separator, _ = origin.partition("://")
    place = _place(origin, scheme) if separator else None
    if place is None:
        return False
    return any(_place(known, scheme) == place for known in (host, *allowed))
