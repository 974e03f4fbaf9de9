"""A client's socket: why the server hung up is read, also where that is noticed when something is sent."""

import socket
import struct

import pytest

from loadtests.generator import frames
from loadtests.generator.connection import Connection
from loadtests.generator.loop import Loop


@pytest.fixture
def loop():
    loop = Loop()
    yield loop
    loop.close()


@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize("sends", [0, 3])
def test_the_code_is_read_however_much_is_sent_meanwhile(loop, is_reset, sends):
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = Connection(loop, *server.getsockname(), "/ws/x", lambda *_: None)
        theirs, _ = server.accept()
        theirs.recv(65_536)
        theirs.sendall(b"HTTP/1.1 101 Switching\r\n\r\n\x88\x02" + struct.pack(">H", 4009))
        if is_reset:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        theirs.close()
    for _ in range(sends):
        connection.send(frames.BINARY, b"a")
    assert loop.until(lambda: connection.closed_s is not None, 10.0)
    assert (connection.code, connection.is_cut) == (4009, True)


@pytest.mark.parametrize("host,shown", [("127.0.0.1", b"127.0.0.1"), ("::1", b"[::1]")])
def test_an_address_of_either_version_is_reached_and_named(loop, host, shown):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        connection = Connection(loop, host, port, "/ws/x", lambda *_: None)
        theirs, _ = server.accept()
        with theirs:
            assert b"\r\nHost: %s:%d\r\n" % (shown, port) in theirs.recv(65_536)
    connection.close()
