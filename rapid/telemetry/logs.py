"""Log lines: for people on a terminal, one JSON object a line elsewhere. Libraries' own lines look the same."""

from __future__ import annotations

import logging
import sys
from typing import Any, Final, TextIO

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import Processor

from rapid.telemetry.redaction import redact

# `format_exc_info` prints no local variables, where a hand or a token would be; then `redact` sees its text too.
_SHARED: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
    redact,
)


def configure_logging(stream: TextIO = sys.stderr, *, level: str = "INFO", as_json: bool | None = None) -> None:
    """Send every log line of this process to `stream`. To be called once, at the start.

    `as_json` None means: JSON unless the stream is a terminal. Raises `ValueError` for an unknown level.
    """
    for_people = stream.isatty() if as_json is None else not as_json
    renderer: Processor = structlog.dev.ConsoleRenderer() if for_people else structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *_SHARED],
            processors=[ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # One line a request would drown the rest; the metrics count them.
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *_SHARED, ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=BoundLogger,
    )


def get_logger(name: str) -> BoundLogger:
    """Return a logger of that name; modules ask with `__name__`."""
    logger: BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def for_table(logger: BoundLogger, table: str, *, epoch: int | None = None, seat: int | None = None) -> BoundLogger:
    """Return the logger with the table bound, and epoch and seat where they are known."""
    known: dict[str, Any] = {"table": table, "epoch": epoch, "seat": seat}
    return logger.bind(**{name: value for name, value in known.items() if value is not None})
