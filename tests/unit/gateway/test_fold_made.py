"""What was folded in this process is taken only where folding would give the same."""

import pytest
from msgspec import structs

from rapid.engine.intents import Connect
from rapid.gateway import fold as folding
from rapid.gateway.fanout import Pump
from rapid.gateway.fold import Fold
from rapid.gateway.options import GatewayOptions
from rapid.gateway.table import Table
from rapid.table.ports import Made
from tests.unit.gateway.bench import NOW, TABLE, Story


@pytest.fixture
def two_stories():
    """Alike to the last `seq`, but other people sit there; and what is the same to the letter behind both."""
    ours, lost = Story().opened().seated(("bob", "cy")), Story().opened().seated(("dee", "cy"))
    before = lost.state
    record = ours.tell(Connect(0)).record
    assert lost.tell(Connect(0)).record == record
    return ours, lost, Made(record, before, lost.state)


def known(story):
    """A fold of all but the last."""
    fold = Fold(TABLE, 100)
    for entry in story.entries[:-1]:
        fold.take(entry.id, entry.record)
    return fold


def test_the_same_bytes_on_another_state_are_folded(two_stories):
    ours, lost, made = two_stories
    fold, last = known(ours), ours.entries[-1]
    assert made.before != fold.state
    assert made.before.seq == fold.state.seq
    fold.take(last.id, last.record, made=made)
    assert fold.state == ours.state != lost.state


def test_on_the_very_state_nothing_is_folded(two_stories, monkeypatch):
    ours, _, _ = two_stories
    fold, last = known(ours), ours.entries[-1]
    monkeypatch.setattr(folding, "fold", None)
    fold.take(last.id, last.record, made=Made(last.record, fold.state, ours.state))
    assert fold.state is ours.state


def test_on_an_equal_state_it_is_folded_and_then_both_go_on_from_one(two_stories):
    ours, _, _ = two_stories
    fold, last = known(ours), ours.entries[-1]
    equal = structs.replace(fold.state)
    assert equal is not fold.state
    fold.take(last.id, last.record, made=Made(last.record, equal, ours.state))
    assert fold.state is ours.state


class Clock:
    def now_ms(self):
        return NOW


@pytest.fixture
def story():
    return Story().opened().seated()


@pytest.fixture
def table(story):
    table = Table(TABLE, None, Clock(), Pump(250), GatewayOptions(), lambda _answer: None)
    for entry in story.entries[:-1]:
        assert table.pushed(entry.id, entry.record)
    return table


def test_in_doubt_it_is_not_taken(story, table):
    last, before = story.entries[-1], table.state
    table.doubt()
    assert not table.pushed(last.id, last.record, None, Made(last.record, before, story.state))
    assert table.state is before


@pytest.mark.parametrize("entry_id, follows", [("1-2", True), ("1-9", False), ("2-1", False)])
def test_by_an_id_that_is_not_the_next_it_is_not_taken(story, table, entry_id, follows):
    last, before = story.entries[-1].record, table.state
    assert table.pushed(entry_id, last, None, Made(last, before, story.state)) is follows
    assert table.state is before
