"""Spectators get the very same bytes, in slices: five thousand writes in one go would block the loop (DESIGN 2.12)."""

from __future__ import annotations

import asyncio
from collections import deque

from rapid.gateway.viewer import Viewer
from rapid.wire.close import Ending
from rapid.wire.codec import Codec


class Slice:
    """Some spectators of one table and one codec, and what has not been written to them yet."""

    __slots__ = ("chunks", "codec", "ending", "viewers")

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.ending: Ending | None = None
        self.viewers: dict[int, Viewer] = {}
        self.chunks: list[bytes] = []

    def flush(self) -> int:
        """Write what waits; return to how many sockets."""
        if not self.is_waiting:
            return 0
        viewers = list(self.viewers.values())
        self.write()
        ending, self.ending = self.ending, None
        if ending is not None:
            for viewer in viewers:
                viewer.end(ending)
        return len(viewers)

    def write(self) -> None:
        """Write the frames that wait; an ending goes on waiting."""
        frames = b"".join(self.chunks)
        self.chunks.clear()
        if frames:
            for viewer in list(self.viewers.values()):
                viewer.send(frames)

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be written."""
        return bool(self.chunks) or self.ending is not None


class Pump:
    """Writes the slices of all tables of a gateway, so many sockets a turn of the loop, first come first served."""

    def __init__(self, sockets_per_turn: int) -> None:
        self.sockets_per_turn = sockets_per_turn
        self._ready: deque[Slice] = deque()
        self._is_scheduled = False

    @property
    def waiting(self) -> int:
        """Return how many sockets are still to be written to."""
        return sum(len(piece.viewers) for piece in self._ready)

    def put(self, piece: Slice, frames: bytes) -> None:
        """Write these frames to the slice's viewers soon, behind what waits already."""
        if not piece.is_waiting:
            self._ready.append(piece)
        piece.chunks.append(frames)
        self._schedule()

    def end(self, piece: Slice, ending: Ending) -> None:
        """End the slice's viewers soon, behind what waits already."""
        if not piece.is_waiting:
            self._ready.append(piece)
        piece.ending = ending
        self._schedule()

    def _schedule(self) -> None:
        if self._ready and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._is_scheduled = False
        written = 0
        while self._ready and written < self.sockets_per_turn:
            written += self._ready.popleft().flush()
        self._schedule()


class Slices:
    """All spectators of one table."""

    __slots__ = ("_pump", "_slice_of", "_slices")

    def __init__(self, pump: Pump) -> None:
        self._pump = pump
        self._slices: list[Slice] = []
        self._slice_of: dict[int, Slice] = {}

    def __len__(self) -> int:
        return len(self._slice_of)

    @property
    def codecs(self) -> set[Codec]:
        """Return the codecs somebody listens with."""
        return {piece.codec for piece in self._slices}

    def viewers(self) -> list[Viewer]:
        """Return all."""
        return [viewer for piece in self._slices for viewer in piece.viewers.values()]

    def add(self, viewer: Viewer) -> None:
        """Add one who stands where the newest frames end: what still waits is written to the others first."""
        for piece in self._slices:
            has_room = len(piece.viewers) < self._pump.sockets_per_turn
            if piece.codec is viewer.codec and has_room and piece.ending is None:
                break
        else:
            piece = Slice(viewer.codec)
            self._slices.append(piece)
        piece.flush()
        piece.viewers[viewer.conn] = viewer
        self._slice_of[viewer.conn] = piece

    def remove(self, conn: int) -> None:
        """Forget one, who may be unknown."""
        piece = self._slice_of.pop(conn, None)
        if piece is not None:
            del piece.viewers[conn]
            if not piece.viewers and piece in self._slices:
                self._slices.remove(piece)

    def send(self, frames: dict[Codec, bytes]) -> None:
        """Send each the frames of its codec."""
        for piece in self._slices:
            self._pump.put(piece, frames[piece.codec])

    def write_for(self, conn: int) -> None:
        """Write now the frames that wait for one, who may be unknown, and for those beside it."""
        piece = self._slice_of.get(conn)
        if piece is not None:
            piece.write()

    def flush(self) -> None:
        """Write now what waits."""
        for piece in list(self._slices):
            piece.flush()

    def end(self, ending: Ending) -> None:
        """End all."""
        for piece in self._slices:
            self._pump.end(piece, ending)
