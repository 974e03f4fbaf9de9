import { describe, expect, test } from 'vitest';
import { nameIn } from '../src/i18n/feed';
import { awaited, cutShort, WAIT_MS } from '../src/play/awaited';
import { isTurnedBack } from '../src/play/rules';
import { isSwapNews, newCards } from '../src/play/swap';
import { circleOf, nextSeat } from '../src/play/turns';
import type { View } from '../src/protocol/types';
import { reduce } from '../src/state/reduce';
import { FEED_LIMIT, INITIAL, type Outcome, type TableState } from '../src/state/state';
import { after, at, event, seat, settings, view } from './helpers';

const played = (seq: number, seat: number, cards: string[], on: number, more: Record<string, unknown> = {}) =>
  event(seq, 'played', { seat, cards, on, trick: 1, by: 'person', revolution: false, deadline: 9000, ...more });

describe('events fold into the view', () => {
  test('a play leaves the hand, tops the trick and makes a new trick state', () => {
    const state = after(at(), played(11, 0, ['5S', '5H'], 10));
    expect(state.view?.you?.hand).toEqual(['9D']);
    expect(state.view?.seats[0]?.cards).toBe(1);
    expect(state.view?.trick).toMatchObject({ state: 11, top: { seat: 0, cards: ['5S', '5H'] } });
    expect(state.view?.deadline).toBe(9000);
  });

  test('a wild card leaves the hand under its own name', () => {
    const own = view({ you: { seat: 0, hand: ['*1', 'KD', '9D'], owes: null, salted: true } });
    const state = after(at(own), played(11, 0, ['KD', '*1=KS'], 10));
    expect(state.view?.you?.hand).toEqual(['9D']);
    expect(state.broken).toBeNull();
  });

  test('where a pass binds it outlasts a play, elsewhere a play wipes it (RULES P4, 7)', () => {
    const binding = after(at(), played(11, 1, ['5D'], 10), event(12, 'passed', { seat: 2 }), played(13, 1, ['6D'], 11));
    expect(binding.view?.seats[2]?.passed).toBe(true);
    const house = view({ settings: settings({ ruleset: 'house' }) });
    const free = after(at(house), played(11, 1, ['5D'], 10), event(12, 'passed', { seat: 2 }), played(13, 1, ['6D'], 11));
    expect(free.view?.seats[2]?.passed).toBe(false);
  });

  test('seats that stay as they are stay the same objects: their chairs are not drawn anew', () => {
    const before = after(at(), played(11, 1, ['5D'], 10), event(12, 'passed', { seat: 2 }), event(13, 'trick_closed', { trick: 1, why: 'passed' }));
    const opened = after(before, event(14, 'trick_opened', { trick: 2, leader: null, deadline: 7000 }));
    const is_same = (seat: number) => opened.view?.seats[seat] === before.view?.seats[seat];
    expect([0, 1, 2].map(is_same)).toEqual([true, true, false]);
  });

  test('a new trick opens: nobody has passed, its state is its own seq', () => {
    const state = after(
      at(), played(11, 1, ['5D'], 10), event(12, 'passed', { seat: 2 }), event(13, 'trick_closed', { trick: 1, why: 'passed' }),
      event(14, 'trick_opened', { trick: 2, leader: null, deadline: 7000 }),
    );
    expect(state.view?.trick).toEqual({ number: 2, state: 14, top: null, plays: [] });
    expect(state.view?.seats.some((each) => each.passed)).toBe(false);
    expect(state.closed?.why).toBe('passed');
  });

  test('places count from the front, penalised ones from the back (RULES V4)', () => {
    const state = after(at(), event(11, 'finished', { seat: 1, penalised: true }), event(12, 'finished', { seat: 2, penalised: false }));
    expect(state.view?.seats.map((each) => each.place)).toEqual([null, 3, 1]);
  });

  test('a deal gives the hand, counts, a new round and clears the table', () => {
    const state = after(
      at(), event(11, 'dealt', { round: 2, deal: 2, order: [2, 1, 0], hands: { 0: ['3S'] }, counts: { 0: 1, 1: 1, 2: 2 } }),
      event(12, 'committed', { deal: 3, commit: 'ab' }),
    );
    expect(state.view).toMatchObject({ round: 2, order: [2, 1, 0], trick: null, deal: 3, you: { hand: ['3S'], salted: false } });
    expect(state.view?.seats.map((each) => each.cards)).toEqual([1, 1, 2]);
  });

  test('given cards leave at once and arrive when the exchange closes', () => {
    const state = after(
      at(),
      event(11, 'exchange_opened', { round: 2, deadline: 9, moves: [{ from: 2, to: 0, count: 1, cards: ['2S'] }], owes: [{ from: 0, to: 2, count: 1, pick: 'any' }] }),
    );
    expect(state.view?.you).toMatchObject({ hand: ['5S', '5H', '9D', '2S'], owes: { to: 2, count: 1, pick: 'any' } });
    const gave = after(state, event(12, 'given', { from: 0, to: 2, count: 1, cards: ['5S'], by: 'person' }));
    expect(gave.view?.you).toMatchObject({ hand: ['5H', '9D', '2S'], owes: null });
    expect(gave.view?.seats.map((each) => each.cards)).toEqual([3, 3, 2]);
    expect(gave.swap).toEqual({ given: ['5S'], to: 2, got: ['2S'], from: 2 });
    const done = after(gave, event(13, 'exchange_closed', { round: 2, moves: [{ from: 0, to: 2, count: 1, cards: ['5S'] }] }));
    expect(done.view?.seats.map((each) => each.cards)).toEqual([3, 3, 3]);
    expect(done.view?.exchange).toBeNull();
  });

  test('a round ends with nobody holding cards, roles and totals set', () => {
    const state = after(at(), event(11, 'round_ended', { round: 1, standings: [1, 0, 2], roles: { 1: 'president', 0: 'neutral', 2: 'asshole' }, points: { 1: 3, 0: 1, 2: 0 }, totals: { 1: 3, 0: 1, 2: 0 } }));
    expect(state.view).toMatchObject({ phase: 'results', trick: null, deadline: null, you: { hand: [] } });
    expect(state.view?.seats.map((each) => [each.cards, each.role, each.total])).toEqual([[0, 'neutral', 1], [0, 'president', 3], [0, 'asshole', 0]]);
  });

  test('the shared timer is touched by no loss of connection unless the event says so (RULES R8)', () => {
    const lost = after(at(), event(11, 'connection_lost', { seat: 2 }));
    expect(lost.view?.deadline).toBe(5000);
    expect(after(lost, event(12, 'connection_back', { seat: 2, deadline: null })).view?.deadline).toBeNull();
  });

  test('an unknown event and unknown fields change nothing and break nothing', () => {
    const state = after(at(), event(11, 'fireworks', { colour: 'red' }));
    expect(state.view).toEqual(view());
    expect(state).toMatchObject({ seq: 11, broken: null });
  });
});

describe('what cannot be true asks for a fresh view', () => {
  test.each([
    ['a gap in seq', event(12, 'passed', { seat: 1 })],
    ['a card that is not in hand', played(11, 0, ['AS'], 10)],
    ['more cards than a seat holds', played(11, 1, ['3S', '3H', '3D', '3C'], 10)],
    ['a seat that is not there', event(11, 'passed', { seat: 9 })],
  ])('%s', (_, impossible) => {
    expect(after(at(), impossible).broken).not.toBeNull();
  });

  test('a welcome with a view mends it', () => {
    const broken = after(at(), event(13, 'passed', { seat: 1 }));
    const state = reduce(broken, { t: 'welcome', v: 1, table: 'abcdefghijk', seat: 0, seq: 13, now: 0, view: view() });
    expect(state).toMatchObject({ seq: 13, broken: null });
  });

  test('a welcome without a view goes on from where the page stands, and from nowhere else', () => {
    const goes_on = reduce(at(), { t: 'welcome', v: 1, table: 'x', seat: 0, seq: 10, now: 0, view: null });
    expect(goes_on).toMatchObject({ seq: 10, broken: null });
    expect(reduce(at(), { t: 'welcome', v: 1, table: 'x', seat: 0, seq: 12, now: 0, view: null }).broken).not.toBeNull();
  });
});

describe('one’s own attempts', () => {
  const sent = (kind: 'play' | 'pass', on = 10) => reduce(at(), { t: 'sent', attempt: { id: 1, kind, on, cards: ['5S'] } });

  test('nothing changes in the hand before the server’s word', () => {
    expect(sent('play').view?.you?.hand).toEqual(['5S', '5H', '9D']);
  });

  test('taken, by the event already and once only', () => {
    const event_seen = after(sent('play'), played(11, 0, ['5S'], 10));
    expect(event_seen.outcome?.kind).toBe('taken');
    const answered = reduce(event_seen, { t: 'reply', id: 1, ok: true, seq: 11 });
    expect(answered.outcome).toBe(event_seen.outcome);
    expect(answered.pending).toEqual([]);
  });

  test('a pass and what is given, by their events, and what they bring about may make them old before the reply', () => {
    const passed = after(sent('pass'), event(11, 'passed', { seat: 0, trick: 1, by: 'person' }));
    expect(passed.outcome?.kind).toBe('passed');
    expect(reduce(passed, { t: 'reply', id: 1, ok: true, seq: 11 }).outcome).toBe(passed.outcome);
    const closes = [event(12, 'trick_closed', { trick: 1, why: 'passed' }), event(13, 'trick_opened', { trick: 2, leader: null, deadline: 7000 })];
    expect(reduce(after(passed, ...closes), { t: 'reply', id: 1, ok: true, seq: 13 }).outcome).toBeNull();
    const taken = after(sent('play'), played(11, 0, ['5S'], 10), ...closes);
    expect(reduce(taken, { t: 'reply', id: 1, ok: true, seq: 13 }).outcome).toBeNull();
    const owing = at(view({ phase: 'exchange', trick: null, exchange: { owes: [{ from: 0, to: 2, count: 1, pick: 'any' }] } }));
    const giving = reduce(owing, { t: 'sent', attempt: { id: 1, kind: 'give', on: null, cards: ['5S'] } });
    expect(after(giving, event(11, 'given', { from: 0, to: 2, count: 1, cards: ['5S'], by: 'person' })).outcome).toMatchObject({ kind: 'given', cards: ['5S'] });
  });

  test('beaten: by whom and by how many milliseconds', () => {
    const state = after(sent('play'), played(11, 2, ['6S'], 10), event(12, 'race_lost', { seat: 0, on: 10, late_ms: 23 }));
    const answered = reduce(state, { t: 'reply', id: 1, ok: false, why: 'stale', late_ms: 23 });
    expect(answered.outcome).toMatchObject({ kind: 'beaten', by: 2, late_ms: 23 });
    expect(answered.races[0]?.lost).toEqual([{ seat: 0, late_ms: 23 }]);
    expect(answered.view?.you?.hand).toEqual(['5S', '5H', '9D']);
  });

  test('too late for a trick that closed', () => {
    const state = after(sent('play'), event(11, 'trick_closed', { trick: 1, why: 'timer' }), event(12, 'race_lost', { seat: 0, on: 10, late_ms: 8 }));
    expect(reduce(state, { t: 'reply', id: 1, ok: false, why: 'stale', late_ms: 8 }).outcome).toMatchObject({ kind: 'too_late', late_ms: 8 });
  });

  test('refused, and why', () => {
    expect(reduce(sent('play'), { t: 'reply', id: 1, ok: false, why: 'too_weak' }).outcome).toMatchObject({ kind: 'refused', why: 'too_weak' });
  });

  test('a connection that breaks leaves no attempt behind, and says that its fate is not known', () => {
    expect(reduce(sent('play'), { t: 'dropped' })).toMatchObject({ pending: [], outcome: { kind: 'unknown' } });
  });

  test('a reply to nothing is nothing', () => {
    expect(reduce(at(), { t: 'reply', id: 99, ok: false, why: 'stale' }).outcome).toBeNull();
  });
});

describe('what is told of an attempt goes once it is no longer news', () => {
  const NEWS = {
    'a new trick': event(11, 'trick_opened', { trick: 2, leader: null, deadline: 7000 }),
    'one’s own turn': event(11, 'turn_began', { seat: 0, rank: null, deadline: 9000 }),
    'a skip of one’s own': event(11, 'skipped', { seat: 0, trick: 1 }),
    'a play of somebody else': played(11, 1, ['5D'], 10),
  };
  const NO_NEWS = {
    'somebody else’s turn': event(11, 'turn_began', { seat: 1, rank: null, deadline: 9000 }),
    'a skip of somebody else': event(11, 'skipped', { seat: 1, trick: 1 }),
    'a pass of somebody else': event(11, 'passed', { seat: 1 }),
    'the end of the trick': event(11, 'trick_closed', { trick: 1, why: 'passed' }),
    'a lost race': event(11, 'race_lost', { seat: 1, on: 10, late_ms: 3 }),
  };
  const WELL = ['taken', 'passed', 'given'] as const;
  const FAULTS = ['beaten', 'too_late', 'refused', 'unknown'] as const;
  const told = (kind: Outcome['kind'], why?: string): TableState => ({ ...at(), outcome: { id: 1, kind, ...(why === undefined ? {} : { why }) } });
  const read = (state: TableState) => reduce(state, { t: 'outcome_read', id: 1 });

  test.each(Object.entries(NEWS))('with %s goes what went well; a fault once it was read', (_, news) => {
    for (const kind of WELL) expect(after(told(kind), news).outcome, kind).toBeNull();
    for (const kind of FAULTS) {
      expect(after(told(kind), news).outcome?.kind, kind).toBe(kind);
      expect(read(after(told(kind), news)).outcome, kind).toBeNull();
      expect(after(read(told(kind)), news).outcome, kind).toBeNull();
    }
  });

  test.each(Object.entries(NO_NEWS))('%s leaves it as it is, read or not', (_, nothing) => {
    for (const kind of [...WELL, ...FAULTS]) {
      expect(after(told(kind), nothing).outcome?.kind, kind).toBe(kind);
      expect(after(read(told(kind)), nothing).outcome?.kind, kind).toBe(kind);
    }
  });

  test('at the end of a round all goes', () => {
    const ended = event(11, 'round_ended', { round: 1, standings: [0, 1, 2], roles: {}, points: {}, totals: {} });
    for (const kind of [...WELL, ...FAULTS]) expect(after(told(kind), ended).outcome, kind).toBeNull();
  });

  test('"Not your turn" does not stand beside one’s turn, nor "already passed" in the next trick', () => {
    expect(after(told('refused', 'not_your_turn'), NEWS['one’s own turn']).outcome).toBeNull();
    expect(after(told('refused', 'already_passed'), NEWS['a new trick']).outcome).toBeNull();
  });

  test('an outcome that took its place is not taken for read, and has an id of its own', () => {
    const gone = after(told('taken'), played(11, 1, ['5D'], 10));
    const next = reduce(gone, { t: 'refused', why: 'not_your_turn' });
    expect(next.outcome).toMatchObject({ kind: 'refused', why: 'not_your_turn' });
    expect(next.outcome?.id).toBeGreaterThan(1);
    expect(reduce(next, { t: 'outcome_read', id: 1 }).outcome).toBe(next.outcome);
  });
});

describe('a chair that waits (RULES 3.10)', () => {
  const WAITS = settings({ ruleset: 'presi', mode: 'turns', disconnect: 'wait' });
  const table = () => at(view({ settings: WAITS }));
  const lost = event(11, 'connection_lost', { seat: 2, until: 70_110 });
  const untilOf = (state: TableState) => awaited(state.view as View).map((each) => [each.seat, each.until]);

  test('until when, from the loss of its connection to its return', () => {
    expect(untilOf(after(table(), lost))).toEqual([[2, 70_110]]);
    expect(untilOf(after(table(), lost, event(12, 'connection_back', { seat: 2 })))).toEqual([]);
    expect(untilOf(after(table(), event(11, 'connection_lost', { seat: 2 })))).toEqual([[2, null]]);
  });

  test('nowhere where a stand-in plays, nor for a bot, a leaver, or outside a game', () => {
    expect(untilOf(after(at(), lost))).toEqual([]);
    expect(untilOf(after(table(), lost, event(12, 'leaving', { seat: 2, why: 'left' })))).toEqual([]);
    expect(awaited({ ...(after(table(), lost).view as View), phase: 'lobby' })).toEqual([]);
  });

  test('the time starts anew with a game and with the server’s return', () => {
    const lobby = at(view({ settings: WAITS, phase: 'lobby', game: null, trick: null, seats: [seat(0), seat(1), seat(2, { connected: false })] }));
    const started = after(lobby, event(11, 'game_started', { game: 1, seats: [0, 1, 2], settings: WAITS }));
    expect(started.view?.seats[2]?.until).toBe(110 + WAIT_MS);
    expect(untilOf(after(table(), lost, event(12, 'resumed', { epoch: 2, lost_ms: 1, deadline: null })))).toEqual([[2, 120 + WAIT_MS]]);
  });

  test('as a fresh view has it, for somebody who has just come too', () => {
    const fresh = (until?: number) => view({ settings: WAITS, seats: [seat(0), seat(1), seat(2, { connected: false, ...(until ? { until } : {}) })] });
    const again = (until?: number) => reduce(after(table(), lost), { t: 'welcome', v: 1, table: 'x', seat: 0, seq: 20, now: 1, view: fresh(until) });
    expect(untilOf(again(71_000))).toEqual([[2, 71_000]]);
    expect(untilOf(again())).toEqual([[2, undefined]]);
  });

  test('back in the lobby it is known who did not come back, until the next game; nobody who leaves later is meant', () => {
    const at_once = (seq: number, type: string, fields = {}) => ({ ...event(seq, type, fields), at: 500 });
    const over = after(
      table(), lost, at_once(12, 'game_ended', { game: 1, why: 'cancelled', winners: [], totals: {} }), at_once(13, 'lobby_opened'),
      at_once(14, 'seat_freed', { seat: 2, why: 'left' }),
    );
    expect(cutShort(over.feed)).toMatchObject({ why: 'cancelled', seat: { names: { 2: 'Seat 2' } } });
    const later = after(over, event(15, 'seat_freed', { seat: 1, why: 'left' }));
    expect(cutShort(later.feed)?.seat?.seq).toBe(14);
    expect(cutShort(after(later, event(16, 'game_started', { game: 2, seats: [0], settings: WAITS })).feed)).toBeNull();
    const closed = after(table(), at_once(11, 'game_ended', { game: 1, why: 'cancelled', winners: [], totals: {} }), at_once(12, 'lobby_opened'));
    expect(cutShort(after(closed, event(13, 'seat_freed', { seat: 1, why: 'left' })).feed)).toEqual({ why: 'cancelled', seat: null });
  });
});

test('the activity names who sat there when it happened', () => {
  const named = view({ phase: 'lobby', trick: null, game: null, seats: [seat(0), seat(1, { name: 'Ben' })] });
  const state = after(
    at(named), event(11, 'connection_lost', { seat: 1 }), event(12, 'seat_freed', { seat: 1, why: 'left' }),
    event(13, 'seat_taken', { seat: 1, name: 'Carla', kind: 'person' }), event(14, 'connection_back', { seat: 1 }),
  );
  expect(state.feed.map((each) => each['names'])).toEqual([{ 1: 'Ben' }, { 1: 'Ben' }, { 1: 'Carla' }, { 1: 'Carla' }]);
  expect(state.feed.map((each) => nameIn(each, 1, state.view as View))).toEqual(['Ben', 'Ben', 'Carla', 'Carla']);
});

describe('what the server does at the end of one’s time', () => {
  const lying = view({ trick: { number: 1, state: 10, top: { seat: 1, cards: ['4S'] }, plays: [{ seat: 1, cards: ['4S'] }] } });
  const owing = view({ phase: 'exchange', trick: null, exchange: { owes: [{ from: 0, to: 2, count: 1, pick: 'any' }] }, you: { seat: 0, hand: ['5S', '5H', '9D'], owes: { to: 2, count: 1, pick: 'any' }, salted: true } });
  const DONE = {
    opened: [view(), 'play', (by: string, seat: number) => played(11, seat, ['5S'], 10, { by })],
    played: [lying, 'play', (by: string, seat: number) => played(11, seat, ['5S'], 10, { by })],
    passed: [lying, 'pass', (by: string, seat: number) => event(11, 'passed', { seat, trick: 1, by })],
    given: [owing, 'give', (by: string, seat: number) => event(11, 'given', { from: seat, to: 2, count: 1, cards: ['5S'], by })],
  } as const;

  test.each(Object.entries(DONE))('is told as such: %s', (did, [before, , act]) => {
    expect(after(at(before), act('timer', 0)).outcome).toMatchObject({ kind: 'acted', did, cards: did === 'passed' ? [] : ['5S'] });
    for (const by of ['person', 'bot', 'standin']) expect(after(at(before), act(by, 0)).outcome, by).toBeNull();
    expect(after(at(before), act('timer', 1)).outcome).toBeNull();
  });

  test.each(Object.entries(DONE))('the refusal of what came too late for it does not take its place: %s', (did, [before, kind, act]) => {
    const late = reduce(at(before), { t: 'sent', attempt: { id: 7, kind, on: 10, cards: ['5S'] } });
    const refused = reduce(after(late, act('timer', 0)), { t: 'reply', id: 7, ok: false, why: 'stale' });
    expect(refused.outcome).toMatchObject({ kind: 'acted', did });
    expect(refused.pending).toEqual([]);
    const again = reduce(refused, { t: 'sent', attempt: { id: 8, kind, on: 10, cards: ['5S'] } });
    expect(reduce(again, { t: 'reply', id: 8, ok: false, why: 'stale' }).outcome).toMatchObject({ kind: 'refused' });
  });

  test('stands until it can have been read, also when the exchange ends with it', () => {
    const moves = [{ from: 0, to: 2, count: 1, cards: ['5S'] }];
    const over = after(at(owing), DONE.given[2]('timer', 0), event(12, 'exchange_closed', { round: 2, moves }), event(13, 'trick_opened', { trick: 1, leader: 1, deadline: null }));
    expect(over.outcome).toMatchObject({ kind: 'acted', did: 'given' });
    expect(reduce(over, { t: 'outcome_read', id: over.outcome!.id }).outcome).toBeNull();
  });
});

describe('what an exchange brought', () => {
  const AFTER = { ...INITIAL.swap, got: ['5S'], from: 1 };

  test('names who gave and who got, for the giver, the taker and nobody else', () => {
    const moves = [{ from: 1, to: 0, count: 1, cards: ['2S'] }, { from: 0, to: 2, count: 1, cards: ['5S'] }];
    const opened = after(at(view({ trick: null })), event(11, 'exchange_opened', { round: 2, moves, owes: [], deadline: null }));
    expect(opened.swap).toEqual({ given: ['5S'], to: 2, got: ['2S'], from: 1 });
    const hidden = moves.map(({ from, to, count }) => ({ from: from + 1, to: 3 - to, count })).slice(0, 1);
    const others = after(at(view({ trick: null, seats: [seat(0), seat(1), seat(2), seat(3)] })), event(11, 'exchange_opened', { round: 2, moves: hidden, owes: [], deadline: null }));
    expect(others.swap).toEqual(INITIAL.swap);
  });

  test('is news in the first trick, until one’s own first play', () => {
    const first = view();
    expect(isSwapNews(first)).toBe(true);
    expect(newCards(first, AFTER)).toEqual(['5S']);
    expect(isSwapNews(after(at(first), played(11, 1, ['4D'], 10)).view as View)).toBe(true);
    expect(isSwapNews(after(at(first), played(11, 0, ['9D'], 10)).view as View)).toBe(false);
    const closed = after(at(first), event(11, 'trick_closed', { trick: 1, why: 'timer' }));
    expect(isSwapNews(closed.view as View)).toBe(false);
    const second = after(closed, event(12, 'trick_opened', { trick: 2, leader: null, deadline: 9000 })).view as View;
    expect(isSwapNews(second)).toBe(false);
    expect(newCards(second, AFTER)).toEqual([]);
    expect(isSwapNews(view({ you: null }))).toBe(false);
  });
});

describe('the selection', () => {
  const selected = (cards: string[]) => reduce(at(), { t: 'select', cards });

  test('a new trick state clears nothing that is still in hand', () => {
    expect(after(selected(['5S', '5H']), played(11, 1, ['4D'], 10)).selected).toEqual(['5S', '5H']);
  });

  test('what has left the hand is no longer selected', () => {
    expect(after(selected(['5S', '9D']), played(11, 0, ['5S'], 10)).selected).toEqual(['9D']);
  });

  test('it outlives a fresh view, as far as the hand holds it', () => {
    const state = reduce(selected(['5S', '9D']), { t: 'welcome', v: 1, table: 'x', seat: 0, seq: 20, now: 0, view: view({ you: { seat: 0, hand: ['9D'], owes: null, salted: true } }) });
    expect(state.selected).toEqual(['9D']);
  });

  test('only what is in hand can be selected', () => {
    expect(selected(['AS', '5S']).selected).toEqual(['5S']);
  });
});

test('the feed and the races keep a bounded number of events', () => {
  let state = at(view({ seats: [seat(0), seat(1, { cards: 900 }), seat(2)] }));
  for (let seq = 11; seq < 11 + 3 * FEED_LIMIT; seq += 1) state = after(state, event(seq, 'resumed', { deadline: 1 }));
  expect(state.feed).toHaveLength(FEED_LIMIT);
  expect(state.feed[FEED_LIMIT - 1]?.seq).toBe(10 + 3 * FEED_LIMIT);
});

test('an event before any view is no reason to fall', () => {
  expect(reduce(INITIAL, event(1, 'table_opened')).broken).not.toBeNull();
});

describe('turns', () => {
  const PRESI = settings({ ruleset: 'presi', mode: 'turns', options: { turning: 'order_and_direction' } });

  test('who was skipped is marked until the next play, and passes over a trick that closes', () => {
    const skipped = after(at(), played(11, 1, ['5D'], 10), event(12, 'skipped', { seat: 2, trick: 1 }));
    expect(skipped.skipped).toBe(2);
    expect(after(skipped, event(13, 'turn_began', { seat: 0, rank: null, deadline: 9000 })).skipped).toBe(2);
    expect(after(skipped, played(13, 0, ['9D'], 11)).skipped).toBeNull();
    expect(after(skipped, event(13, 'trick_closed', { trick: 1, why: 'passed' })).skipped).toBeNull();
  });

  test('the next one is who is asked behind the turn: not who passed, who is out, or whose play it is', () => {
    const trick = { number: 1, state: 11, top: { seat: 0, cards: ['5D'] }, plays: [] };
    const now = (change: Partial<View>) => view({ order: [0, 1, 2, 3], seats: [seat(0), seat(1), seat(2), seat(3)], trick, turn: 1, ...change });
    expect(nextSeat(now({}))).toBe(2);
    expect(nextSeat(now({ seats: [seat(0), seat(1), seat(2, { passed: true }), seat(3)] }))).toBe(3);
    expect(nextSeat(now({ seats: [seat(0), seat(1), seat(2, { cards: 0 }), seat(3)] }))).toBe(3);
    expect(nextSeat(now({ turn: 3 }))).toBeNull();
    expect(nextSeat(now({ order: [3, 2, 1, 0], turn: 1, trick: { ...trick, top: { seat: 3, cards: ['5D'] } } }))).toBe(0);
    expect(nextSeat(now({ turn: null }))).toBeNull();
  });

  test('people keep their chairs, unless chairs are to move with the ranks (RULES 5.2)', () => {
    const reseat = settings({ ruleset: 'escoria', mode: 'turns', options: { reseat: true, turning: 'run' } });
    expect(circleOf([2, 0, 1], false, settings({ ruleset: 'escoria' }))).toEqual([0, 1, 2]);
    expect(circleOf([2, 0, 1], false, reseat)).toEqual([2, 0, 1]);
    expect(circleOf([1, 0, 2], true, reseat)).toEqual([2, 0, 1]);
  });

  test('the direction is turned with the order, and only where there are turns', () => {
    expect(isTurnedBack(view({ settings: PRESI, revolution: true }))).toBe(true);
    expect(isTurnedBack(view({ settings: { ...PRESI, mode: 'rapid' }, revolution: true }))).toBe(false);
    expect(isTurnedBack(view({ settings: settings({ mode: 'turns' }), revolution: true }))).toBe(false);
  });
});

test('a seat that is freed between rounds leaves its title to those who stay (RULES G7)', () => {
  const roles = { 0: 'vice_asshole', 1: 'president', 2: 'asshole', 3: 'vice_president' };
  const four = view({
    phase: 'results', trick: null, order: [0, 1, 2, 3], seats: [0, 1, 2, 3].map((n) => seat(n, { role: roles[n as 0] })),
    results: { round: 1, standings: [1, 3, 0, 2], roles, points: {}, totals: {} },
  });
  const three = after(at(four), event(11, 'seat_freed', { seat: 3, why: 'left' }));
  expect(three.view?.seats.map((each) => each.role)).toEqual(['neutral', 'president', 'asshole']);
});
