"""The one way in which a check fails."""

from __future__ import annotations


class WrongError(Exception):
    """A log contradicts the rules; `seq` is set where an earlier event is the wrong one."""

    def __init__(self, reason: str, seq: int | None = None) -> None:
        """Keep the reason, a sentence for people, and the position it belongs to."""
        super().__init__(reason)
        self.reason = reason
        self.seq = seq


def demand(holds: object, reason: str, *values: object) -> None:
    """Raise `WrongError` unless `holds`; `values` fill the places `{}` of the reason."""
    if not holds:
        raise WrongError(reason.format(*values))
