// One socket to one table, kept alive (issue, "Connection").
//
//   connecting ──welcome──► live ──loss──► waiting ──timer, online, visible──► connecting
//        any ──`offline`──► offline ──`online`, timer──► connecting
//        any ──4000──► taken_over ──takeOver()──► connecting        (never by itself)
//        any ──left closed 4003 4004 4005──► final                   (for good, with the reason)
//
// There is at most one socket, ever: a socket is closed and forgotten before the next is made, and what a forgotten one
// still says is not heard. Nothing is queued: `send` says no unless the link is live.
import { packed, SUBPROTOCOL, unpacked } from '../protocol/codec';
import type { ClientMessage, ServerMessage } from '../protocol/types';
import type { ServerClock } from './clock';

export type LinkState =
  | { kind: 'connecting' | 'live' | 'offline' | 'taken_over' }
  | { kind: 'waiting'; attempt: number }
  | { kind: 'final'; why: string };

/** What the connection needs of the world, so that tests can be the world. */
export interface Surroundings {
  open: (url: string, protocol: string) => WebSocket;
  monotonic: () => number;
  later: (task: () => void, ms: number) => unknown;
  cancel: (timer: never) => void;
  random: () => number;
  is_online: () => boolean;
}

export interface Listener {
  state: (link: LinkState) => void;
  message: (message: ServerMessage) => void;
  /** the position to resume from, or undefined for a whole view */
  since: () => number | undefined;
  token: () => string | null;
}

export const WELCOME_WITHIN_MS = 5_000;
export const PROBE_WITHIN_MS = 1_500;
export const PING_EVERY_MS = 4_000;
/** A slow network is no dead one: the regular beat waits longer than the probe on return. */
const ALIVE_WITHIN_MS = 3_900;
export const BACKOFF_MOST_MS = 10_000;

/** Close codes and what they mean (PROTOCOL 3.2); codes that are not here are a lost connection. */
const FINAL: Record<number, string> = { 4003: 'removed', 4004: 'no_table', 4005: 'bad_token' };
const FINAL_WORDS = new Set(['left', 'closed', 'removed', 'no_table', 'bad_token']);

export class Connection {
  private socket: WebSocket | null = null;
  private state: LinkState = { kind: 'connecting' };
  private timer: unknown = null;
  private probe: unknown = null;
  private pinger: unknown = null;
  private attempts = 0;
  private bye: string | null = null;
  private hello_sent_ms = 0;
  private ping_sent = new Map<number, number>();
  private next_id = 1;

  constructor(
    private readonly url: string,
    private readonly clock: ServerClock,
    private readonly listener: Listener,
    private readonly world: Surroundings,
  ) {}

  get is_live(): boolean {
    return this.state.kind === 'live';
  }

  /** A new id for a message; they grow over the life of the page. */
  id(): number {
    return this.next_id++;
  }

  /** Sends now or not at all: nothing waits for a better day. */
  send(message: ClientMessage): boolean {
    if (!this.is_live || this.socket === null || this.socket.readyState !== 1) return false;
    this.socket.send(packed(message));
    return true;
  }

  connect(): void {
    this.drop();
    this.enter({ kind: 'connecting' });
    this.bye = null;
    const socket = this.world.open(this.url, SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => this.hello();
    socket.onmessage = (frame: MessageEvent) => this.heard(frame.data as ArrayBuffer);
    socket.onclose = (event: CloseEvent) => this.closed(event.code);
    this.timer = this.world.later(() => this.lost(), WELCOME_WITHIN_MS);
  }

  /** Ends for good, as when the page goes to another table. */
  end(): void {
    this.drop();
  }

  /** The seat was opened elsewhere, and the person asks for it back. */
  takeOver(): void {
    if (this.state.kind === 'taken_over') this.connect();
  }

  /** A fresh view from the server, when the present one cannot be true. */
  resync(): void {
    if (!this.is_over) this.connect();
  }

  /** The page has come back: from the background, from the cache, from a sleep. A dead socket is found soon. */
  wake(): void {
    if (this.state.kind === 'waiting' || this.state.kind === 'offline') this.connect();
    else if (this.is_live) this.askWhetherAlive(PROBE_WITHIN_MS);
  }

  /** The page goes, perhaps into the browser's cache: it holds no socket there, and `wake` makes the next one. */
  sleep(): void {
    if (this.is_over) return;
    this.drop();
    this.enter({ kind: 'waiting', attempt: 1 });
  }

  wentOffline(): void {
    if (this.is_over) return;
    this.drop();
    this.enter({ kind: 'offline' });
    this.retryLater();
  }

  private get is_over(): boolean {
    return this.state.kind === 'final' || this.state.kind === 'taken_over';
  }

  private enter(state: LinkState): void {
    this.state = state;
    this.listener.state(state);
  }

  private hello(): void {
    const token = this.listener.token();
    const since = this.listener.since();
    this.hello_sent_ms = this.world.monotonic();
    this.socket?.send(
      packed({ t: 'hello', v: 1, ...(token === null ? {} : { token }), ...(since === undefined ? {} : { since }) }),
    );
  }

  private heard(frame: ArrayBuffer): void {
    const received_ms = this.world.monotonic();
    this.alive();
    const message = unpacked(frame);
    if (message === null) return;
    if (message.t === 'welcome') this.welcomed(message.now, received_ms);
    else if (message.t === 'pong') this.ponged(message.id, message.now, received_ms);
    else if (message.t === 'bye') this.bye = message.why;
    this.listener.message(message);
  }

  private welcomed(now: number, received_ms: number): void {
    if (!this.is_live) {
      this.clock.take(this.hello_sent_ms, received_ms, now);
      this.stop('timer');
      this.attempts = 0;
      this.enter({ kind: 'live' });
      this.ping();
      this.pinger = this.world.later(() => this.pingOn(), 300);
    }
  }

  private ponged(id: number, now: number, received_ms: number): void {
    const sent = this.ping_sent.get(id);
    if (sent !== undefined) this.clock.take(sent, received_ms, now);
    this.ping_sent.delete(id);
  }

  private pingOn(): void {
    // A probe that runs already keeps its own, earlier end.
    if (this.probe === null) this.askWhetherAlive(ALIVE_WITHIN_MS);
    this.pinger = this.world.later(() => this.pingOn(), PING_EVERY_MS);
  }

  private ping(): boolean {
    const id = this.id();
    if (!this.send({ t: 'ping', id })) return false;
    this.ping_sent.set(id, this.world.monotonic());
    return true;
  }

  private askWhetherAlive(within_ms: number): void {
    this.stop('probe');
    if (!this.ping()) this.lost();
    else this.probe = this.world.later(() => this.lost(), within_ms);
  }

  private alive(): void {
    this.stop('probe');
  }

  private closed(code: number): void {
    const why = this.bye;
    this.drop();
    const final = FINAL[code] ?? (why !== null && FINAL_WORDS.has(why) ? why : null);
    if (final !== null) this.enter({ kind: 'final', why: final });
    else if (code === 4000 || why === 'taken_over') this.enter({ kind: 'taken_over' });
    else if (code === 1000) this.enter({ kind: 'final', why: 'closed' });
    else if (code === 4001) this.enter({ kind: 'final', why: 'bad_hello' });
    else this.lost(code === 1001);
  }

  private lost(at_once = false): void {
    this.drop();
    if (!this.world.is_online()) this.enter({ kind: 'offline' });
    else this.enter({ kind: 'waiting', attempt: this.attempts + 1 });
    this.retryLater(at_once);
  }

  /** Back-off with full jitter up to 10 s, without end; a server that goes on purpose asks us back at once. */
  private retryLater(at_once = false): void {
    const most = Math.min(BACKOFF_MOST_MS, 400 * 2 ** Math.min(this.attempts, 6));
    this.attempts += 1;
    const wait = at_once ? 200 * this.world.random() : most * (0.5 + 0.5 * this.world.random());
    this.timer = this.world.later(() => this.connect(), wait);
  }

  private stop(which: 'timer' | 'probe' | 'pinger'): void {
    if (this[which] !== null) this.world.cancel(this[which] as never);
    this[which] = null;
  }

  private drop(): void {
    this.stop('timer');
    this.stop('probe');
    this.stop('pinger');
    this.ping_sent.clear();
    const socket = this.socket;
    this.socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
