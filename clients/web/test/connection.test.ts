import { decode, encode } from '@msgpack/msgpack';
import { beforeEach, describe, expect, test } from 'vitest';
import { ServerClock } from '../src/net/clock';
import { BACKOFF_MOST_MS, Connection, type LinkState, PROBE_WITHIN_MS, WELCOME_WITHIN_MS } from '../src/net/connection';
import type { ServerMessage } from '../src/protocol/types';

/** A socket that the test plays the server of. */
class FakeSocket {
  readyState = 0;
  binaryType = '';
  sent: Record<string, unknown>[] = [];
  is_closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(frame: Uint8Array): void {
    this.sent.push(decode(frame) as Record<string, unknown>);
  }
  close(): void {
    this.is_closed = true;
    this.readyState = 3;
  }
  opens(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  says(message: Record<string, unknown>): void {
    const bytes = encode(message);
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer });
  }
  closes(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/** Virtual time, timers and sockets. */
class World {
  now = 0;
  is_online = true;
  sockets: FakeSocket[] = [];
  states: LinkState[] = [];
  heard: ServerMessage[] = [];
  since: number | undefined;
  private timers: { at: number; task: () => void }[] = [];
  readonly connection: Connection;

  constructor() {
    const clock = new ServerClock(() => this.now);
    const listener = {
      state: (link: LinkState) => this.states.push(link),
      message: (message: ServerMessage) => this.heard.push(message),
      since: () => this.since,
      token: () => 'secret',
    };
    this.connection = new Connection('ws://x/ws/t', clock, listener, {
      open: () => {
        const socket = new FakeSocket();
        this.sockets.push(socket);
        return socket as unknown as WebSocket;
      },
      monotonic: () => this.now,
      later: (task, ms) => {
        const timer = { at: this.now + ms, task };
        this.timers.push(timer);
        return timer;
      },
      cancel: (timer) => {
        this.timers = this.timers.filter((each) => each !== timer);
      },
      random: () => 1,
      is_online: () => this.is_online,
    });
  }

  get socket(): FakeSocket {
    return this.sockets[this.sockets.length - 1] as FakeSocket;
  }

  get kind(): string {
    return this.states[this.states.length - 1]?.kind ?? '';
  }

  get alive(): number {
    return this.sockets.filter((socket) => !socket.is_closed && socket.readyState !== 3).length;
  }

  passes(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.timers.filter((each) => each.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((each) => each !== next);
      this.now = next.at;
      next.task();
    }
    this.now = end;
  }

  goesLive(): void {
    this.socket.opens();
    this.socket.says({ t: 'welcome', v: 1, table: 't', seat: 0, seq: 1, now: 5_000, view: null });
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  world.connection.connect();
});

describe('coming up', () => {
  test('hello carries the token and, when there is one, the position', () => {
    world.since = 7;
    world.socket.opens();
    expect(world.socket.sent[0]).toEqual({ t: 'hello', v: 1, token: 'secret', since: 7 });
  });

  test('live with the welcome, not before: nothing is sent until then', () => {
    world.socket.opens();
    expect(world.connection.send({ t: 'pass', id: 1, on: 1 })).toBe(false);
    world.goesLive();
    expect(world.kind).toBe('live');
    expect(world.connection.send({ t: 'pass', id: 2, on: 1 })).toBe(true);
  });

  test('no welcome in time: another try', () => {
    world.passes(WELCOME_WITHIN_MS + 1);
    expect(world.kind).toBe('waiting');
    world.passes(1_000);
    expect(world.sockets).toHaveLength(2);
  });
});

describe('being lost', () => {
  test('back-off grows to ten seconds and has no end', () => {
    const gaps: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      const from = world.now;
      const count = world.sockets.length;
      world.socket.closes(1006);
      while (world.sockets.length === count) world.passes(100);
      gaps.push(world.now - from);
    }
    expect(gaps[0]).toBeLessThanOrEqual(500);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(BACKOFF_MOST_MS + 100);
    expect(gaps[gaps.length - 1]).toBeGreaterThan(9_000);
  });

  test('a server that goes on purpose has us back at once', () => {
    world.goesLive();
    world.socket.says({ t: 'bye', why: 'leaving' });
    world.socket.closes(1001);
    world.passes(201);
    expect(world.sockets).toHaveLength(2);
  });

  test('one socket at a time, ever', () => {
    world.goesLive();
    for (const happens of [
      () => world.connection.wentOffline(), () => world.connection.wake(), () => world.connection.wake(), () => world.socket.closes(1006),
      () => world.connection.wake(), () => world.connection.resync(), () => world.passes(20_000), () => world.connection.connect(),
    ]) {
      happens();
      expect(world.alive).toBeLessThanOrEqual(1);
    }
  });

  test('what a forgotten socket still says is not heard', () => {
    const old = world.socket;
    world.goesLive();
    world.connection.resync();
    const before = world.heard.length;
    old.says({ t: 'presence', spectators: 3 });
    old.closes(4000);
    expect(world.heard).toHaveLength(before);
    expect(world.kind).toBe('connecting');
  });

  test('nothing clicked while offline is sent later', () => {
    world.goesLive();
    world.connection.wentOffline();
    expect(world.kind).toBe('offline');
    expect(world.connection.send({ t: 'pass', id: 9, on: 1 })).toBe(false);
    world.connection.wake();
    world.goesLive();
    expect(world.socket.sent.map((message) => message['t'])).not.toContain('pass');
  });
});

describe('coming back from the background', () => {
  test('a dead socket is found within two seconds and replaced', () => {
    world.goesLive();
    world.passes(1_000);
    world.socket.says({ t: 'presence', spectators: 0 });
    world.now += 3_600_000;
    world.connection.wake();
    world.passes(PROBE_WITHIN_MS + 1);
    expect(world.kind).toBe('waiting');
    world.passes(450);
    expect(world.sockets).toHaveLength(2);
    expect(PROBE_WITHIN_MS + 400).toBeLessThan(2_000);
  });

  test('a live one is left alone', () => {
    world.goesLive();
    world.connection.wake();
    world.socket.says({ t: 'pong', id: 1, now: 5_100 });
    world.passes(PROBE_WITHIN_MS - 1_300);
    expect(world.kind).toBe('live');
    expect(world.sockets).toHaveLength(1);
  });

  test('while waiting it tries at once', () => {
    world.socket.closes(1006);
    world.connection.wake();
    expect(world.sockets).toHaveLength(2);
  });
});

describe('ends', () => {
  test('taken over: says so, does not fight, comes back when asked', () => {
    world.goesLive();
    world.socket.closes(4000);
    expect(world.kind).toBe('taken_over');
    world.passes(60_000);
    world.connection.wake();
    expect(world.sockets).toHaveLength(1);
    world.connection.takeOver();
    expect(world.sockets).toHaveLength(2);
  });

  test.each([
    [4003, 'removed'],
    [4004, 'no_table'],
    [4005, 'bad_token'],
  ])('%i is final: %s', (code, why) => {
    world.goesLive();
    world.socket.closes(code);
    expect(world.states[world.states.length - 1]).toEqual({ kind: 'final', why });
    world.passes(60_000);
    world.connection.wake();
    world.connection.wentOffline();
    expect(world.sockets).toHaveLength(1);
  });

  test.each(['left', 'closed'])('1000 after bye %s is final', (why) => {
    world.goesLive();
    world.socket.says({ t: 'bye', why });
    world.socket.closes(1000);
    expect(world.states[world.states.length - 1]).toEqual({ kind: 'final', why });
  });

  test.each([1006, 1011, 4008, 4009])('%i is a loss like any other', (code) => {
    world.goesLive();
    world.socket.closes(code);
    expect(world.kind).toBe('waiting');
  });
});

test('a frame that is no message is no reason to fall', () => {
  world.goesLive();
  const before = world.heard.length;
  world.socket.onmessage?.({ data: new Uint8Array([0xc1, 0xff]).buffer });
  world.socket.says({ no: 'type' });
  expect(world.heard).toHaveLength(before);
  expect(world.kind).toBe('live');
});

test('in the cache of the browser there is no socket and no timer; on return there is one', () => {
  world.goesLive();
  world.connection.sleep();
  expect(world.alive).toBe(0);
  world.passes(60_000);
  expect(world.sockets.length).toBe(1);
  world.connection.wake();
  world.goesLive();
  expect(world.alive).toBe(1);
  expect(world.kind).toBe('live');
});
