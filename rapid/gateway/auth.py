"""Which seat a token belongs to. Only hashes are kept, and they stand in the table's log."""

from __future__ import annotations

from rapid.engine.state import Seat, State
from rapid.gateway.table import Table
from rapid.ids import is_token


def _holder(state: State, token: str) -> Seat | None:
    """All seats are compared, each in constant time: how long it takes tells nothing."""
    found = None
    for seat in state.persons:
        if seat.token_hash is not None and is_token(token, seat.token_hash):
            found = seat
    return found


async def seat_of(table: Table, token: str) -> Seat | None:
    """Return the seat; None if the token is void, of another table, or nobody's.

    A token may be newer than what has been pushed here: before it is refused the log is read
    to its end (`StoreUnavailable`); and before it is taken where Redis may have lost its tail.
    """
    seat = _holder(table.state, token)
    if seat is None or table.is_in_doubt:
        await table.catch_up()  # until no doubt is left
        seat = _holder(table.state, token)
    return seat
