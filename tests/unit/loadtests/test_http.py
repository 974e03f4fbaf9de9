"""What is asked for over HTTP before a load begins, and what is said of who answers something else."""

import socket
import threading
from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loadtests.generator import http as module
from loadtests.generator.http import Api, Unusable, answer_of

OPENED = b'{"table": "abc", "seat": 0, "token": "t"}'


@pytest.fixture
def answers():
    """Give a list of answers, (status, headers, text) each, that a server gives in turn, the last again and again."""
    told: list[tuple[int, dict, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            status, headers, text = told.pop(0) if len(told) > 1 else told[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    told_to = Api("127.0.0.1", server.server_port)
    yield told, told_to
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def slept(monkeypatch):
    seconds = []
    monkeypatch.setattr(module.time, "sleep", seconds.append)
    return seconds


def test_a_server_that_asks_for_patience_is_asked_again(answers, slept):
    told, api = answers
    told += [(429, {"Retry-After": "3"}, b"{}"), (503, {}, b"{}"), (503, {"Retry-After": "soon"}, b"{}")]
    told.append((201, {}, OPENED))
    assert api.post("/api/tables", {})["table"] == "abc"
    assert slept == [3.0, module.AGAIN_SECONDS, module.AGAIN_SECONDS]


def test_more_patience_than_there_is_is_not_waited_for(answers, slept):
    told, api = answers
    told.append((429, {"Retry-After": "3600"}, b'{"title": "Too many tables"}'))
    with pytest.raises(Unusable, match=r"429 .*Too many tables"):
        api.post("/api/tables", {})
    assert slept == []


@pytest.mark.parametrize("text", [b"<html>\n<body>hello", b"[]", b"{}", b'{"table": 3, "token": "x"}', b"", b"\xff"])
def test_what_is_no_table_is_no_server_of_ours(answers, text):
    told, api = answers
    told.append((201, {}, text))
    with pytest.raises(Unusable, match="is not a server of this kind") as raised:
        api.post("/api/tables", {})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("status", [200, 301, 404, 501])
def test_a_page_is_none_either(answers, status):
    told, api = answers
    told.append((status, {}, b"<html>" + b"x\n" * 1000))
    with pytest.raises(Unusable, match=str(status)) as raised:
        api.post("/api/tables", {})
    assert len(str(raised.value).splitlines()) == 1
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("host,shown", [("127.0.0.1", "127.0.0.1"), ("::1", r"\[::1\]")])
def test_nobody_there(host, shown):
    with pytest.raises(Unusable, match=f"http://{shown}:1 does not answer"):
        Api(host, 1).post("/api/tables", {})


@pytest.mark.parametrize(
    "begins", [b"", b"HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n", b"HTTP/1.1 201 \r\n\r\n{"]
)
def test_an_answer_that_trickles_is_not_waited_for(begins):
    """However it begins: a byte in time, again and again, makes no whole."""
    is_over = threading.Event()

    def trickle() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(begins)
            while not is_over.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        connection = HTTPConnection(*listening.getsockname(), timeout=10)
        with pytest.raises(TimeoutError, match="no whole answer within"):
            answer_of(connection, 0.2, "GET", "/")
        is_over.set()
        thread.join()
