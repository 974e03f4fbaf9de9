"""The port a server listens on, and the addresses that a person can open."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
from collections.abc import Iterator

from rapid.errors import ConfigError

BACKLOG = 1_024
NOWHERE = "192.0.2.1"
"""An address of documentation (RFC 5737): asking the way there sends nothing, and tells our own address."""


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Give a socket that listens; `ConfigError` if the address or port is not to be had.

    It is taken first of all, so that a second server stops before it has touched anything.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise ConfigError(f"cannot listen on {host!r}: {error.strerror}") from error
    with sock:
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(BACKLOG)
        except OSError as error:
            why = "the port is in use" if _is_in_use(error) else os.strerror(error.errno or 0)
            raise ConfigError(f"cannot listen on {host} port {port}: {why}") from error
        sock.setblocking(False)
        yield sock


def addresses_to_open(sock: socket.socket, host: str) -> list[str]:
    """Return the addresses a person can open, this machine's own first, then those of the local network."""
    port = sock.getsockname()[1]
    if not _is_any(host):
        return [f"http://{_in_url(host)}:{port}"]
    return [f"http://{_in_url(name)}:{port}" for name in ("localhost", *_local_network())]


def _is_in_use(error: OSError) -> bool:
    return error.errno == errno.EADDRINUSE


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _local_network() -> list[str]:
    """Return this machine's IPv4 addresses that others may reach, learnt without asking anyone."""
    found: dict[str, None] = {}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((NOWHERE, 9))
        found[probe.getsockname()[0]] = None
    with contextlib.suppress(OSError):
        for row in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM):
            found[str(row[4][0])] = None
    return [text for text in found if not _is_useless(ipaddress.ip_address(text))]


def _is_useless(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_loopback or address.is_link_local or address.is_unspecified
