// One open table: the state, the link to the server, and what a person may do. Components see only this.
import { Connection, type LinkState, type Surroundings } from '../net/connection';
import { ServerClock } from '../net/clock';
import { dropToken, keepToken, tokenFor } from '../net/seats';
import type { Card, ClientMessage, ServerMessage } from '../protocol/types';
import { dropTable, keepExchange, keepTable, keptExchange, keptTable } from './memory';
import { isUrgent, Pacer } from './pace';
import { reduce } from './reduce';
import { Shown } from './shown.svelte';
import { INITIAL, type Attempt, type LocalMessage, type TableState } from './state';

const REACTION_MS = 2_600;
/** How long a fault stands at the least: two lines, read at leisure. */
const READ_MS = 4_000;
const RESYNC_WITHIN_MS = 20_000;

/** Refusals after which the seat is gone for good, and its token with it. */
const VOID = new Set(['left', 'removed', 'closed', 'no_table', 'bad_token']);

const BROWSER: Surroundings = {
  open: (url, protocol) => new WebSocket(url, [protocol]),
  monotonic: () => performance.now(),
  later: (task, ms) => setTimeout(task, ms),
  cancel: (timer) => clearTimeout(timer as number),
  random: Math.random,
  is_online: () => navigator.onLine,
};

function randomHex(bytes: number): string {
  // getRandomValues is there on plain http too, unlike crypto.subtle.
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, '0')).join('');
}

export class Session {
  readonly table: string;
  readonly clock = new ServerClock();
  /** what is shown: it follows `current` at the pacer's word, however many messages came meanwhile */
  readonly state = new Shown();
  private current: TableState;
  private drawn: TableState = INITIAL;
  private is_welcome = false;
  private readonly pacer = new Pacer(() => this.show(this.current));
  link = $state.raw<LinkState>({ kind: 'connecting' });
  rtt = $state.raw<number | null>(null);
  /** the rank that wild cards stand for when nothing else in the selection says it */
  wild_rank = $state.raw<string | null>(null);
  /** the trick state that is on the screen now, not the newest one known (RULES R3) */
  painted: number | null = null;

  private connection: Connection;
  private start_at_once: boolean;
  private resynced_ms = Number.NEGATIVE_INFINITY;
  private reading: ReturnType<typeof setTimeout> | undefined;

  constructor(table: string, start_at_once = false) {
    this.table = table;
    this.current = keptTable(table);
    this.start_at_once = start_at_once;
    this.connection = this.connectionFor(tokenFor(table));
  }

  get view() {
    return this.state.view;
  }

  get me(): number | null {
    return this.state.view?.you?.seat ?? null;
  }

  get is_host(): boolean {
    return this.me !== null && this.state.view?.host === this.me;
  }

  get can_act(): boolean {
    return this.link.kind === 'live';
  }

  is_pending(kind: Attempt['kind']): boolean {
    return this.state.pending.some((attempt) => attempt.kind === kind);
  }

  open(): void {
    this.connection.connect();
  }

  close(): void {
    clearTimeout(this.reading);
    this.pacer.end();
    this.keep();
    this.connection.end();
  }

  /** The page goes: for good, or into the browser's cache, from which `wake` brings it back. */
  sleep(): void {
    this.keep();
    this.connection.sleep();
  }

  /** Where the page stands outlives it. */
  keep(): void {
    if (this.link.kind !== 'final' && this.link.kind !== 'taken_over') keepTable(this.current);
  }

  /** A seat was taken: the spectator's socket goes, the seat's comes. */
  seated(token: string): void {
    keepToken(this.table, token);
    this.reopen(token);
  }

  /** After a final refusal the table can still be watched. */
  watch(): void {
    this.reopen(null);
  }

  takeOver(): void {
    this.connection.takeOver();
  }

  wake(): void {
    this.connection.wake();
  }

  wentOffline(): void {
    this.connection.wentOffline();
  }

  select(cards: readonly Card[]): void {
    this.tell({ t: 'select', cards });
  }

  /** One gesture, one attempt: while one for this trick state is on its way, there is no second (RULES R3). */
  play(on: number, cards: Card[]): boolean {
    if (this.current.pending.some((attempt) => attempt.kind === 'play' && attempt.on === on)) return false;
    return this.attempt({ kind: 'play', on, cards }, (id) => ({ t: 'play', id, on, cards }));
  }

  pass(on: number): boolean {
    if (this.is_pending('pass')) return false;
    return this.attempt({ kind: 'pass', on, cards: [] }, (id) => ({ t: 'pass', id, on }));
  }

  give(round: number, cards: Card[]): boolean {
    if (this.is_pending('give')) return false;
    return this.attempt({ kind: 'give', on: null, cards }, (id) => ({ t: 'give', id, round, cards }));
  }

  /** What cannot be now is refused here, in the server's words; no message is sent. */
  refuse(why: string): void {
    this.tell({ t: 'refused', why });
  }

  react(emoji: string): void {
    this.attempt({ kind: 'react', on: null, cards: [] }, (id) => ({ t: 'react', id, emoji }));
  }

  host(action: string, fields: Record<string, unknown> = {}): boolean {
    if (action !== 'settings' && this.state.pending.some((attempt) => attempt.do === action)) return false;
    return this.attempt({ kind: 'host', on: null, cards: [], do: action }, (id) => ({
      t: 'host',
      id,
      do: action,
      ...fields,
    }));
  }

  leave(): void {
    this.attempt({ kind: 'other', on: null, cards: [] }, (id) => ({ t: 'leave', id }));
  }

  private connectionFor(token: string | null): Connection {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const url = `${scheme}://${location.host}/ws/${this.table}${token === null ? '?watch' : ''}`;
    const listener = {
      state: (link: LinkState) => this.linked(link),
      message: (message: ServerMessage) => this.heard(message),
      since: () => (this.current.view === null || this.current.broken !== null ? undefined : this.current.seq),
      token: () => token,
    };
    return new Connection(url, this.clock, listener, BROWSER);
  }

  private reopen(token: string | null): void {
    this.connection.end();
    this.show({ ...INITIAL, feed: this.current.feed });
    this.connection = this.connectionFor(token);
    this.connection.connect();
  }

  private linked(link: LinkState): void {
    if (link.kind === 'final' && VOID.has(link.why)) dropToken(this.table);
    if (link.kind === 'final' || link.kind === 'taken_over') dropTable();
    if (link.kind !== 'live' && this.current.pending.length > 0) this.tell({ t: 'dropped' });
    this.link = link;
  }

  /** What the person does shows at once. */
  private tell(message: LocalMessage): void {
    const before = this.current;
    this.show(reduce(before, message));
    this.readFrom(before);
    keepExchange(before, this.current);
  }

  private show(state: TableState): void {
    this.pacer.stop();
    this.current = state;
    this.drawn = state;
    this.state.show(state);
  }

  private heard(message: ServerMessage): void {
    if (message.t === 'pong') this.rtt = this.clock.rtt();
    const before = this.current;
    this.current = reduce(before, message);
    this.readFrom(before);
    if (!this.is_welcome && message.t === 'welcome') this.remember();
    else if (message.t === 'event') keepExchange(before, this.current);
    if (this.current !== this.drawn) this.pacer.changed(isUrgent(message, this.me));
    if (this.current.broken !== null) return this.mend();
    if (message.t === 'reaction') this.endReaction();
    if (message.t === 'welcome' || (message.t === 'event' && message.type === 'committed')) this.salt();
    if (message.t === 'welcome' && this.start_at_once) {
      this.start_at_once = false;
      if (this.current.view?.phase === 'lobby') this.host('start');
    }
  }

  /** The page was loaded anew in the middle of a round. */
  private remember(): void {
    this.is_welcome = true;
    const kept = keptExchange(this.current);
    if (kept !== null) this.current = reduce(this.current, kept);
  }

  /** An impossible state: one fresh view, and a plain word if that does not help (issue, "Connection"). */
  private mend(): void {
    const now = performance.now();
    if (now - this.resynced_ms < RESYNC_WITHIN_MS) {
      this.connection.end();
      this.link = { kind: 'final', why: 'broken' };
      return;
    }
    this.resynced_ms = now;
    this.connection.resync();
  }

  /** A new outcome is read from now on. */
  private readFrom(before: TableState): void {
    const { outcome } = this.current;
    if (outcome === null || outcome.id === before.outcome?.id) return;
    clearTimeout(this.reading);
    this.reading = setTimeout(() => this.tell({ t: 'outcome_read', id: outcome.id }), READ_MS);
  }

  private endReaction(): void {
    const id = this.current.reactions[this.current.reactions.length - 1]?.id;
    if (id !== undefined) setTimeout(() => this.tell({ t: 'reaction_over', id }), REACTION_MS);
  }

  /** Clients add their salt to each committed deal by themselves (PROTOCOL 5). */
  private salt(): void {
    const view = this.current.view;
    if (view?.you == null || view.deal === null || view.you.salted) return;
    const deal = view.deal;
    this.attempt({ kind: 'other', on: null, cards: [] }, (id) => ({
      t: 'salt',
      id,
      deal,
      salt: randomHex(16),
    }));
  }

  private attempt(what: Omit<Attempt, 'id'>, message: (id: number) => ClientMessage): boolean {
    const id = this.connection.id();
    if (!this.connection.send(message(id))) return false;
    this.tell({ t: 'sent', attempt: { id, ...what } });
    return true;
  }
}
