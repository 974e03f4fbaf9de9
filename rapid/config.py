"""All that can be set on a server, as frozen values with their defaults; each number has its unit last.

Every field can be given as `RAPID_<FIELD>` in the environment (PROTOCOL section 6). The environment is read here and
by the command line, nowhere else.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from rapid.errors import ConfigError

PREFIX: Final = "RAPID_"

Fsync = Literal["everysec", "always"]

# A closed table's log can be read for a while, and nothing expires that is not closed.
LOG_KEPT_LEAST_DAYS: Final = 1 / 86_400
LOG_KEPT_MOST_DAYS: Final = 36_500.0


class Limits(Struct, frozen=True, kw_only=True):
    """What one client, one viewer and one server may use up (PROTOCOL section 3, DESIGN decision 12)."""

    hello_timeout_ms: int = 5_000
    # An HTTP connection whose first request, and a request whose body, has not come in whole is closed.
    request_timeout_ms: int = 15_000
    # Token buckets: so many a second, and so many at once.
    messages_per_second: float = 50
    messages_burst: int = 200
    intents_per_second: float = 30
    intents_burst: int = 60
    reactions_per_second: float = 1
    # A viewer who has more than this waiting is cut off with 4008, never waited for.
    viewer_buffer_max_bytes: int = 1_048_576
    fan_out_slice_sockets: int = 100
    connections_max: int = 20_000
    # Each gateway counts what is open and what it is opening itself: several may go beyond it by what the others are
    # opening in the same moment.
    tables_max: int = 10_000
    # Opened by one address, behind which a whole household or school may sit: so many at once, then so many a minute.
    tables_per_address_burst: int = 200
    tables_per_address_per_minute: float = 120
    tables_listed_max: int = 200


class StoreOptions(Struct, frozen=True, kw_only=True):
    """Where tables are kept, and how long Redis may take."""

    redis: str | None = None  # an address; none: a server of our own under `data`
    data: Path = Path(".data")
    fsync: Fsync = "everysec"  # of our own server: what each promises stands in DESIGN decision 5
    shards: int = 64  # written to Redis at the first start, checked after
    lease_ms: int = 1_000  # the tables of a worker that died or hangs wait so long for another one
    log_kept_days: float = 30  # the log of a closed table can be read so long


class ServerOptions(Struct, frozen=True, kw_only=True):
    """What `rapid serve`, `gateway` and `worker` take."""

    host: str = "0.0.0.0"  # noqa: S104  # friends join over the local network (PROTOCOL section 6)
    port: int = 8_080
    dev: bool = False
    # Further origins whose pages may connect, each as `https://host[:port]` (PROTOCOL section 3).
    origins: tuple[str, ...] = ()


Options = TypeVar("Options", bound=Struct)


def from_environment(
    kind: type[Options], environ: Mapping[str, str], given: Mapping[str, Any] | None = None
) -> Options:
    """Build options of one kind: what is `given` wins, then `RAPID_<FIELD>`, then the default.

    A list is written with commas between its items. Raises `ConfigError` that names the variable.
    """
    hints = typing.get_type_hints(kind)
    values = dict(given or {})
    for field in kind.__struct_fields__:
        text = environ.get(PREFIX + field.upper())
        if field not in values and text:
            values[field] = _parse(PREFIX + field.upper(), text, hints[field])
    return kind(**values)


def _parse(variable: str, text: str, hint: Any) -> Any:
    if hint is Path:
        return Path(text).expanduser()
    raw: object = text
    if typing.get_origin(hint) is tuple:
        raw = tuple(item.strip() for item in text.split(",") if item.strip())
    try:
        return msgspec.convert(raw, hint, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{variable}={text!r}: {error}") from error
