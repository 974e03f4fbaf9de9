"""What Redis holds: inbox entries and log records, and their bytes.

These bytes stay inside the system, so `msgspec` packs the structs themselves; the outside
of the system is in `messages` and `codec`.

Versions. Records of all versions up to our own are read, for ever. New fields, with defaults, come last and need no
new version; neither does what an older reader may pass over. A change that an older reader would misread, a new kind
of event above all, raises `RECORD_VERSION`. Whatever a later version makes of a record, it stays an array whose sixth
item is the version, so that an older reader can say what it met.

A record is written in the lowest version that says what it says: while a new release is rolled out, workers and
gateways of the one before go on with the tables that use nothing new.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct, structs

from rapid.engine.events import AnyEvent, GameStarted, SettingsChanged, Skipped, TableOpened, TurnBegan
from rapid.engine.intents import AnyIntent
from rapid.engine.refusals import Refusal
from rapid.rules.settings import Settings

FIRST, TURNS, WILD = 1, 2, 3
"""1: `president` in the race; records that say no version are of it too. 2: turn mode and the other rulesets. 3: the
options in which wild cards came."""
RECORD_VERSION = WILD
"""The newest we know."""
MARK_DIGITS = 8
"""Of a token's hash: two holders that are to be told apart have the same mark once in four thousand million times."""


class NewerVersion(msgspec.MsgspecError):
    """A record of a version that came after ours."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"written by a newer version: record version {version}, the newest known here is {RECORD_VERSION}"
        )
        self.version = version


class Ask(Struct, frozen=True, array_like=True, gc=False):
    """Who waits for the answer: a gateway, and its number for the question."""

    gateway: str
    ref: int


class Entry(Struct, frozen=True, array_like=True, gc=False):
    """One inbox entry: an intent for a table. Its Redis id is its order and its time.

    `since` is the `seq` of the asking seat's `seat_taken`: an intent still under way when
    its chair was freed and taken again must not count for the new holder. `mark`, of the asking
    holder's token, stands beside it: behind a lost tail the new holder's `since` may be the same.
    An entry of the version before says none.

    `until_ms`: when the asker gives up. Who is told "not now, try again" must not be found to have a seat all the
    same, so that what is decided later than this is refused.
    """

    table: str
    intent: AnyIntent
    ask: Ask | None = None
    since: int | None = None
    until_ms: int | None = None
    mark: str | None = None


class Answer(Struct, frozen=True, array_like=True, gc=False):
    """What the asker is told: accepted (no refusal) with the last `seq`, or refused."""

    ask: Ask
    seq: int
    refusal: Refusal | None = None


class Record(Struct, frozen=True, array_like=True, gc=False):
    """One decision, one log entry: all its events, what caused it and what is answered.

    `cursor` is the id of the last inbox entry that is wholly decided with this record: a
    timer that fires in front of an entry does not yet count that entry. `at` in
    milliseconds, `seq` that of the first event.
    """

    seq: int
    at: int
    cursor: str
    events: tuple[AnyEvent, ...]
    answer: Answer | None = None
    version: int = FIRST
    """Of one that is read; `pack_record` writes the lowest that will do."""

    @property
    def last_seq(self) -> int:
        """`seq` of the last event."""
        return self.seq + len(self.events) - 1


class _AnyRecord(Struct, frozen=True, array_like=True):
    """As much of a record as every version has."""

    seq: msgspec.Raw
    at: msgspec.Raw
    cursor: msgspec.Raw
    events: msgspec.Raw
    answer: msgspec.Raw
    version: int = 1


class _AnyEntry(Struct, frozen=True, array_like=True):
    """As much of an entry as every version has."""

    table: str
    intent: msgspec.Raw
    ask: Ask | None = None


_OF_TURNS = frozenset((TurnBegan, Skipped))
_WITH_SETTINGS = (TableOpened, SettingsChanged, GameStarted)
_LATER_KINDS = _OF_TURNS.union(_WITH_SETTINGS)
"""Events of any other kind are of the first version."""
_ALL_OF_1 = ("president", "rapid")
_OPTIONS_OF_2 = frozenset(
    [
        "deck",
        "must_beat",
        "killer",
        "passing",
        "exchange",
        "leader",
        "first_dealer",
        "sit_out",
        "fresh_hands",
        "three_deals",
        "dealer",
        "reseat",
        "larger_sets",
        "equal",
        "skip_next",
        "turning",
        "jokers",
        "two_high_low",
        "transparent_threes",
    ]
)

_encoder = msgspec.msgpack.Encoder()
_entry_decoder = msgspec.msgpack.Decoder(Entry)
_record_decoder = msgspec.msgpack.Decoder(Record)
_any_record_decoder = msgspec.msgpack.Decoder(_AnyRecord)
_any_entry_decoder = msgspec.msgpack.Decoder(_AnyEntry)
_answers_decoder = msgspec.msgpack.Decoder(tuple[Answer, ...])


def mark_of(token_hash: str | None) -> str | None:
    """Return what tells a chair's holders apart, of the hash of a token: it stays inside, like the hash."""
    return None if token_hash is None else token_hash[:MARK_DIGITS]


def pack_entry(entry: Entry) -> bytes:
    """Return the bytes of an inbox entry."""
    return _encoder.encode(entry)


def pack_unmarked(entry: Entry) -> bytes:
    """Return the bytes of an inbox entry as the version before writes them, which knows no mark."""
    return _encoder.encode(structs.astuple(entry)[:-1])


def unpack_entry(data: bytes) -> Entry:
    """Return the inbox entry; `msgspec.MsgspecError` if these are not its bytes."""
    return _entry_decoder.decode(data)


def asker_of(data: bytes) -> Ask | None:
    """Return who waits for the answer to an entry that `unpack_entry` cannot read, one of a newer version say."""
    try:
        return _any_entry_decoder.decode(data).ask
    except msgspec.MsgspecError:
        return None


def pack_record(record: Record) -> bytes:
    """Return the bytes of a log record, in the lowest version that its events need."""
    version = FIRST
    if not _LATER_KINDS.isdisjoint(map(type, record.events)):
        version = max(map(_least_version, record.events))
    return _encoder.encode(record if version == record.version else structs.replace(record, version=version))


def _least_version(event: AnyEvent) -> int:
    kind = type(event)
    if kind in _OF_TURNS:
        return TURNS
    return _settings_version(event.settings) if isinstance(event, _WITH_SETTINGS) else FIRST


def _settings_version(settings: Settings) -> int:
    """Readers fold by the settings: those who do not know a ruleset, a mode or an option must not try."""
    if settings.options.keys() - _OPTIONS_OF_2:
        return WILD
    return FIRST if (settings.ruleset, settings.mode) == _ALL_OF_1 else TURNS


def unpack_record(data: bytes) -> Record:
    """Return the log record; `msgspec.MsgspecError` if these are not its bytes, `NewerVersion` if we are too old."""
    try:
        record = _record_decoder.decode(data)
    except msgspec.MsgspecError:
        _refuse_newer(data)
        raise
    if record.version > RECORD_VERSION:
        raise NewerVersion(record.version)
    return record


def _refuse_newer(data: bytes) -> None:
    """What a newer version has written must not be taken for damage."""
    try:
        version = _any_record_decoder.decode(data).version
    except msgspec.MsgspecError:
        return
    if version > RECORD_VERSION:
        raise NewerVersion(version)


def pack_answers(answers: tuple[Answer, ...]) -> bytes:
    """Return the bytes of answers to one gateway."""
    return _encoder.encode(answers)


def unpack_answers(data: bytes) -> tuple[Answer, ...]:
    """Return the answers; `msgspec.MsgspecError` if these are not their bytes."""
    return _answers_decoder.decode(data)
