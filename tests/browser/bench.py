"""What the browser tests stand on: a real server, people in real browsers, and puppets that speak the protocol."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgpack
from playwright.sync_api import BrowserContext, Locator, Page, WebSocket
from playwright.sync_api import TimeoutError as Late

ROOT = Path(__file__).parents[2]
AXE = ROOT / "clients" / "web" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"width": 360, "height": 640}
DESKTOP = {"width": 1280, "height": 800}
# Nothing here waits for a clock: bots act at once, and the race is long enough never to end by itself.
CALM = {"bot_delay_ms": 1, "race_seconds": 600, "action_seconds": 600, "standin_grace_seconds": 600}
LONG_MS = 30_000
Row = dict[str, Any]


# Behind the frame that paints what is in the page now, and the task behind that.
_PAINTED = "() => new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(d))))"


def late_by(ms: int) -> str:
    """By how much a race was lost, as the page says it."""
    return f"{ms} ms" if ms else "less than 1 ms"


def late_mark(ms: int) -> str:
    """The same, where there is room for a mark only."""
    return f"+{ms} ms" if ms else "< 1 ms"


class Place(NamedTuple):
    """A seat at a table."""

    table: str
    seat: int
    token: str


class Server:
    """A running `rapid serve --dev` with a Redis of its own."""

    def __init__(self, folder: Path) -> None:
        self.data = folder
        environ = os.environ | {"RAPID_TABLES_PER_ADDRESS_BURST": "1000000", "RAPID_LOG_LEVEL": "warning"}
        command = [sys.executable, "-m", "rapid", "serve", "--dev", "--host", "127.0.0.1", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--data", str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environ
        )
        self.url = ""
        while not self.url:
            line = self._process.stdout.readline()
            assert line, "the server ended before it was ready"
            found = [word for word in line.split() if word.startswith("http://")]
            self.url = f"http://127.0.0.1:{urlsplit(found[0]).port}" if found else ""

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def call(self, path: str, body: Row | None = None) -> Row:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def open_table(self, name: str = "Ana", bots: int = 0, **settings: Any) -> Place:
        answer = self.call("/api/tables", {"name": name, "bots": bots, "settings": CALM | settings})
        return Place(answer["table"], answer["seat"], answer["token"])

    def take_seat(self, table: str, name: str) -> Place:
        answer = self.call(f"/api/tables/{table}/seats", {"name": name})
        return Place(table, answer["seat"], answer["token"])

    def link(self, place: Place) -> str:
        """The link that takes this seat to a device."""
        return f"{self.url}/t/{place.table}#seat={place.token}"

    def log(self, table: str) -> list[Row]:
        """The whole log of a table, nothing hidden."""
        command = [sys.executable, "-m", "rapid", "export", table, "--data", str(self.data)]
        out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
        return [json.loads(line) for line in out.splitlines()[1:]]

    def hand(self, table: str, seat: int) -> set[str]:
        return self.hands(table, [seat])[0]

    def hands(self, table: str, seats: Iterable[int]) -> list[set[str]]:
        """What seats hold, read from the log by nothing but addition and subtraction."""
        hands: dict[int, set[str]] = {seat: set() for seat in seats}
        for event in self.log(table):
            hands = {seat: _hand_after(hand, event, seat) for seat, hand in hands.items()}
        return list(hands.values())


def hands_since(log: list[Row], seat: int, seq: int) -> list[set[str]]:
    """What a seat holds at this place in the log and at each later one, the last distinct hands of it."""
    hand: set[str] = set()
    found: list[set[str]] = []
    for event in log:
        hand = _hand_after(hand, event, seat)
        if event["seq"] >= seq and hand not in found[-1:]:
            found.append(hand)
    return found


def _hand_after(hand: set[str], event: Row, seat: int) -> set[str]:
    kind = event["type"]
    if kind == "dealt":
        return set(event["hands"].get(str(seat), []))
    if kind in {"played", "given"} and event.get("seat", event.get("from")) == seat:
        return hand - {card.partition("=")[0] for card in event["cards"]}
    if kind in {"exchange_opened", "exchange_closed"}:
        for move in event["moves"]:
            if move["from"] == seat and kind == "exchange_opened":
                hand = hand - set(move["cards"])
            if move["to"] == seat:
                hand = hand | set(move["cards"])
    return set() if kind == "round_ended" else hand


class Person:
    """Somebody at a browser: what they see, what they press, and every frame that went over the wire."""

    def __init__(self, context: BrowserContext, server: Server, *, touches: bool = False) -> None:
        self.context, self.server, self.touches = context, server, touches
        self.sent: list[Row] = []
        self.received: list[Row] = []
        self.sockets: list[WebSocket] = []
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self.page = self.new_page()

    def new_page(self) -> Page:
        page = self.context.new_page()
        page.on("websocket", self._hear)
        page.on("request", self._ask)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self.complaints.append(line.text) if _is_complaint(line.text) else None)
        return page

    def _ask(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, self.server.url.replace("http", "ws", 1), "data:", "blob:")):
            self.foreign.append(request.url)

    def _hear(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framesent", lambda frame: self.sent.append(msgpack.unpackb(frame)))
        socket.on("framereceived", lambda frame: self.received.append(msgpack.unpackb(frame)))

    def opens(self, path: str) -> "Person":
        self.page.goto(path if path.startswith("http") else self.server.url + path)
        return self

    def sits(self, place: Place) -> "Person":
        """Opens the link of a seat."""
        self.opens(self.server.link(place))
        self.at("rtt").wait_for()
        return self

    def at(self, test: str) -> Locator:
        return self.page.locator(f"[data-test={test}]")

    def key(self, name: str) -> None:
        """A key, pressed by somebody who has seen what is in the page: an attempt is aimed at what was painted (R3)."""
        self.page.evaluate(_PAINTED)
        self.page.keyboard.press(name)

    def hits(self, target: Locator, **how: Any) -> None:
        """With the finger on a phone, else with the pointer."""
        if self.touches:
            target.tap(**how)
        else:
            target.click(**how)

    def press(self, test: str) -> None:
        self.hits(self.at(test))

    def hand(self) -> set[str]:
        hand = self.at("hand")
        return set((hand.get_attribute("data-cards") or "").split()) if hand.count() else set()

    def tap(self, key: str) -> None:
        self.hits(self.page.locator(f"[data-test=hand] [data-rank='{key}']"))

    def selected(self) -> set[str]:
        return set(self.page.locator("[data-test=hand] .card.up").evaluate_all("all => all.map(c => c.dataset.card)"))

    def messages(self, kind: str) -> list[Row]:
        return [message for message in self.sent if message["t"] == kind]

    def events(self, kind: str) -> list[Row]:
        return [message for message in self.received if message["t"] == "event" and message["type"] == kind]

    def until_event(self, kind: str, count: int = 1) -> Row:
        """Waits for the so-manieth event of a kind on this person's wire."""
        for _ in range(LONG_MS // 10):
            if len(self.events(kind)) >= count:
                break
            self.page.wait_for_timeout(10)
        else:
            told = [message for message in self.received if message["t"] == "reply"][-3:]
            raise AssertionError(f"no {kind} number {count}; sent {self.sent[-3:]}, told {told}")
        return self.events(kind)[count - 1]

    def last_seq(self) -> int:
        """Where this person stands, by what came over the wire."""
        return max(message["seq"] for message in self.received if message["t"] in {"event", "welcome"})

    def axe(self, name: str) -> None:
        """Nothing that a checker of accessibility finds."""
        # What flies or pops has arrived; the timer's own arc goes on turning.
        self.page.wait_for_function(
            "() => document.getAnimations().every(a => a.playState !== 'running' || a.effect.target.matches('.arc'))"
        )
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate(
            "() => axe.run(document, { resultTypes: ['violations'], preload: false }).then(r => r.violations)"
        )
        told = [
            f"{row['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
            for row in found
            for node in row["nodes"]
        ]
        assert told == [], f"{name}: {told[:3]}"

    def fits(self, name: str) -> None:
        """Nothing sticks out sideways, and what can be pressed is 44 px each way."""
        wide = self.page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name}: {wide} px too wide"
        small = self.page.evaluate(_SMALL_TARGETS)
        assert small == [], f"{name}: {small}"

    def cuts_nothing(self, name: str) -> None:
        """No text is cut off but names of people, which may be of any length, and what scrolls."""
        cut = self.page.evaluate(_CUT_TEXTS)
        assert cut == [], f"{name}: {cut}"


# Radio buttons and boxes count with their label; text in a sentence is no target.
_SMALL_TARGETS = """() => [...document.querySelectorAll('button, select, input, a[href]')].filter(e => {
  if (e.disabled || e.closest('.sr')) return false;
  const box = (e.closest('label') ?? e).getBoundingClientRect();
  return box.width > 0 && (Math.round(box.width) < 44 || Math.round(box.height) < 44);
}).map(e => e.outerHTML.slice(0, 120))"""

# An element that hides what does not fit, and text of its own or of something inside that does not fit.
_CUT_TEXTS = """() => [...document.querySelectorAll('body *')].filter(e => {
  const style = getComputedStyle(e);
  if (e.closest('.sr, svg, .name, .who, .by, .seat, input, .facts strong, .face')) return false;
  const over = [style.overflowX, style.overflowY];
  if (over.every(way => way === 'visible') || over.some(way => way === 'auto' || way === 'scroll')) return false;
  if (style.clipPath.startsWith('inset(50%')) return false;
  return e.textContent.trim() !== '' && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
}).map(e => e.outerHTML.slice(0, 160))"""


def _is_complaint(text: str) -> bool:
    return "Content Security Policy" in text or "Content-Security-Policy" in text


class Puppet:
    """A seat whose moves the test makes itself, message by message, over a socket of its own."""

    def __init__(self, page: Page, server: Server, place: Place | str) -> None:
        self.page = page
        self.place = place if isinstance(place, Place) else None
        page.goto(server.url + "/favicon.svg")
        page.evaluate(_PUPPET, [place.table if isinstance(place, Place) else place, self.place and self.place.token])
        page.wait_for_function("() => puppet.log.some(m => m.t === 'welcome')")

    def log(self) -> list[Row]:
        return self.page.evaluate("() => puppet.log")

    def ask(self, message: Row) -> Row:
        """Sends a message and gives its reply."""
        return self.page.evaluate("message => puppet.ask(message)", message)

    def host(self, do: str, **fields: Any) -> Row:
        return self.ask({"t": "host", "do": do, **fields})

    def trick_state(self) -> int:
        return next(m["seq"] for m in reversed(self.log()) if m.get("type") in {"trick_opened", "played"})

    def hand(self) -> set[str]:
        hand: set[str] = set()
        for message in self.log():
            if message["t"] == "welcome":
                hand = set(message["view"]["you"]["hand"])
            elif message["t"] == "event":
                hand = _hand_after(hand, message, self.place.seat)
        return hand

    def play(self, *cards: str, on: int | None = None) -> Row:
        return self.ask({"t": "play", "on": self.trick_state() if on is None else on, "cards": list(cards)})


_PUPPET = """([table, token]) => {
  const log = [], waiting = new Map();
  const socket = new WebSocket(`ws://${location.host}/ws/${table}`, ['rapid.v1.json']);
  let id = 0;
  socket.onopen = () => socket.send(JSON.stringify({ t: 'hello', v: 1, ...(token ? { token } : {}) }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    log.push(message);
    waiting.get(message.t === 'reply' ? message.id : null)?.(message);
  };
  const ask = message => new Promise(done => {
    id += 1;
    waiting.set(id, done);
    socket.send(JSON.stringify({ ...message, id }));
  });
  window.puppet = { log, ask, socket };
}"""

ORDER = "3456789TJQKA2"


def play_round_by(winner: Puppet, *others: Puppet, but_the_last: bool = False) -> None:
    """Plays a round out: the winner lays card after card, the others pass, in the order they are given.

    With `but_the_last` the card that would end the round stays in the hand.
    """
    for place, player in enumerate([winner, *others[:-1]]):
        behind = others[place:]
        while cards := player.hand():
            if but_the_last and len(cards) == 1 and len(behind) == 1:
                return
            assert player.play(weakest(cards))["ok"]
            on = player.trick_state()
            if len(cards) == 1 and len(behind) == 1:
                return
            for other in behind:
                assert other.ask({"t": "pass", "on": on})["ok"]
            for each in (player, *behind):
                each.page.wait_for_function(
                    "on => puppet.log.some(m => m.type === 'trick_opened' && m.seq > on)", arg=on
                )


def weakest(hand: set[str]) -> str:
    return min(hand, key=lambda card: (ORDER.index(card[0]), card))


def strongest(hand: set[str]) -> str:
    return max(hand, key=lambda card: (ORDER.index(card[0]), card))


def plays_if_possible(person: Person) -> bool:
    """One gesture: the first rank that can be played, then Play. Returns whether an attempt was sent.

    In a race the cards may change under the finger: then there was none.
    """
    before = len(person.messages("play"))
    group = person.page.locator("[data-test=hand] .group:not(.dim)")
    button = person.page.locator("[data-test=play]:not([aria-disabled=true])")
    try:
        if not group.count():
            return False
        for target in (group.first, button):
            if target.count():
                person.hits(target, timeout=1_000)
    except Late:
        return False
    return len(person.messages("play")) > before
