"""The web client's figures: `python -m tests.browser.figures`. Not a test: it prints, it judges nothing.

Size: script and style that the first page loads, gzipped. Frame: from the socket's message event to the task behind
the next animation frame, at 4x CPU slow-down, in a race of bots that take 400 ms to see each play: some plays a second,
each with the bots it beat at its heels. Heap: after a forced collection, before and after 20,000
further events.
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.browser.bench import PHONE, ROOT, Server
from tests.browser.conftest import FLAGS

DIST = ROOT / "clients" / "web" / "dist"
EVENTS = 20_000
SAMPLES = 300

# Runs before the page: notes for each frame of the socket how long until the picture of it is done, and can feed the
# page events of its own making through the same handler.
WATCH = """() => {
  const Real = WebSocket;
  window.spent = [];
  let waiting = [], drawn = [];
  const latin = new TextDecoder('latin1');
  const kind = data => /\\xa4type.([a-z_]+)/.exec(latin.decode(data))?.[1] ?? 'other';
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    window.spent.push(...drawn.map(([from, kind]) => [kind, now - from]));
    drawn = [];
  };
  const draw = () => {
    drawn.push(...waiting);
    waiting = [];
    port2.postMessage(0);
  };
  window.WebSocket = class extends Real {
    constructor(...given) { super(...given); window.socket = this; }
    set onmessage(handler) {
      this.handler = handler;
      super.onmessage = handler && (event => {
        const from = performance.now();
        handler(event);
        if (waiting.push([from, kind(event.data)]) === 1) requestAnimationFrame(draw);
      });
    }
    get onmessage() { return super.onmessage; }
  };
}"""

# Feeds rounds, encoded as the server does: a deal, a trick, plays of another seat, lost races, a closing.
FEED = """async ([from, count]) => {
  const utf8 = new TextEncoder();
  const text = s => {
    const b = utf8.encode(s);
    return [...(b.length < 32 ? [0xa0 | b.length] : [0xd9, b.length]), ...b];
  };
  const number = v => {
    const d = new DataView(new ArrayBuffer(8));
    d.setFloat64(0, v);
    return [0xcb, ...new Uint8Array(d.buffer)];
  };
  const pack = v => {
    if (v === null) return [0xc0];
    if (typeof v === 'boolean') return [v ? 0xc3 : 0xc2];
    if (typeof v === 'number') return number(v);
    if (typeof v === 'string') return text(v);
    if (Array.isArray(v)) return [0x90 | v.length, ...v.flatMap(pack)];
    const rows = Object.entries(v);
    return [0x80 | rows.length, ...rows.flatMap(([key, value]) => [...text(key), ...pack(value)])];
  };
  let seq = from;
  const say = (type, fields) => {
    seq += 1;
    const bytes = new Uint8Array(pack({ t: 'event', seq, at: seq, type, ...fields }));
    window.socket.handler({ data: bytes.buffer });
  };
  const deadline = Date.now() + 600000;
  const hand = ['3S', '4H', '5D', '7C', '7S', '9H', 'TD', 'QC', 'KS', 'AH'];
  const counts = { 0: hand.length, 1: 18, 2: 17 };
  for (let round = 2; seq - from < count; round += 1) {
    say('dealt', { round, deal: round, order: [0, 1, 2], hands: { 0: hand }, counts });
    for (let trick = 1; trick <= 4; trick += 1) {
      say('trick_opened', { trick, leader: null, deadline });
      for (const rank of ['3', '5', '8']) {
        const on = seq;
        say('played', { seat: 1, cards: [rank + 'C'], on, trick, by: 'bot', revolution: trick === 3, deadline });
        say('race_lost', { seat: 2, on, late_ms: 12 });
      }
      say('passed', { seat: 2, trick, by: 'bot' });
      say('trick_closed', { trick, why: 'timer' });
    }
    await new Promise(requestAnimationFrame);
  }
  return seq;
}"""


def first_page_kb(page: Page, server: Server) -> float:
    """Kilobytes of script and style, gzipped at the default level, until the start page is idle."""
    loaded: list[str] = []
    page.on("response", lambda answer: loaded.append(answer.url))
    page.goto(server.url + "/", wait_until="networkidle")
    files = [DIST / url.removeprefix(server.url + "/") for url in loaded if url.endswith((".js", ".css"))]
    return sum(len(gzip.compress(file.read_bytes())) for file in files) / 1000


def frame_ms(page: Page, cdp: CDPSession, server: Server) -> list[tuple[str, float]]:
    """Milliseconds from message to picture with the event's type, one for each message of a race."""
    place = server.open_table("Ana", bots=5, bot_delay_ms=400, rounds=50, race_seconds=10)
    page.goto(server.link(place))
    page.locator("[data-test=start]").click()
    page.locator("[data-test=playing]").wait_for()
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.evaluate("() => { window.spent.length = 0; }")
    # Who neither plays nor passes holds the trick open: this person passes wherever that is possible.
    passes = "() => document.querySelector('[data-test=pass]:not([aria-disabled=true])')?.click()"
    while page.evaluate("() => window.spent.length") < SAMPLES:
        page.wait_for_timeout(150)
        page.evaluate(passes)
        following = page.locator("[data-test=next-round]")
        if following.count():
            following.click()
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return [(kind, spent) for kind, spent in page.evaluate("() => window.spent")]


def heap_bytes(page: Page, cdp: CDPSession) -> int:
    """What lives after a forced collection."""
    page.wait_for_timeout(300)
    for _ in range(3):
        cdp.send("HeapProfiler.collectGarbage")
    return int(cdp.send("Runtime.getHeapUsage")["usedSize"])


def heap_growth(page: Page, cdp: CDPSession, server: Server) -> tuple[int, int]:
    """The heap after a warm-up, and after 20,000 further events."""
    place = server.open_table("Ana", bots=2, bot_delay_ms=600_000)
    page.goto(server.link(place))
    page.locator("[data-test=start]").click()
    page.locator("[data-test=playing]").wait_for()
    page.wait_for_timeout(500)
    seq = _last_seq(server, place.table)
    seq = page.evaluate(FEED, [seq, 2_000])
    before = heap_bytes(page, cdp)
    page.evaluate(FEED, [seq, EVENTS])
    return before, heap_bytes(page, cdp)


def _last_seq(server: Server, table: str) -> int:
    return max(event["seq"] for event in server.log(table))


def _page(browser: Any) -> tuple[Page, CDPSession]:
    # One pixel a pixel: without a GPU every further one is drawn by the very processor that is slowed down.
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=1)
    context.add_init_script(f"({WATCH})()")
    page = context.new_page()
    return page, context.new_cdp_session(page)


def _say_frames(frames: list[tuple[str, float]]) -> None:
    spent = sorted(ms for _, ms in frames)
    p95 = spent[int(len(spent) * 0.95)]
    print(f"message to picture at 4x: median {statistics.median(spent):.1f} ms (at most 17), p95 {p95:.1f} ms")
    for kind in ("played", "race_lost", "passed"):
        own = [ms for each, ms in frames if each == kind]
        print(f"  {kind}: {len(own)} of {len(spent)}, median {statistics.median(own):.1f} ms")


def main() -> None:
    """Measure and print."""
    server = Server(Path(tempfile.mkdtemp()))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page, cdp = _page(browser)
        print(f"first page: {first_page_kb(page, server):.1f} kB of script and style, gzipped (at most 90)")
        _say_frames(frame_ms(page, cdp, server))
        before, after = heap_growth(page, cdp, server)
        growth = 100 * (after - before) / before
        print(f"heap: {before / 1e6:.2f} MB, after {EVENTS:,} events {after / 1e6:.2f} MB: {growth:+.1f} % (within 10)")
        browser.close()
    server.close()


if __name__ == "__main__":
    main()
