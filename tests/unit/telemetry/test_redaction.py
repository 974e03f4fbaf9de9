"""What must never reach a log line does not, even where code asks for it."""

import io
import json
import logging
import secrets
from collections.abc import Iterator

import pytest
import structlog
from msgspec import Struct

from rapid.ids import new_token
from rapid.telemetry.logs import configure_logging, for_table, get_logger
from rapid.telemetry.redaction import HIDDEN, redact


class State(Struct, frozen=True):
    hand: tuple[str, ...]


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    structlog.reset_defaults()


@pytest.mark.parametrize(
    "fields",
    [
        {"token": "abc"},
        {"seat_token": "abc"},
        {"secret": b"abc"},
        {"hand": ["abc"]},
        {"hands": {"0": ["abc"]}},
        {"cards": ("abc",)},
        {"Cards": "abc"},
        {"salt": "abc"},
        {"headers": {"Authorization": "abc", "cookie": "abc"}},
        {"event_fields": [{"deep": {"cards": ["abc"]}}]},
        {"state": State(("abc",))},
        {"states": [State(("abc",))]},
        {"raw": b"abc"},
    ],
)
def test_hidden_by_its_name_or_by_being_an_object(fields):
    assert "abc" not in repr(redact(None, "info", fields))


def test_what_is_for_all_to_see_stays():
    line = {"event": "played", "cards": 7, "seat": 2, "table": "abcdefghij12", "latency_ms": 0.5, "ok": True, "x": None}
    assert redact(None, "info", line) == line


@pytest.mark.parametrize("make", [new_token, lambda: secrets.token_hex(32)])
def test_hidden_by_its_looks(make):
    for _ in range(100):
        secret = make()
        assert redact(None, "info", {"event": f"hello {secret}, welcome"})["event"] == f"hello {HIDDEN}, welcome"


def test_the_password_in_an_address_is_hidden():
    line = redact(None, "info", {"redis": "redis://user:pass@10.0.0.1:6379/0"})
    assert line == {"redis": f"redis://user:{HIDDEN}@10.0.0.1:6379/0"}


def test_lines_are_json_off_a_terminal_with_table_epoch_and_seat(stream):
    configure_logging(stream)
    for_table(get_logger("rapid.test"), "abcdefghij12", epoch=3, seat=0).info("took the seat", hand=["QH"])
    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "took the seat",
        "level": "info",
        "logger": "rapid.test",
        "table": "abcdefghij12",
        "epoch": 3,
        "seat": 0,
        "hand": HIDDEN,
    }


def test_lines_are_for_people_on_a_terminal(stream):
    stream.isatty = lambda: True
    configure_logging(stream)
    get_logger("rapid.test").info("took the seat", token="abc")
    assert "took the seat" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
    assert "abc" not in stream.getvalue()


@pytest.mark.parametrize("as_json", [True, False])
def test_a_traceback_shows_no_local_variables(stream, as_json):
    configure_logging(stream, as_json=as_json)
    token = new_token()

    def fail() -> None:
        hand = ["Q" + "H"]
        raise ValueError(f"bad {token}, {len(hand)} card")

    try:
        fail()
    except ValueError:
        get_logger("rapid.test").exception("a bug")
    assert "Traceback" in stream.getvalue()
    assert token not in stream.getvalue()
    assert "QH" not in stream.getvalue()


def test_lines_of_libraries_go_the_same_way(stream):
    configure_logging(stream)
    token = new_token()
    logging.getLogger("library").warning("got %s from %s", token, "there")
    line = json.loads(stream.getvalue())
    assert line["event"] == f"got {HIDDEN} from there"
    assert line["level"] == "warning"


def test_the_level_is_obeyed(stream):
    configure_logging(stream, level="warning")
    get_logger("rapid.test").info("too much")
    assert stream.getvalue() == ""
    with pytest.raises(ValueError, match="LOUD"):
        configure_logging(stream, level="loud")
