"""One WebSocket: what it sends, and all that came, raw and with its time, for the judges."""

from __future__ import annotations

import socket
from array import array
from collections.abc import Callable
from typing import Final

from loadtests.generator import frames
from loadtests.generator.http import bracketed
from loadtests.generator.loop import READS, WRITES, Loop, now_s

CHUNK_BYTES: Final = 65_536
SMALL_SEGMENT_BYTES: Final = 536
HANDSHAKE: Final = (
    "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{offer}\r\n"
)

Heard = Callable[[bytes, float], None]


class Connection:
    """Opens at once; `heard` gets whole frames in a row and the time they came."""

    def __init__(
        self,
        loop: Loop,
        host: str,
        port: int,
        path: str,
        heard: Heard,
        *,
        protocol: str = "",
        can_wait: bool = False,
        is_small: bool = False,
    ) -> None:
        """Connect.

        `can_wait`: of thousands, which must not hold up the others; `is_small`: with the least receive buffer and
        small segments, so that a reader who stops is noticed soon.
        """
        self.heard = heard
        self.chunks: list[bytes] = []
        self.times = array("d")
        self.opened_s = now_s()
        self.closed_s: float | None = None
        self.code: int | None = None
        self.is_cut = False
        """Whether the server has ended it, or never took it."""
        self.refused: str | None = None
        """What was answered instead of a handshake."""
        self.is_open = False
        """Whether the handshake is done."""
        self.is_reading = True
        self.has_stopped = False
        """Whether it was told to stop reading, so that the server may cut it."""
        self._loop = loop
        self._tail = b""
        self._is_plain = False
        """Whether what comes next begins with a frame."""
        self._unsent = b""
        self._socket = sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if is_small:
            # What the kernels keep for it follows from both: some 60 kB, where it is megabytes else.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SMALL_SEGMENT_BYTES)
        try:
            sock.connect((host, port))
        except OSError as error:
            self._never_opened(str(error))
            return
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        self._recv, self._send = sock.recv, sock.send
        offer = f"Sec-WebSocket-Protocol: {protocol}\r\n" if protocol else ""
        loop.add(sock.fileno(), self._ready, can_wait=can_wait)
        self._write(HANDSHAKE.format(path=path, host=bracketed(host), port=port, offer=offer).encode())

    def _never_opened(self, why: str) -> None:
        self.refused, self.is_cut, self.closed_s = why, True, now_s()
        self._socket.close()

    @property
    def is_settled(self) -> bool:
        """Whether it was opened, or came to its end before that."""
        return self.is_open or self.closed_s is not None

    def send(self, opcode: int, payload: bytes) -> None:
        """Send one message; nothing if the connection is gone."""
        self._write(frames.masked(opcode, payload))

    def stop_reading(self) -> None:
        """Read nothing any more, as a client that hangs."""
        if self.closed_s is None:
            self.is_reading, self.has_stopped = False, True
            self._loop.change(self._socket.fileno(), 0)

    def read_on(self) -> None:
        """End of that."""
        if self.closed_s is None:
            self.is_reading = True
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, CHUNK_BYTES)
            self._loop.change(self._socket.fileno(), READS)

    def close(self) -> None:
        """Cut the connection."""
        if self.closed_s is None:
            self.closed_s = now_s()
            self._loop.remove(self._socket.fileno())
            self._socket.close()

    def _ready(self, events: int) -> None:
        if events != READS:
            if events & WRITES:
                self._write(b"")
            if not events & ~WRITES or self.closed_s is not None:
                return
        try:
            data = self._recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        at_s = now_s()
        size = len(data)
        # Nearly always one short message, whole: nothing needs to be looked for.
        if size > 2 and data[1] == size - 2 < 126 and data[0] < frames.FINAL_CLOSE and self._is_plain:
            self.heard(data, at_s)
        else:
            self._take(data, at_s)

    def _take(self, data: bytes, at_s: float) -> None:
        if not data:
            self.is_cut = self.closed_s is None
            self.close()
            return
        if self._tail:
            data, self._tail = self._tail + data, b""
        if not self.is_open:
            data = self._shake_hands(data)
            if self.refused is not None:
                self.is_cut = True
                self.close()
                return
        end = frames.whole(data, self._control)
        if end < len(data):
            data, self._tail = data[:end], data[end:]
        self._is_plain = self.is_open and not self._tail
        if data:
            self.heard(data, at_s)

    def keep(self, data: bytes, at_s: float) -> None:
        """Keep frames for the judges."""
        self.chunks.append(data)
        self.times.append(at_s)

    def _shake_hands(self, data: bytes) -> bytes:
        head, end, rest = data.partition(b"\r\n\r\n")
        if not end:
            self._tail = data
            return b""
        if b" 101 " not in head.partition(b"\r\n")[0]:
            line = head.partition(b"\r\n")[0].decode("latin-1")
            self.refused = f"no WebSocket there, but: {line}"
            return b""
        self.is_open = True
        return rest

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == frames.PING:
            self.send(frames.PONG, payload)
        elif opcode == frames.CLOSE:
            self.code = int.from_bytes(payload[:2], "big")

    def _write(self, data: bytes) -> None:
        if self.closed_s is not None:
            return
        if self._unsent:
            data = self._unsent + data
        try:
            sent = self._send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # the server has hung up: what it said before that, its code too, is read at the next turn
        if sent < len(data) or self._unsent:
            self._unsent = data[sent:]
            self._loop.change(self._socket.fileno(), READS | (WRITES if self._unsent else 0))
