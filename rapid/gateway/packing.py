"""A decision's events as frames, packed once for each kind of viewer (DESIGN decision 12)."""

from __future__ import annotations

from rapid.engine.project import are_same_for_all, is_same_for_all, project_event
from rapid.wire.codec import Codec
from rapid.wire.records import Record


class Packed:
    """One record; frames are built when first asked for and shared by all who may see the same."""

    __slots__ = ("_for_all", "_public", "is_same_for_all", "record")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.is_same_for_all = are_same_for_all(record.events)
        self._for_all: dict[Codec, bytes] | None = None
        self._public: dict[Codec, list[bytes]] | None = None

    def frames(self, codec: Codec, viewer: int | None) -> bytes:
        """Return the events as this viewer (a seat, or None: a spectator) may see them, as frames in a row."""
        if viewer is not None and not self.is_same_for_all:
            return b"".join(self._for_seat(codec, viewer))
        known = self._for_all
        if known is None:
            known = self._for_all = {}
        frames = known.get(codec)
        if frames is None:
            frames = known[codec] = self._built(codec)
        return frames

    def frames_behind(self, seq: int, codec: Codec, viewer: int | None) -> bytes:
        """Return the frames of the events behind `seq` only."""
        skipped = max(0, seq + 1 - self.record.seq)
        frames = self._for_public(codec) if viewer is None else self._for_seat(codec, viewer)
        return b"".join(frames[skipped:])

    def forget_frames(self) -> None:
        """Whoever asks for frames from now on is one of few: they are built again."""
        self._for_all = self._public = None

    def _built(self, codec: Codec) -> bytes:
        record = self.record
        if len(record.events) == 1:
            return codec.event_frame(record.seq, record.at, project_event(record.events[0], None))
        return b"".join(self._for_public(codec))

    def _for_public(self, codec: Codec) -> list[bytes]:
        if self._public is None:
            self._public = {}
        frames = self._public.get(codec)
        if frames is None:
            record = self.record
            frames = self._public[codec] = [
                codec.event_frame(seq, record.at, project_event(event, None))
                for seq, event in enumerate(record.events, record.seq)
            ]
        return frames

    def _for_seat(self, codec: Codec, seat: int) -> list[bytes]:
        frames = list(self._for_public(codec))
        record = self.record
        for place, event in enumerate(record.events):
            if not is_same_for_all(event):
                frames[place] = codec.event_frame(record.seq + place, record.at, project_event(event, seat))
        return frames
