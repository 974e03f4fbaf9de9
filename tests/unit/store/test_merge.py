from rapid.store.merge import Merge
from rapid.table.ports import Delivery
from rapid.wire.records import Answer, Ask

NOTE = Delivery(table="t", note={})


def answers(ref: int) -> Delivery:
    return Delivery(answers=(Answer(Ask("g", ref), 0),))


async def test_deliveries_are_taken_in_order():
    merge = Merge(10)
    for delivery in (NOTE, answers(1), Delivery(blind=True)):
        merge.put(delivery)
    assert [await merge.take() for _ in range(3)] == [NOTE, answers(1), Delivery(blind=True)]


async def test_a_gateway_that_does_not_keep_up_is_told_that_it_is_blind_and_loses_no_answer():
    merge = Merge(10)
    merge.put(answers(1))
    for _ in range(10):
        merge.put(NOTE)
    merge.put(answers(2))
    assert [await merge.take() for _ in range(3)] == [answers(1), Delivery(blind=True), answers(2)]
    assert merge.forgotten == 10
    merge.put(NOTE)
    assert await merge.take() == NOTE


async def test_what_is_to_be_forgotten_is_told_as_blindness_and_answers_stay():
    merge = Merge(10)
    merge.forget()
    merge.put(answers(1))
    merge.forget()
    assert len(merge) == 1
    for delivery in (NOTE, answers(2), NOTE):
        merge.put(delivery)
    merge.forget()
    assert [await merge.take() for _ in range(3)] == [answers(1), answers(2), Delivery(blind=True)]
    assert len(merge) == 0
