import { vi } from 'vitest';
import { locale } from '../src/i18n/i18n.svelte';
import { INITIAL, type TableState } from '../src/state/state';
import { reduce } from '../src/state/reduce';
import type { LogEvent, Seat, Settings, View } from '../src/protocol/types';

export const SETTINGS: Settings = {
  ruleset: 'president', mode: 'rapid', rounds: 5, target: null,
  variants: { revolution: true, four_closes: false, strongest_closes: false, finish_with_two: false, skip: false },
  options: {}, seats: 6, race_seconds: 10, action_seconds: 30, standin_grace_seconds: 5, disconnect: 'standin',
  bot_level: 'normal', visibility: 'private', door: 'open', spectator_delay_seconds: 0,
};

export function settings(change: Partial<Settings> = {}): Settings {
  return { ...SETTINGS, ...change };
}

export function seat(n: number, change: Partial<Seat> = {}): Seat {
  return { seat: n, name: `Seat ${n}`, kind: 'person', connected: true, standin: false, leaving: false, cards: 3, passed: false, place: null, role: null, total: 0, ...change };
}

export function view(change: Partial<View> = {}): View {
  return {
    table: 'abcdefghijk', phase: 'playing', settings: SETTINGS, host: 0, order: [0, 1, 2], seats: [seat(0), seat(1), seat(2)], game: 1, round: 1,
    trick: { number: 1, state: 10, top: null, plays: [] }, revolution: false, turn: null, must_rank: null, deadline: 5000, exchange: null,
    you: { seat: 0, hand: ['5S', '5H', '9D'], owes: null, salted: true }, results: null, commit: null, deal: null, ...change,
  };
}

/** A page that stands at `seq` 10 before the next event. */
export function at(given: View = view()): TableState {
  return reduce(INITIAL, { t: 'welcome', v: 1, table: given.table, seat: given.you?.seat ?? null, seq: 10, now: 0, view: given });
}

export const event = (seq: number, type: string, fields: Record<string, unknown> = {}): LogEvent => ({ t: 'event', seq, at: seq * 10, type, ...fields });

export const after = (state: TableState, ...events: LogEvent[]): TableState => events.reduce((now, each) => reduce(now, each), state);

/** The texts of a language, as a page loads them. */
export async function speaks(lang: string): Promise<void> {
  vi.stubGlobal('navigator', { languages: [] });
  vi.stubGlobal('document', { documentElement: {} });
  await locale.load(lang);
}
