// The shapes of PROTOCOL sections 1 to 4, as this client reads them. Unknown fields and events are ignored.

export type Phase = 'lobby' | 'exchange' | 'playing' | 'results' | 'final' | 'closed';
export type Card = string;
export type OptionValue = string | number | boolean | null;

export interface Settings {
  ruleset: string;
  mode: string;
  rounds: number | 'unlimited' | null;
  target: number | 'none' | null;
  variants: Record<string, boolean>;
  options: Record<string, OptionValue>;
  seats: number;
  race_seconds: number;
  action_seconds: number;
  standin_grace_seconds: number;
  disconnect: string;
  bot_level: string;
  visibility: string;
  door: string;
  spectator_delay_seconds: number;
}

export interface Seat {
  seat: number;
  name: string;
  kind: 'person' | 'bot';
  level?: string | null;
  connected: boolean;
  standin: boolean;
  leaving: boolean;
  cards: number;
  passed: boolean;
  place: number | null;
  role: string | null;
  total: number;
  /** policy `wait`: when the game is cancelled unless this seat is back; absent or null: nobody waits for it */
  until?: number | null;
}

export interface Play {
  seat: number;
  cards: Card[];
}

export interface Trick {
  number: number;
  state: number;
  top: Play | null;
  plays: Play[];
}

export interface Owes {
  from: number;
  to: number;
  count: number;
  pick: 'any' | 'best' | 'worst';
}

export interface You {
  seat: number;
  hand: Card[];
  owes: { to: number; count: number; pick: Owes['pick'] } | null;
  salted: boolean;
}

export interface Results {
  round: number;
  standings: number[];
  roles: Record<string, string>;
  points: Record<string, number>;
  totals: Record<string, number>;
  why?: string;
  winners?: number[];
}

export interface View {
  table: string;
  phase: Phase;
  settings: Settings;
  host: number | null;
  order: number[];
  seats: Seat[];
  game: number | null;
  round: number | null;
  trick: Trick | null;
  revolution: boolean;
  turn: number | null;
  must_rank: string | null;
  deadline: number | null;
  exchange: { owes: Owes[] } | null;
  you: You | null;
  results: Results | null;
  commit: string | null;
  deal: number | null;
}

export interface Move {
  from: number;
  to: number;
  count: number;
  cards?: Card[];
}

/** One event of the log; the fields beyond these three depend on `type` and are read where they are folded. */
export interface LogEvent {
  t: 'event';
  seq: number;
  at: number;
  type: string;
  [field: string]: unknown;
}

export interface Welcome {
  t: 'welcome';
  v: number;
  table: string;
  seat: number | null;
  seq: number;
  now: number;
  view: View | null;
}

export interface Reply {
  t: 'reply';
  id: number;
  ok: boolean;
  seq?: number;
  why?: string;
  late_ms?: number;
  errors?: { field: string; message: string }[];
}

export interface ReactionMessage {
  t: 'reaction';
  seat: number;
  emoji: string;
  at: number;
}

export type ServerMessage =
  | Welcome
  | LogEvent
  | Reply
  | ReactionMessage
  | { t: 'presence'; spectators: number }
  | { t: 'pong'; id: number; now: number }
  | { t: 'bye'; why: string };

export type ClientMessage =
  | { t: 'hello'; v: 1; token?: string; since?: number }
  | { t: 'play'; id: number; on: number; cards: Card[] }
  | { t: 'pass'; id: number; on: number }
  | { t: 'give'; id: number; round: number; cards: Card[] }
  | { t: 'salt'; id: number; deal: number; salt: string }
  | { t: 'react'; id: number; emoji: string }
  | { t: 'host'; id: number; do: string; [field: string]: unknown }
  | { t: 'leave'; id: number }
  | { t: 'ping'; id: number };

export const EMOJI = ['👍', '👏', '😂', '😮', '😢', '😡', '🔥', '🎉'] as const;
