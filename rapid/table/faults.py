"""Faults of ours: said loudly, and without a card."""

from __future__ import annotations

from rapid.telemetry.logs import get_logger

_log = get_logger(__name__)


def log_fault(event: str, error: Exception, **where: str | int) -> None:
    """Say where a fault of ours happened, but no values: the text of an error, or a local, may hold cards."""
    trace, frames = error.__traceback__, []
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    _log.error(event, **where, error=type(error).__name__, frames=frames[-8:])
