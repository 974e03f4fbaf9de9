import type { Card, LogEvent, Reply, ServerMessage, View } from '../protocol/types';

/** What this seat gave in an exchange and to whom, what it got and from whom. */
export interface Swap {
  given: Card[];
  to: number | null;
  got: Card[];
  from: number | null;
}

/** A trick state's outcome: who took it, and who came late by how much. The photo finish. */
export interface Race {
  seq: number;
  on: number | null;
  seat: number | null;
  cards: Card[];
  at: number;
  why: string | null;
  lost: { seat: number; late_ms: number }[];
}

/** What happened to one's own latest attempt. */
export interface Outcome {
  /** counts up, so that the picture can tell two equal outcomes apart */
  id: number;
  kind: 'taken' | 'beaten' | 'too_late' | 'refused' | 'passed' | 'given' | 'unknown' | 'acted';
  /** what the server did for this seat when its time had run out */
  did?: 'opened' | 'played' | 'passed' | 'given';
  /** the attempt that was on its way then: its refusal is no news beside that */
  instead?: number | undefined;
  why?: string;
  by?: number;
  late_ms?: number;
  cards?: Card[];
  /** it has stood long enough to be read */
  is_read?: boolean;
  /** something has happened since that makes it old: it goes once it was read */
  is_past?: boolean;
}

/** That it went well is seen on the table too, and goes as soon as it is old; a fault stays until it can have been read. */
const WELL = new Set<Outcome['kind']>(['taken', 'passed', 'given']);
export const wentWell = (outcome: Outcome): boolean => WELL.has(outcome.kind);

export interface Attempt {
  id: number;
  /** `other` is what the page does by itself: nobody waits for its answer */
  kind: 'play' | 'pass' | 'give' | 'host' | 'react' | 'other';
  on: number | null;
  cards: Card[];
  do?: string;
}

export interface ShownReaction {
  id: number;
  seat: number;
  emoji: string;
}

export interface TableState {
  /** the last `seq` this client stands at; -1 before the first welcome */
  seq: number;
  view: View | null;
  feed: readonly LogEvent[];
  races: readonly Race[];
  /** attempts sent and not yet answered */
  pending: readonly Attempt[];
  outcome: Outcome | null;
  selected: readonly Card[];
  /** since the deal */
  swap: Swap;
  /** the trick that closed last, until the next play */
  closed: { plays: View['trick']; why: string } | null;
  /** the seat that the last play made miss its turn, until the next play */
  skipped: number | null;
  spectators: number;
  reactions: readonly ShownReaction[];
  settings_errors: NonNullable<Reply['errors']>;
  /** set when a message could not be true: one resync, then a plain word */
  broken: string | null;
}

export type LocalMessage =
  | { t: 'sent'; attempt: Attempt }
  | { t: 'select'; cards: readonly Card[] }
  | { t: 'dropped' }
  /** what is refused on this page already, without a message */
  | { t: 'refused'; why: string }
  | { t: 'outcome_read'; id: number }
  | { t: 'remembered'; swap: Swap; selected: readonly Card[] }
  | { t: 'reaction_over'; id: number };

export type Message = ServerMessage | LocalMessage;

export const INITIAL: TableState = {
  seq: -1,
  view: null,
  feed: [],
  races: [],
  pending: [],
  outcome: null,
  selected: [],
  swap: { given: [], to: null, got: [], from: null },
  closed: null,
  skipped: null,
  spectators: 0,
  reactions: [],
  settings_errors: [],
  broken: null,
};

export const FEED_LIMIT = 200;
export const RACE_LIMIT = 12;
