"""What a table remembers of its last decisions, in little room (DESIGN decision 6)."""

import pytest

from rapid.gateway.history import History
from rapid.wire.records import pack_record
from tests.unit.gateway.bench import Story

MOST = 3


@pytest.fixture
def records():
    return [entry.record for entry in Story().opened().seated().started().entries]


@pytest.fixture(params=["bytes at hand", "none"])
def full(request, records):
    history = History(MOST)
    for record in records:
        history.add(record, pack_record(record) if request.param == "bytes at hand" else None)
    return history


def test_the_newest_are_kept_and_given_back_as_they_were(full, records):
    assert len(full) == MOST < len(records)
    assert full.first_seq == records[-MOST].seq
    last = records[-1].last_seq
    assert [packed.record for packed in full.behind(full.first_seq - 1, last)] == records[-MOST:]


def test_each_asks_for_what_lies_behind_it_and_not_beyond(full, records):
    kept = records[-MOST:]
    for since in range(full.first_seq - 1, kept[-1].last_seq + 2):
        for until in range(full.first_seq, kept[-1].last_seq + 1):
            found = [packed.record for packed in full.behind(since, until)]
            wanted = [one for one in kept if one.last_seq > since and one.seq <= until]
            assert found == (wanted if since < until else []), (since, until)


def test_every_event_that_is_kept_has_its_stamp(full, records):
    for record in records[-MOST:]:
        for seq in range(record.seq, record.last_seq + 1):
            assert full.at_of(seq) == record.at
    assert full.at_of(full.first_seq - 1) is None
    assert full.at_of(records[-1].last_seq + 1) is None


def test_an_empty_history_knows_nothing():
    history = History(MOST)
    assert (len(history), history.first_seq, history.at_of(1), history.behind(0, 5)) == (0, None, None, [])


def test_what_is_forgotten_takes_no_room(records):
    history, size = History(MOST), len(pack_record(records[0]))
    for _ in range(1000):
        history.add(records[0])
    assert len(history._data) == MOST * size
    assert history._data.__sizeof__() < 2 * MOST * size + 200
