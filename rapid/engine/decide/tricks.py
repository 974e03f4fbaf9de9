"""Opening a trick."""

from __future__ import annotations

from rapid.engine.decide.draft import Draft
from rapid.engine.events import TrickOpened


def open_trick(draft: Draft) -> None:
    """Open the next trick; anyone in the round may lay the first play (R1, R8)."""
    round_ = draft.state.round
    assert round_ is not None
    deadline = draft.at + draft.state.rules.race_ms
    draft.emit(TrickOpened(trick=round_.tricks + 1, leader=None, deadline=deadline))
