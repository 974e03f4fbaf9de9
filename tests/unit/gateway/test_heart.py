"""A client that is there answers pings; one that is not is found out (websocket.Heart)."""

import pytest

from rapid.gateway import websocket
from rapid.gateway.websocket import Heart

PING = b"\x89\x00"


class Loop:
    """Time that stands until it is moved."""

    def __init__(self):
        self.now_s, self.due = 100.0, None

    def time(self):
        return self.now_s

    def call_later(self, wait_s, work):
        self.due = (self.now_s + wait_s, work)
        return self

    def cancel(self):
        self.due = None

    def pass_until(self, until_s):
        while self.due is not None and self.due[0] <= until_s:
            (self.now_s, work), self.due = self.due, None
            work()
        self.now_s = until_s


class Client:
    """Transport and shortcut in one."""

    def __init__(self, loop):
        self.loop = loop
        self.written = []
        self.is_cut = False
        self.hear()

    def hear(self):
        self.heard_s = self.loop.now_s

    def is_closing(self):
        return self.is_cut

    def write(self, data):
        self.written.append((self.loop.now_s, data))

    def abort(self):
        self.is_cut = True


@pytest.fixture
def loop(monkeypatch):
    loop = Loop()
    monkeypatch.setattr(websocket.asyncio, "get_running_loop", lambda: loop)
    return loop


def test_a_silent_client_is_asked_and_cut_off_if_it_does_not_answer(loop):
    client = Client(loop)
    Heart(client, client, 20.0)
    loop.pass_until(119.9)
    assert client.written == []
    loop.pass_until(129.9)
    assert client.written == [(120.0, PING)]
    assert not client.is_cut
    loop.pass_until(130.0)
    assert client.is_cut
    assert loop.due is None


def test_a_client_that_answers_stays_and_is_asked_again_behind_the_next_silence(loop):
    client = Client(loop)
    Heart(client, client, 20.0)
    loop.pass_until(121.0)
    client.hear()
    loop.pass_until(140.9)
    assert not client.is_cut
    assert len(client.written) == 1
    loop.pass_until(141.0)
    assert client.written == [(120.0, PING), (141.0, PING)]


def test_a_client_that_speaks_is_not_asked(loop):
    client = Client(loop)
    Heart(client, client, 20.0)
    for second in range(101, 200, 7):
        loop.pass_until(float(second))
        client.hear()
    assert client.written == []


def test_behind_the_end_nothing_is_asked(loop):
    client = Client(loop)
    heart = Heart(client, client, 20.0)
    heart.stop()
    loop.pass_until(500.0)
    assert client.written == []
