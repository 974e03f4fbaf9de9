"""Lines into JSON objects, strictly: one spelling of a log has one meaning (PROTOCOL section 1)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rapid.engine.replay.faults import WrongError

MAX_INTEGER = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the input: its number from 1, and the object on it or why there is none."""

    number: int
    value: dict[str, Any] | None
    fault: str | None = None

    @property
    def is_header(self) -> bool:
        """Whether it begins a log: headers have `log`, events have `seq`."""
        return self.value is not None and "log" in self.value and "seq" not in self.value


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise WrongError("a key stands twice in one object")
    return made


def _no_constant(name: str) -> None:
    raise WrongError(f"{name} is not a JSON number")


def parse_object(text: object) -> dict[str, Any]:
    """The object on one line; raises `WrongError` for anything else."""
    if not isinstance(text, (str, bytes)):
        raise WrongError("not text")
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(decoded, object_pairs_hook=_no_doubles, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise WrongError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise WrongError("not a JSON object")
    return value


def read(lines: Iterable[object]) -> Iterator[Line]:
    """Every line that is not blank, in order; faults are values, for the caller to place."""
    number = 0
    source = iter(lines)
    while True:
        number += 1
        try:
            text = next(source)
        except StopIteration:
            return
        except UnicodeDecodeError as error:
            # A text file decodes while it is read; what follows cannot be trusted to be a line.
            yield Line(number, None, f"not UTF-8: {error.reason}")
            return
        if isinstance(text, (str, bytes)) and not text.strip():
            continue
        try:
            yield Line(number, parse_object(text))
        except WrongError as error:
            yield Line(number, None, error.reason)
