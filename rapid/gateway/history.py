"""The last decisions of a table, for clients that come back with `since`.

As objects they would be most of what a table takes in memory; as the bytes they came in they take a tenth, and few
ask for them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

from rapid.gateway.packing import Packed
from rapid.wire.records import Record, pack_record, unpack_record

SPARE_PART = 4
"""A fourth more may be kept for a while."""


class History:
    """The last `most` records, or a few more, each behind the one before it without a gap."""

    __slots__ = ("_ats", "_data", "_last_seq", "_most", "_seqs", "_sizes")

    def __init__(self, most: int) -> None:
        self._most = most
        self._data = bytearray()
        self._sizes = array("L")
        self._seqs = array("Q")
        self._ats = array("Q")
        self._last_seq = 0

    def __len__(self) -> int:
        return len(self._seqs)

    def add(self, record: Record, data: bytes | None = None) -> None:
        """Keep a record; `data` are its bytes, if they are at hand."""
        if data is None:
            data = pack_record(record)
        self._data += data
        self._sizes.append(len(data))
        self._seqs.append(record.seq)
        self._ats.append(record.at)
        self._last_seq = record.seq + len(record.events) - 1
        # Some go together: each one by itself would move all behind it.
        if len(self._seqs) > self._most + self._most // SPARE_PART:
            self._trim()

    def _trim(self) -> None:
        more = len(self._seqs) - self._most
        del self._data[: sum(self._sizes[:more])]
        for column in (self._sizes, self._seqs, self._ats):
            del column[:more]

    @property
    def first_seq(self) -> int | None:
        """Return the first `seq` that is still here, None if nothing is."""
        return self._seqs[0] if self._seqs else None

    def at_of(self, seq: int) -> int | None:
        """Return the stamp of an event, None if it is not here."""
        place = bisect_right(self._seqs, seq) - 1
        return self._ats[place] if place >= 0 and seq <= self._last_seq else None

    def behind(self, seq: int, until: int) -> list[Packed]:
        """Return the decisions that hold the events behind `seq` up to `until`."""
        if seq >= min(until, self._last_seq):
            return []
        found, start, first = [], 0, bisect_right(self._seqs, seq + 1) - 1
        for place, size in enumerate(self._sizes):
            if place >= first and self._seqs[place] <= until:
                found.append(Packed(unpack_record(bytes(self._data[start : start + size]))))
            start += size
        return found
