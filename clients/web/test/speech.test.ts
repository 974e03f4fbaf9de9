import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { outcomeText } from '../src/i18n/outcome';
import { RACE_PAUSE_MS, Speech } from '../src/i18n/speech';
import type { LogEvent, Settings, View } from '../src/protocol/types';
import type { TableState } from '../src/state/state';
import { after, at, event, seat, settings, speaks, view } from './helpers';

beforeAll(() => speaks('en'));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NAMED = [seat(0, { name: 'Ana' }), seat(1, { name: 'Ben' }), seat(2, { name: 'Carla' }), seat(3, { name: 'Dora' })];
const TURNS = settings({ mode: 'turns' });
const HOUSE = settings({ ruleset: 'house' });
const top = { seat: 1, cards: ['4S'] };
const lying = { number: 1, state: 10, top, plays: [top] };
const table = (change: Partial<View> = {}) => view({ seats: NAMED, order: [0, 1, 2, 3], trick: lying, ...change });

/** A page that listens: it hears each batch of events as one picture, and says what it says. */
class Listener {
  readonly said: string[] = [];
  state: TableState;
  readonly speech = new Speech((text) => this.said.push(text));

  constructor(before: View) {
    this.state = at(before);
  }

  hears(...events: [string, Record<string, unknown>?][]): this {
    const news = events.map(([type, fields], i) => event(this.state.seq + 1 + i, type, fields ?? {}));
    this.state = after(this.state, ...(news as LogEvent[]));
    expect(this.state.broken).toBeNull();
    this.speech.hear(this.state.feed.slice(-news.length), this.state.view as View, this.state.swap);
    return this;
  }

  after(ms: number): string[] {
    vi.advanceTimersByTime(ms);
    return this.said.splice(0);
  }
}

const passes = (who: number, by = 'person'): [string, Record<string, unknown>] => ['passed', { seat: who, trick: 1, by }];
const plays = (who: number, cards: string[], on = 10): [string, Record<string, unknown>] => ['played', { seat: who, cards, on, trick: 1, by: 'person', revolution: false, deadline: 1 }];

describe('an exchange is said to whom it concerns', () => {
  const before = (ruleset: Settings) => table({ phase: 'playing', trick: null, settings: ruleset });
  const opened = (owes: Record<string, unknown>[], moves: Record<string, unknown>[] = [], more = {}): [string, Record<string, unknown>] => ['exchange_opened', { round: 2, owes, moves, deadline: 30_000, ...more }];
  const PRESI = settings({ ruleset: 'presi', mode: 'turns', options: { exchange: 'checked' } });

  test('what is asked, when it is asked, with the time there is', () => {
    const said = (pick: string, count: number) => new Listener(before(PRESI)).hears(opened([{ from: 0, to: 1, count, pick }])).after(0);
    expect(said('best', 1)).toEqual(['Give your best card to Ben. You have 30 seconds']);
    expect(said('worst', 2)).toEqual(['Give your 2 worst cards to Ben. You have 30 seconds']);
    expect(said('any', 2)).toEqual(['Give 2 cards of your choice to Ben. You have 30 seconds']);
  });

  test('what was received and what was taken, at the opening and at the end', () => {
    const president = new Listener(before(settings())).hears(opened([{ from: 0, to: 1, count: 2, pick: 'any' }], [{ from: 1, to: 0, count: 2, cards: ['2S', 'AD'] }]));
    expect(president.after(0)).toEqual(['You got two of spades and ace of diamonds from Ben. Give 2 cards of your choice to Ben. You have 30 seconds']);
    president.hears(['given', { from: 0, to: 1, count: 2, cards: ['5S', '5H'], by: 'person' }]);
    expect(president.after(0)).toEqual(['You gave five of spades and five of hearts to Ben']);
    const last = new Listener(before(settings())).hears(opened([{ from: 1, to: 0, count: 1, pick: 'any' }], [{ from: 0, to: 1, count: 1, cards: ['9D'] }]));
    expect(last.after(0)).toEqual(['The server took nine of diamonds from you for Ben']);
    // The last word of the exchange and the first trick come together; so they do in a race.
    last.hears(['given', { from: 1, to: 0, count: 1, by: 'bot' }], ['exchange_closed', { round: 2, moves: [{ from: 1, to: 0, count: 1, cards: ['3H'] }] }], ['trick_opened', { trick: 1, leader: null, deadline: 9 }]);
    expect(last.after(0)).toEqual(['You got three of hearts from Ben']);
  });

  test('in two steps: what comes first, then what is asked', () => {
    const first = new Listener(before(HOUSE)).hears(opened([{ from: 1, to: 0, count: 1, pick: 'best' }], [], { step: 1 }));
    expect(first.after(0)).toEqual(['First Ben gives you a card. Then you return any one.']);
    const moves = [{ from: 1, to: 0, count: 1, cards: ['2S'] }];
    first.hears(['given', { from: 1, to: 0, count: 1, by: 'person' }], ['exchange_closed', { round: 2, step: 1, moves }], opened([{ from: 0, to: 1, count: 1, pick: 'any' }], [], { step: 2 }));
    expect(first.after(0)).toEqual(['You got two of spades from Ben. Give 1 card of your choice to Ben. You have 30 seconds']);
  });

  test('whom it does not concern hears so once, and a spectator nothing', () => {
    const beside = new Listener(before(HOUSE)).hears(opened([{ from: 1, to: 2, count: 1, pick: 'best' }], [], { step: 1 }));
    expect(beside.after(0)).toEqual(['You exchange nothing this time.']);
    beside.hears(['given', { from: 1, to: 2, count: 1, by: 'person' }], ['exchange_closed', { round: 2, step: 1, moves: [{ from: 1, to: 2, count: 1 }] }], opened([{ from: 2, to: 1, count: 1, pick: 'any' }], [], { step: 2 }));
    expect(beside.after(5_000)).toEqual([]);
    expect(new Listener({ ...before(HOUSE), you: null }).hears(opened([{ from: 1, to: 2, count: 1, pick: 'best' }])).after(5_000)).toEqual([]);
  });
});

describe('passes', () => {
  test('with turns each is said, and before one’s own turn', () => {
    const turns = new Listener(table({ settings: TURNS, turn: 2 }));
    expect(turns.hears(passes(2), ['turn_began', { seat: 3, rank: null, deadline: 9 }]).after(0)).toEqual(['Carla passes']);
    expect(turns.hears(passes(3), ['turn_began', { seat: 0, rank: null, deadline: 9 }]).after(0)).toEqual(['Dora passes. Your turn, on a single four by Ben.']);
  });

  test('what the server did in one’s place is not said a second time', () => {
    const turns = new Listener(table({ settings: TURNS, turn: 0 }));
    expect(turns.hears(passes(0, 'timer')).hears(['played', { ...plays(0, ['5S'])[1], by: 'timer' }]).after(0)).toEqual([]);
    expect(turns.hears(passes(2, 'timer')).after(0)).toEqual(['Timer passes for Carla']);
  });

  test('that come together are one line; a trick that closes says it by itself', () => {
    expect(new Listener(table({ settings: TURNS })).hears(passes(2), passes(3)).after(0)).toEqual(['Carla and Dora pass']);
    expect(new Listener(table({ settings: TURNS })).hears(passes(3), ['trick_closed', { trick: 1, why: 'passed' }]).after(0)).toEqual(['Closed: nobody else answered']);
  });

  test.each([['rapid', settings()], ['turns', TURNS]])('one’s own is answered at once, and not lost when it closes the trick: %s', (_, mode) => {
    const own = new Listener(table({ settings: mode as Settings })).hears(passes(0), ['trick_closed', { trick: 1, why: 'passed' }]);
    expect(own.after(0)).toEqual(['You passed. Closed: nobody else answered']);
  });

  test('in a race they wait for one another, and never hold up a play', () => {
    const race = new Listener(table()).hears(passes(2));
    expect(race.after(100)).toEqual([]);
    expect(race.hears(passes(3)).after(RACE_PAUSE_MS)).toEqual(['Carla and Dora pass']);
    expect(race.hears(plays(1, ['6S'])).after(0)).toEqual(['Ben: a single six']);
  });

  test('in a race what can be acted on comes first, also among the plays that are said sparingly', () => {
    const race = new Listener(table()).hears(passes(2)).hears(plays(1, ['6S']));
    expect(race.after(0)).toEqual(['Ben: a single six. Carla passes']);
    race.hears(plays(3, ['7S'], 12)).hears(passes(1)).hears(plays(3, ['8S'], 13));
    expect(race.after(RACE_PAUSE_MS - 1)).toEqual([]);
    expect(race.after(1)).toEqual(['Dora: a single eight. Ben passes']);
  });

  test('a race that does not stop keeps no more than it will say', () => {
    const race = new Listener(table());
    race.hears(plays(1, ['6S'])).after(0);
    for (let i = 0; i < 50; i++) race.hears(passes(2), ['trick_closed', { trick: 1, why: 'timer' }], ['trick_opened', { trick: 1, leader: null, deadline: 9 }]);
    expect((race.speech as unknown as { due: LogEvent[] }).due).toHaveLength(1);
    expect(race.after(RACE_PAUSE_MS)).toEqual(['Closed by the timer']);
  });

  test('in a race a play says nothing of passes that it wiped, nor a closing of any', () => {
    expect(new Listener(table({ settings: HOUSE })).hears(passes(2)).hears(plays(1, ['6S'])).after(RACE_PAUSE_MS)).toEqual(['Ben: a single six']);
    expect(new Listener(table()).hears(passes(2)).hears(['trick_closed', { trick: 1, why: 'timer' }]).after(RACE_PAUSE_MS)).toEqual(['Closed by the timer']);
  });
});

test('what the server did in one’s place is said in full', () => {
  const said = (did: 'opened' | 'played' | 'passed' | 'given', cards: string[]) => outcomeText({ id: 1, kind: 'acted', did, cards }, table(), true);
  expect(said('opened', ['5S'])).toBe('Time ran out: the server opened with a single five for you');
  expect(said('played', ['8S', '8H'])).toBe('Time ran out: the server played pair of eights for you');
  expect(said('passed', [])).toBe('Time ran out: the server passed for you');
  expect(said('given', ['3S', '4H'])).toBe('Time ran out: the server gave three of spades and four of hearts for you');
  expect(outcomeText({ id: 1, kind: 'acted', did: 'given', cards: ['3S', 'TH'] }, table())).toBe('Time ran out: the server gave 3, 10 for you');
});
