import type { LinkState } from '../src/net/connection';
import type { LogEvent, Seat, Settings, View } from '../src/protocol/types';
import { INITIAL, type TableState } from '../src/state/state';

const SETTINGS: Settings = {
  ruleset: 'president', mode: 'rapid', rounds: 5, target: null,
  variants: { revolution: true, four_closes: false, strongest_closes: false, finish_with_two: true, skip: false },
  options: {}, seats: 6, race_seconds: 10, action_seconds: 30, standin_grace_seconds: 5, disconnect: 'standin',
  bot_level: 'normal', visibility: 'private', door: 'open', spectator_delay_seconds: 0,
};

const PRESI: Settings = {
  ...SETTINGS, ruleset: 'presi', mode: 'turns', rounds: null, target: 11,
  options: { deck: 'spanish48', three: 'lowest', jokers: 0, joker: 'high', wild_twos: false, turning: 'off', must_beat: false, killer: true, passing: 'binds', exchange: 'checked', leader: 'culo' },
};

const ESCORIA: Settings = {
  ...SETTINGS, ruleset: 'escoria', mode: 'turns', rounds: null, target: 11, seats: 7,
  variants: { ...SETTINGS.variants, revolution: false, finish_with_two: false },
  options: { first_dealer: null, dealer: 'president', reseat: true, larger_sets: 'off', equal: true, skip_next: true, turning: 'run', jokers: true, two_high_low: false, transparent_threes: true },
};
const WILD: Settings = { ...PRESI, options: { ...PRESI.options, jokers: 2, joker: 'wild', wild_twos: true, turning: 'order_and_direction' } };

function seat(n: number, name: string, change: Partial<Seat> = {}): Seat {
  return { seat: n, name, kind: 'person', connected: true, standin: false, leaving: false, cards: 9, passed: false, place: null, role: null, total: 0, ...change };
}

const SEATS = [
  seat(0, 'Ana', { cards: 11, role: 'president', total: 7 }),
  seat(1, 'Bot Bruno', { kind: 'bot', level: 'normal', cards: 6, role: 'neutral', total: 4 }),
  seat(2, 'Carmen de la Vega', { cards: 8, passed: true, role: 'vice_president', total: 5 }),
  seat(3, 'Dídac', { cards: 4, connected: false, standin: true, role: 'vice_asshole', total: 2 }),
  seat(4, 'Bot Eva', { kind: 'bot', level: 'hard', cards: 0, place: 1, role: 'neutral', total: 3 }),
  seat(5, 'Ferran', { cards: 9, role: 'asshole', total: 0 }),
];

const SEVEN = ['president', 'vice_president', 'upper_neutral', 'neutral', 'lower_neutral', 'vice_scum', 'super_scum'];
const RANKED = [3, 0, 5, 1, 6, 4, 2];
const SEVEN_TOTALS = [7, 4, -3, 9, -1, 0, 2];
const SEVEN_NAMES = ['Ana', 'Bot Bruno', 'Carmen de la Vega', 'Dídac', 'Bot Eva', 'Ferran', 'Guillermina'];
const SEVEN_SEATS = SEVEN_NAMES.map((name, n) => seat(n, name, { cards: 8 - (n % 3), role: SEVEN[RANKED.indexOf(n)] ?? null, total: SEVEN_TOTALS[n] ?? 0, ...(n === 4 ? { passed: true } : {}) }));

const HAND = ['3S', '4H', '4C', '6D', '7S', '7H', '7C', 'TD', 'QH', 'AS', '2C'];

function view(now: number, change: Partial<View> = {}): View {
  return {
    table: 'abcdefghijk', phase: 'playing', settings: SETTINGS, host: 0, order: [0, 1, 2, 3, 4, 5], seats: SEATS, game: 1, round: 3,
    trick: { number: 4, state: 50, top: { seat: 5, cards: ['6S', '6H'] }, plays: [{ seat: 3, cards: ['4S', '4D'] }, { seat: 1, cards: ['5S', '5D'] }, { seat: 5, cards: ['6S', '6H'] }] },
    revolution: false, turn: null, must_rank: null, deadline: now + 7_400, exchange: null,
    you: { seat: 0, hand: HAND, owes: null, salted: true }, results: null, commit: null, deal: 4, ...change,
  };
}

const event = (seq: number, type: string, fields: Record<string, unknown> = {}): LogEvent => ({ t: 'event', seq, at: 0, type, ...fields });

const FEED = [
  event(40, 'dealt', { round: 3 }), event(41, 'played', { seat: 2, cards: ['8S'], by: 'person' }),
  event(42, 'race_lost', { seat: 1, on: 40, late_ms: 31 }), event(43, 'trick_closed', { why: 'passed' }),
  event(44, 'played', { seat: 3, cards: ['4S', '4D'], by: 'standin' }), event(45, 'played', { seat: 1, cards: ['5S', '5D'], by: 'bot' }),
  event(46, 'passed', { seat: 2 }), event(47, 'finished', { seat: 4, penalised: false }), event(48, 'connection_lost', { seat: 3 }),
  event(49, 'standin_started', { seat: 3 }), event(50, 'played', { seat: 5, cards: ['6S', '6H'], by: 'person' }),
];

/** All that the lines of an exchange, a timer and a host can be made of. */
const SWAPPED = [
  event(39, 'settings_changed', { changes: [{ scope: 'set', name: 'race_seconds', value: 5 }, { scope: 'variant', name: 'revolution', value: false }, { scope: 'option', name: 'three', value: 'below_two' }] }),
  event(40, 'dealt', { round: 3 }), event(41, 'exchange_opened', { moves: [{ from: 5, to: 0, count: 2, cards: ['2S', 'AD'] }, { from: 3, to: 2, count: 1 }] }),
  event(42, 'given', { from: 2, to: 3, count: 1, by: 'timer' }), event(43, 'given', { from: 0, to: 5, count: 2, cards: ['3S', '4H'], by: 'person' }),
  event(44, 'exchange_closed', { moves: [{ from: 2, to: 3, count: 1 }, { from: 0, to: 5, count: 2, cards: ['3S', '4H'] }] }),
  event(45, 'trick_opened', { trick: 1 }), event(46, 'played', { seat: 4, cards: ['4C', '4D'], by: 'timer', opens: true }),
  event(47, 'passed', { seat: 2, by: 'timer' }), event(48, 'passed', { seat: 3, by: 'standin' }), event(50, 'played', { seat: 1, cards: ['5S', '5D'], by: 'bot' }),
];

const RACES = [
  { seq: 50, on: 45, seat: 5, cards: ['6S', '6H'], at: 0, why: null, lost: [{ seat: 0, late_ms: 23 }, { seat: 1, late_ms: 88 }] },
];

type Make = (now: number) => TableState;
export interface Screen {
  state: Make;
  link?: LinkState;
}
const of = (make: (now: number) => Partial<TableState>): Make => (now) => ({ ...INITIAL, seq: 50, feed: FEED, races: RACES, spectators: 3, view: view(now), ...make(now) });

const RESULTS = {
  round: 3, standings: [4, 0, 2, 1, 3, 5],
  roles: { 4: 'president', 0: 'vice_president', 2: 'neutral', 1: 'neutral', 3: 'vice_asshole', 5: 'asshole' },
  points: { 4: 3, 0: 2, 2: 1, 1: 1, 3: 0, 5: 0 }, totals: { 4: 6, 0: 9, 2: 6, 1: 5, 3: 2, 5: 0 },
};

const LOBBY = { phase: 'lobby' as const, trick: null, deadline: null, game: null, round: null, seats: SEATS.slice(0, 3).map((s) => ({ ...s, role: null })), order: [0, 1, 2] };
const FINAL = { phase: 'final' as const, trick: null, deadline: null, results: { ...RESULTS, why: 'rounds', winners: [0, 4], totals: { ...RESULTS.totals, 4: 9 } } };
const OWED = [{ from: 0, to: 5, count: 2, pick: 'any' as const }, { from: 2, to: 3, count: 1, pick: 'any' as const }];
const DELAYED = { ...SETTINGS, spectator_delay_seconds: 30 };
const final = (why: string): Screen => ({ state: of(() => ({})), link: { kind: 'final', why } });

export const SCREENS: Record<string, Screen> = {
  race: { state: of(() => ({ selected: ['7S', '7H'], reactions: [{ id: 1, seat: 2, emoji: '😂' }] })) },
  beaten: { state: of(() => ({ selected: ['7S', '7H'], outcome: { id: 1, kind: 'beaten', by: 5, late_ms: 23, why: 'stale', cards: ['6S'] } })) },
  taken: { state: of((now) => ({ outcome: { id: 1, kind: 'taken', cards: ['8S', '8H'] }, races: [], view: view(now, { seats: SEATS.map((s) => ({ ...s, role: null, total: 0 })), round: 1 }) })) },
  refused: { state: of(() => ({ outcome: { id: 1, kind: 'refused', why: 'wrong_count' } })) },
  open: { state: of((now) => ({ races: [], closed: { plays: view(now).trick, why: 'passed' }, view: view(now, { trick: { number: 5, state: 60, top: null, plays: [] } }) })) },
  revolution: { state: of((now) => ({ view: view(now, { revolution: true }) })) },
  passed: { state: of((now) => ({ view: view(now, { seats: SEATS.map((s) => (s.seat === 0 ? { ...s, passed: true } : s)) }), outcome: { id: 1, kind: 'passed' } })) },
  out: { state: of((now) => ({ view: view(now, { you: { seat: 0, hand: [], owes: null, salted: true }, seats: SEATS.map((s) => (s.seat === 0 ? { ...s, cards: 0, place: 2 } : s)) }) })) },
  big: { state: of((now) => ({ view: view(now, { order: [0, 1, 2], seats: SEATS.slice(0, 3), you: { seat: 0, owes: null, salted: true, hand: ['3S', '3H', '4S', '5D', '5C', '6H', '7S', '8S', '8D', '9C', 'TS', 'JD', 'JS', 'QH', 'KC', 'AS', 'AD', '2H'] } }) })) },
  turns: { state: of((now) => ({ races: [], view: view(now, { settings: PRESI, turn: 0, must_rank: null, trick: { number: 2, state: 50, top: { seat: 1, cards: ['7O'] }, plays: [{ seat: 5, cards: ['4C'] }, { seat: 1, cards: ['7O'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O', '10C', '11E', '12B', '1O', '2C', '2O'] } }) })) },
  escoria: { state: of((now) => ({ races: [], skipped: 5, view: view(now, { settings: ESCORIA, seats: SEVEN_SEATS, order: RANKED, turn: 1, trick: { number: 3, state: 50, top: { seat: 0, cards: ['8S'] }, plays: [{ seat: 2, cards: ['7D'] }, { seat: 3, cards: ['8H'] }, { seat: 0, cards: ['8S'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3D', '5H', '9C', '9D', 'KS', '2C', '*1'] } }) })) },
  escoria_turned: { state: of((now) => ({ races: [], view: view(now, { settings: ESCORIA, seats: SEVEN_SEATS, order: [...RANKED].reverse(), revolution: true, turn: 0, trick: { number: 3, state: 50, top: { seat: 3, cards: ['5S', '5H'] }, plays: [{ seat: 3, cards: ['5S', '5H'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3D', '3H', '9C', '9D', 'AS', 'AC', '*1'] } }) })) },
  wild: { state: of((now) => ({ races: [], selected: ['*1'], view: view(now, { settings: WILD, turn: 0, trick: { number: 2, state: 50, top: { seat: 1, cards: ['10O'] }, plays: [{ seat: 5, cards: ['*2=7B'] }, { seat: 1, cards: ['10O'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '12B', '1O', '2C', '2O', '*1'] } }) })) },
  wild_pile: { state: of((now) => ({ races: [], selected: ['12B', '12O', '2C'], view: view(now, { settings: WILD, turn: 0, revolution: true, order: [5, 4, 3, 2, 1, 0], trick: { number: 2, state: 50, top: { seat: 1, cards: ['11O', '11C', '*2=11E'] }, plays: [{ seat: 1, cards: ['11O', '11C', '*2=11E'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '12B', '12O', '1O', '2C', '2O', '*1'] } }) })) },
  escoria_results: { state: of((now) => ({ view: view(now, { settings: ESCORIA, phase: 'results', seats: SEVEN_SEATS, trick: null, deadline: null, results: { round: 4, standings: RANKED, roles: Object.fromEntries(RANKED.map((n, i) => [n, SEVEN[i] ?? ''])), points: Object.fromEntries(RANKED.map((n, i) => [n, [2, 1, 0, 0, 0, -1, -2][i] ?? 0])), totals: Object.fromEntries(SEVEN_TOTALS.map((total, n) => [n, total])) } }) })) },
  my_turn_refused: { state: of((now) => ({ races: [], outcome: { id: 1, kind: 'refused', why: 'must_match_rank' }, view: view(now, { settings: PRESI, turn: 0, seats: SEATS.map((s) => (s.seat === 0 ? { ...s, role: 'vice_president', total: 10 } : s)), trick: { number: 2, state: 50, top: { seat: 1, cards: ['7O'] }, plays: [{ seat: 1, cards: ['7O'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  my_turn_told: { state: of((now) => ({ races: [], outcome: { id: 1, kind: 'taken', cards: ['10O', '10C', '10E'] }, skipped: 0, view: view(now, { settings: PRESI, turn: 1, seats: SEATS.map((s) => (s.seat === 0 ? { ...s, role: 'vice_president', total: 10 } : s)), you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  must: { state: of((now) => ({ races: [], view: view(now, { settings: { ...SETTINGS, mode: 'turns', variants: { ...SETTINGS.variants, skip: true } }, turn: 2, must_rank: 'Q', seats: SEATS.map((s) => ({ ...s, passed: false })), trick: { number: 2, state: 50, top: { seat: 1, cards: ['QS', 'QH'] }, plays: [{ seat: 0, cards: ['QD', 'QC'] }, { seat: 1, cards: ['QS', 'QH'] }] } }) })) },
  exchange: { state: of((now) => ({ swap: { given: [], to: null, got: ['2S', 'AD'], from: 5 }, selected: ['3S'], view: view(now, { phase: 'exchange', trick: null, exchange: { owes: OWED }, you: { seat: 0, hand: [...HAND, '2S', 'AD'], owes: { to: 5, count: 2, pick: 'any' }, salted: true } }) })) },
  exchange_first: { state: of((now) => ({ view: view(now, { settings: { ...ESCORIA, options: { ...ESCORIA.options, reseat: false } }, phase: 'exchange', trick: null, exchange: { owes: [{ from: 5, to: 0, count: 1, pick: 'best' }] } }) })) },
  awaited: { state: of((now) => ({ races: [], view: view(now, { settings: { ...PRESI, disconnect: 'wait' }, turn: 3, deadline: null, seats: SEATS.map((s) => (s.seat === 3 ? { ...s, standin: false, until: now + 41_500 } : s)), trick: { number: 2, state: 50, top: { seat: 1, cards: ['7O'] }, plays: [{ seat: 1, cards: ['7O'] }] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  cancelled: { state: of((now) => ({ feed: [event(48, 'game_ended', { why: 'cancelled' }), event(49, 'lobby_opened'), event(50, 'seat_freed', { seat: 3, why: 'left', names: { 3: 'Dídac' }, given_up: true })], view: view(now, { ...LOBBY, settings: { ...PRESI, disconnect: 'wait' } }) })) },
  exchange_best: { state: of((now) => ({ selected: ['2O'], view: view(now, { settings: PRESI, phase: 'exchange', trick: null, exchange: { owes: [{ from: 0, to: 5, count: 2, pick: 'best' }] }, you: { seat: 0, hand: ['3O', '5C', '5E', '7B', '12B', '2C', '2E', '2O'], owes: { to: 5, count: 2, pick: 'best' }, salted: true } }) })) },
  given: { state: of((now) => ({ swap: { given: ['3S', '4H'], to: 5, got: ['2S', 'AD'], from: 5 }, view: view(now, { phase: 'exchange', trick: null, exchange: { owes: OWED.slice(1) } }) })) },
  swapped: { state: of((now) => ({ races: [], swap: { given: ['3S', '4H'], to: 5, got: ['2S', 'AD'], from: 5 }, feed: SWAPPED, view: view(now, { trick: { number: 1, state: 50, top: { seat: 1, cards: ['5S', '5D'] }, plays: [{ seat: 1, cards: ['5S', '5D'] }] }, you: { seat: 0, hand: [...HAND, '2S', 'AD'], owes: null, salted: true } }) })) },
  swapped_turn: { state: of((now) => ({ races: [], swap: { given: ['2O', '1C'], to: 5, got: ['3O', '3C'], from: 5 }, feed: SWAPPED, view: view(now, { settings: PRESI, turn: 0, seats: SEATS.map((s) => (s.seat === 0 ? { ...s, role: 'culo' } : s)), trick: { number: 1, state: 50, top: null, plays: [] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '3C', '5E', '7B', '10O', '10C'] } }) })) },
  acted: { state: of((now) => ({ races: [], outcome: { id: 1, kind: 'acted', did: 'played', cards: ['12O', '12C', '12E', '12B'] }, skipped: 0, view: view(now, { settings: PRESI, turn: 1, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  acted_gave: { state: of((now) => ({ races: [], outcome: { id: 1, kind: 'acted', did: 'given', cards: ['2O', '2C'] }, view: view(now, { settings: PRESI, turn: 0, trick: { number: 1, state: 50, top: null, plays: [] }, you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  acted_passed: { state: of((now) => ({ races: [], outcome: { id: 1, kind: 'acted', did: 'passed', cards: [] }, view: view(now, { settings: PRESI, turn: 1, seats: SEATS.map((s) => (s.seat === 0 ? { ...s, passed: true } : s)), you: { seat: 0, owes: null, salted: true, hand: ['3O', '5C', '5E', '7B', '10O'] } }) })) },
  looking_on: { state: of((now) => ({ view: view(now, { phase: 'exchange', trick: null, exchange: { owes: OWED }, you: null }) })) },
  results: { state: of((now) => ({ view: view(now, { phase: 'results', trick: null, deadline: null, results: RESULTS }) })) },
  results_guest: { state: of((now) => ({ view: view(now, { phase: 'results', host: 2, trick: null, deadline: null, results: RESULTS }) })) },
  final: { state: of((now) => ({ view: view(now, FINAL) })) },
  final_guest: { state: of((now) => ({ view: view(now, { ...FINAL, host: 2 }) })) },
  final_watch: { state: of((now) => ({ view: view(now, { ...FINAL, you: null, settings: { ...DELAYED, seats: 7 } }) })) },
  lobby: { state: of((now) => ({ feed: [], view: view(now, LOBBY) })) },
  alone: { state: of((now) => ({ feed: [], view: view(now, { ...LOBBY, seats: LOBBY.seats.slice(0, 1), order: [0] }) })) },
  guest: { state: of((now) => ({ feed: [], view: view(now, { ...LOBBY, host: 2 }) })) },
  guest_few: { state: of((now) => ({ feed: [], view: view(now, { ...LOBBY, seats: LOBBY.seats.slice(0, 2), order: [0, 1], host: 1 }) })) },
  lobby_watch: { state: of((now) => ({ feed: [], view: view(now, { ...LOBBY, seats: LOBBY.seats.slice(0, 2), order: [0, 1], you: null, settings: DELAYED }) })) },
  watch: { state: of((now) => ({ view: view(now, { you: null, settings: DELAYED }) })) },
  offline: { state: of(() => ({})), link: { kind: 'offline' } },
  waiting: { state: of(() => ({})), link: { kind: 'waiting', attempt: 2 } },
  taken_over: { state: of(() => ({})), link: { kind: 'taken_over' } },
  ...Object.fromEntries(['left', 'closed', 'removed', 'no_table', 'bad_token', 'bad_hello', 'broken'].map((why) => [why, final(why)])),
};

/** A lobby with these settings and so many chairs taken. */
export const lobby = (now: number, settings: Settings, taken: number): TableState => ({
  ...INITIAL, seq: 50, view: view(now, { ...LOBBY, settings, seats: Array.from({ length: taken }, (_, n) => seat(n, `Seat ${n}`)) }),
});

/** A table at which one play lies: so many cards of a rank. */
export const trickOf = (settings: Settings, revolution: boolean, [rank, count]: [string, number]): View => {
  const top = { seat: 1, cards: Array.from({ length: count }, (_, n) => (rank === '*' ? `*${n + 1}` : `${rank}${'OCEB'[n]}`)) };
  return view(0, { settings, revolution, trick: { number: 1, state: 50, top, plays: [top] } });
};

const ROLES = ['president', 'vice_president', 'neutral', 'neutral', 'neutral', 'neutral', 'vice_asshole', 'asshole'];
const SHORT = ['Ana', 'Bot Bruno', 'Carmen de la Vega', 'Dídac', 'Bot Eva', 'Ferran', 'Maximiliano', 'Guillermina Ruiz'];

/** The same state with so many chairs, each with something to show; names as long and as wide as they may be, if asked. */
export function around(state: TableState, count: number, is_long: boolean): TableState {
  if (state.view === null) return state;
  const seats = Array.from({ length: count }, (_, n): Seat => ({
    ...seat(n, is_long ? `${'MW'.repeat(12)}`.slice(0, 23) + n : (SHORT[n] ?? `Seat ${n}`)),
    ...(n === 0 ? {} : { passed: n === 2, ...(n === 3 ? { connected: false, standin: true } : {}), ...(n === 4 ? { cards: 0, place: 1 } : {}) }),
    ...(n === 1 ? { cards: 13 } : {}), role: ROLES[n === count - 1 ? 7 : n] ?? null, total: 12 - n,
  }));
  const top = count - 1;
  const trick = state.view.trick && { ...state.view.trick, top: state.view.trick.top && { seat: top, cards: ['6S', '6H'] }, plays: state.view.trick.plays.map((play, i) => ({ ...play, seat: (i + 1) % count })) };
  const races = state.races.map((race) => ({ ...race, seat: top, lost: race.lost.filter((loss) => loss.seat < top) }));
  return { ...state, races, feed: [], view: { ...state.view, seats, order: seats.map((each) => each.seat), trick } };
}
