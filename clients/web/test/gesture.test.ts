// What cannot be now is refused in words, and nothing is sent.
import { describe, expect, test, vi } from 'vitest';
import { Gestures } from '../src/play/gesture.svelte';
import { givesFirst, whyNoPass, whyNoPlay } from '../src/play/rules';
import type { View } from '../src/protocol/types';
import type { Session } from '../src/state/session.svelte';
import type { Attempt, Outcome } from '../src/state/state';
import { seat, settings, view } from './helpers';

const TURNS = settings({ mode: 'turns' });
const TRICK = { number: 1, state: 11, top: { seat: 1, cards: ['4S'] }, plays: [] };
const mine = (change: Partial<View> = {}): View => view({ settings: TURNS, turn: 0, trick: TRICK, ...change });

function hands(given: View, more: { selected?: string[]; outcome?: Outcome; pending?: Attempt['kind']; live?: boolean } = {}) {
  const { selected = ['5S'], outcome = null, pending, live = true } = more;
  const session = {
    view: given, state: { selected, outcome }, can_act: live, painted: 11, wild_rank: null,
    is_pending: (kind: string) => kind === pending, play: vi.fn(), pass: vi.fn(), refuse: vi.fn(),
  };
  return { session, gestures: new Gestures(session as unknown as Session) };
}

describe('out of one’s turn', () => {
  test.each(['play', 'pass'] as const)('a pressed %s says so and sends nothing', (kind) => {
    const { session, gestures } = hands(mine({ turn: 2 }));
    gestures[kind]();
    expect(session.refuse).toHaveBeenCalledExactlyOnceWith('not_your_turn');
    expect(session[kind]).not.toHaveBeenCalled();
  });

  test.each(['play', 'pass'] as const)('in it %s goes out and nothing is said', (kind) => {
    const { session, gestures } = hands(mine());
    gestures[kind]();
    expect(session[kind]).toHaveBeenCalledOnce();
    expect(session.refuse).not.toHaveBeenCalled();
  });

  test('nothing is said while an attempt is on its way, without a link, of no cards, or to the second click of a pass', () => {
    const away = mine({ turn: 2 });
    for (const { session, gestures } of [hands(away, { pending: 'play' }), hands(away, { live: false }), hands(away, { selected: [] })]) {
      gestures.play();
      expect(session.refuse).not.toHaveBeenCalled();
    }
    const { session, gestures } = hands(away, { outcome: { id: 1, kind: 'passed' } });
    gestures.pass();
    expect(session.refuse).not.toHaveBeenCalled();
  });
});

test('why not, in the server’s words and order (PROTOCOL 3.4)', () => {
  const passed = [seat(0, { passed: true }), seat(1), seat(2)];
  const empty = { ...TRICK, top: null };
  expect(whyNoPlay(mine({ turn: 1, seats: passed }))).toBe('already_passed');
  expect(whyNoPlay(mine({ turn: 1, seats: passed, settings: settings({ ruleset: 'house', mode: 'turns' }) }))).toBe('not_your_turn');
  expect(whyNoPlay(view({ seats: passed }))).toBe('already_passed');
  expect(whyNoPass(mine({ trick: empty }))).toBe('empty_trick');
  expect(whyNoPass(view({ trick: { ...TRICK, top: { seat: 0, cards: ['4S'] } } }))).toBe('last_player');
  for (const why of [whyNoPlay, whyNoPass]) {
    expect(why(mine({ phase: 'exchange', trick: null }))).toBeNull();
    expect(why(mine({ turn: 1, seats: [seat(0, { cards: 0 }), seat(1), seat(2)] }))).toBeNull();
    expect(why(mine({ turn: 1, you: null }))).toBeNull();
  }
});

test('who gives first in an exchange of two steps: told to the President alone, in the first alone (RULES 4.4, 5.4, 6)', () => {
  const step = (from: number, to: number, pick: 'best' | 'any', change: Partial<View> = {}) =>
    view({ phase: 'exchange', trick: null, exchange: { owes: [{ from, to, count: 1, pick }] }, ...change });
  for (const given of [settings({ ruleset: 'house' }), settings({ ruleset: 'escoria' }), settings({ ruleset: 'presi', options: { exchange: 'one_free' } })]) {
    expect(givesFirst(step(2, 0, 'best', { settings: given }))).toBe(2);
    expect(givesFirst(step(2, 1, 'best', { settings: given }))).toBeNull();
    expect(givesFirst(step(2, 0, 'any', { settings: given }))).toBeNull();
    expect(givesFirst(step(2, 0, 'best', { settings: given, you: null }))).toBeNull();
  }
  expect(givesFirst(step(2, 0, 'best', { settings: settings({ ruleset: 'presi', options: { exchange: 'checked' } }) }))).toBeNull();
});

test('what does not answer is refused here with its reason; aimed at a state that has passed it goes out, and loses its race', () => {
  const { session, gestures } = hands(view({ trick: { ...TRICK, top: { seat: 1, cards: ['TS'] }, plays: [{ seat: 1, cards: ['TS'] }] } }));
  expect(gestures.can_play).toBe(false);
  gestures.play();
  expect(session.play).not.toHaveBeenCalled();
  expect(session.refuse).toHaveBeenCalledExactlyOnceWith('too_weak');
  session.painted = 10;
  gestures.down();
  session.painted = 11;
  gestures.play();
  expect(session.play).toHaveBeenCalledExactlyOnceWith(10, ['5S']);
});
