"""Bytes of records and entries, of our version, of one before and of one to come."""

import msgspec
import pytest
from msgspec import structs

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.events import GameStarted, LobbyOpened, Played, SettingsChanged, Skipped, TableOpened, TurnBegan
from rapid.engine.intents import AnyIntent, Disconnect, Leave
from rapid.engine.notation import parse_line
from rapid.engine.refusals import STALE, Refusal
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from rapid.wire.records import (
    RECORD_VERSION,
    Answer,
    Ask,
    Entry,
    NewerVersion,
    Record,
    asker_of,
    pack_entry,
    pack_record,
    pack_unmarked,
    unpack_entry,
    unpack_record,
)

ASK = Ask("gateway-1", 7)
RECORD = Record(3, 1_000, "999-0", (LobbyOpened(),), Answer(ASK, 3, Refusal(STALE, late_ms=4)))


def items_of(data: bytes) -> list[object]:
    return list(msgspec.msgpack.decode(data))


def test_a_record_comes_back_as_it_was_and_says_its_version():
    assert unpack_record(pack_record(RECORD)) == RECORD
    assert items_of(pack_record(RECORD))[5] == RECORD.version == 1


def settings_of(**fields):
    settings = lay_over(None, fields)
    assert isinstance(settings, Settings)
    return settings


RACE, PRESI = settings_of(), settings_of(ruleset="presi")
TURN, SKIP = TurnBegan(seat=1, rank=None, deadline=5), Skipped(seat=1, trick=1)
LAID = Played(seat=1, cards=("3S",), on=3, trick=1, by="person", revolution=False, deadline=9)


@pytest.mark.parametrize(
    "events, version",
    [
        ([TableOpened(RACE)], 1),
        ([SettingsChanged(settings_of(seats=4, variants={"four_closes": True}))], 1),
        ([GameStarted(1, (0, 1, 2), RACE), LAID], 1),
        ([LAID], 1),
        ([TableOpened(settings_of(mode="turns"))], 2),
        ([SettingsChanged(settings_of(ruleset="house"))], 2),
        ([GameStarted(1, (0, 1, 2, 3), settings_of(ruleset="escoria", mode="rapid"))], 2),
        ([LAID, TURN], 2),
        ([LAID, SKIP, TURN], 2),
        ([TableOpened(PRESI)], 3),
        ([TURN, GameStarted(1, (0, 1, 2), PRESI)], 3),
    ],
)
def test_a_record_is_written_in_the_lowest_version_that_will_do(events, version):
    record = Record(3, 1_000, "999-0", tuple(events))
    data = pack_record(record)
    assert items_of(data)[5] == version
    assert unpack_record(data) == msgspec.structs.replace(record, version=version)


def test_every_option_that_version_2_did_not_know_needs_version_3():
    known = {option.name for name in ("president", "house", "escoria") for option in PRESETS[name].options}
    for preset in PRESETS.values():
        for option in preset.options:
            settings = msgspec.structs.replace(RACE, options={option.name: option.default})
            version = items_of(pack_record(Record(1, 1, "0-0", (TableOpened(settings),))))[5]
            new = option.name in {"three", "joker", "wild_twos"}
            assert version == (3 if new else 1)
            assert new <= (option.name not in known)


def test_the_log_of_a_race_holds_nothing_that_the_first_version_could_not_read():
    lines = list(simulate(SimulateOptions(ruleset="president", mode="rapid", rounds=2, games=1)))
    events = [parse_line(line).event for line in lines[1:]]
    assert {items_of(pack_record(Record(1, 1, "0-0", (event,))))[5] for event in events} == {1}


def test_a_record_that_says_no_version_is_of_the_first():
    bare = msgspec.msgpack.encode(items_of(pack_record(RECORD))[:5])
    assert unpack_record(bare) == msgspec.structs.replace(RECORD, version=1)
    assert unpack_record(bare).version == 1


@pytest.mark.parametrize(
    "events",
    [[{"type": "lobby_opened"}], [{"type": "not_thought_of_yet", "x": 1}], {"any": "shape"}],
    ids=["known events, another meaning", "unknown events", "another shape"],
)
def test_a_record_of_a_newer_version_says_so_and_is_not_damage(events):
    data = msgspec.msgpack.encode([3, 1_000, "999-0", events, None, RECORD_VERSION + 1, "more"])
    with pytest.raises(NewerVersion) as caught:
        unpack_record(data)
    assert caught.value.version == RECORD_VERSION + 1


@pytest.mark.parametrize("cut", range(len(pack_record(RECORD))))
def test_a_record_that_was_cut_short_is_damage(cut):
    with pytest.raises(msgspec.MsgspecError) as caught:
        unpack_record(pack_record(RECORD)[:cut])
    assert not isinstance(caught.value, NewerVersion)


def test_unknown_events_in_a_record_of_our_version_are_damage():
    data = msgspec.msgpack.encode([3, 1_000, "999-0", [{"type": "not_thought_of_yet"}], None, RECORD_VERSION])
    with pytest.raises(msgspec.MsgspecError) as caught:
        unpack_record(data)
    assert not isinstance(caught.value, NewerVersion)


def test_what_a_later_version_adds_behind_is_passed_over():
    data = msgspec.msgpack.encode([*items_of(pack_record(RECORD)), {"added": 1}])
    assert unpack_record(data) == RECORD


def test_an_entry_comes_back_as_it_was_and_an_older_one_has_no_end():
    entry = Entry("table0000001", Leave(2), ASK, 5, 9_000, "0123abcd")
    assert unpack_entry(pack_entry(entry)) == entry
    items = items_of(pack_entry(entry))
    for known in range(2, len(items) + 1):
        given = (entry.table, entry.intent, entry.ask, entry.since, entry.until_ms, entry.mark)[:known]
        assert unpack_entry(msgspec.msgpack.encode(items[:known])) == Entry(*given)


class EntryOfBefore(msgspec.Struct, frozen=True, array_like=True):
    """As the version before knows it."""

    table: str
    intent: AnyIntent
    ask: Ask | None = None
    since: int | None = None
    until_ms: int | None = None


@pytest.mark.parametrize("mark", [None, "0123abcd"])
def test_the_version_before_reads_an_entry_with_a_mark_and_writes_it_without(mark):
    """While a release is rolled out both write into the same inboxes, and enter the same seats."""
    entry = Entry("table0000001", Disconnect(2), ASK, 5, 9_000, mark)
    before = EntryOfBefore("table0000001", Disconnect(2), ASK, 5, 9_000)
    assert msgspec.msgpack.decode(pack_entry(entry), type=EntryOfBefore) == before
    assert pack_unmarked(entry) == msgspec.msgpack.encode(before)
    assert unpack_entry(pack_unmarked(entry)) == structs.replace(entry, mark=None)


def test_who_waits_is_known_of_an_entry_with_an_intent_of_a_newer_version():
    data = msgspec.msgpack.encode(["table0000001", {"i": "not_thought_of_yet"}, ["gateway-1", 7], 5])
    with pytest.raises(msgspec.MsgspecError):
        unpack_entry(data)
    assert asker_of(data) == ASK
    assert asker_of(b"\xc1") is None
    assert asker_of(msgspec.msgpack.encode(["table0000001", {"i": "tick"}])) is None
