"""A table of the floor: every intent becomes an event for its four sockets, whatever it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from loadtests.generator import frames
from loadtests.generator.connection import Connection
from loadtests.generator.loop import Loop
from loadtests.generator.recorder import Recorder
from loadtests.generator.table import Seat, Table
from loadtests.generator.wire import msgpack_int

MARK: Final = b"\xa3seq"
INTENT: Final[dict[str, Any]] = {
    "t": "play",
    "ts": 1 << 40,
    "seq": 1 << 20,
    "stack": 2,
    "card": 17,
    "hand": 1,
    "k": "k",
}
INTENT_BYTES: Final = 63
_pack = msgspec.msgpack.Encoder().encode


class FloorSeat(Seat):
    """One socket."""

    __slots__ = ("table",)

    def __init__(self, table: FloorTable) -> None:
        super().__init__()
        self.table = table

    def heard(self, data: bytes, now: float) -> None:
        """Frames have come."""
        table = self.table
        # Kept as those of the server are, so that both cost the generator the same.
        data = table.shared(data)
        self.connection.keep(data, now)
        place = data.rfind(MARK)
        if place >= 0:
            self.seq = msgpack_int(data, place + len(MARK))
        if self.waits and self.seq >= table.target:
            table.reached(self, now)
            if not table.waiting:
                table.settle(now)


class FloorTable(Table):
    """Seats in turn."""

    def __init__(self, loop: Loop, recorder: Recorder, host: str, port: int, number: int, seats: int) -> None:
        super().__init__(loop, recorder)
        self._seats = [FloorSeat(self) for _ in range(seats)]
        self._turn = 0
        spare = INTENT_BYTES - len(_pack(INTENT))
        self._intent = _pack({**INTENT, "k": "k" * (1 + spare)})
        for place, seat in enumerate(self._seats):
            seat.connection = Connection(loop, host, port, f"/ws/{number}/{place}", seat.heard)

    @property
    def seats(self) -> Sequence[FloorSeat]:
        """The sockets."""
        return self._seats

    def act(self, scheduled_s: float) -> bool:
        """Send the next intent."""
        seat = self._seats[self._turn]
        self._turn = (self._turn + 1) % len(self._seats)
        self.begin("play", seat.seq + 1, scheduled_s)
        seat.connection.send(frames.BINARY, self._intent)
        return True

    def close(self) -> None:
        """Hang up."""
        for seat in self._seats:
            seat.connection.close()
