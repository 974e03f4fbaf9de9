import { beforeAll, describe, expect, test } from 'vitest';
import { feedLines } from '../src/i18n/feed';
import type { LogEvent, View } from '../src/protocol/types';
import { after, at, event, seat, settings, speaks, view } from './helpers';

beforeAll(() => speaks('en'));

const NAMED = [seat(0, { name: 'Ana' }), seat(1, { name: 'Ben' }), seat(2, { name: 'Bot 3', kind: 'bot' })];
const lying = { number: 1, state: 10, top: { seat: 0, cards: ['4S'] }, plays: [{ seat: 0, cards: ['4S'] }] };

/** The lines of the last of these events, which come to a table one by one. */
function told(before: View, ...events: LogEvent[]): string[] {
  const state = after(at(before), ...events);
  expect(state.broken).toBeNull();
  return feedLines(state.feed[state.feed.length - 1] as LogEvent, state.view as View).map((line) => line.text);
}

describe('who acted is said as it was', () => {
  const played = (who: number, by: string) => event(11, 'played', { seat: who, cards: ['8D', '8C'], on: 10, trick: 1, by, revolution: false, deadline: null });
  const passed = (who: number, by: string) => event(11, 'passed', { seat: who, trick: 1, by });
  const given = (who: number, by: string) => event(11, 'given', { from: who, to: 0, count: 2, by });
  const empty = { ...lying, top: null, plays: [] };
  const LINES: Record<string, string[]> = {
    person: ['Ben: pair of eights', 'Ben: pair of eights', 'Ben passes', 'Ben gives 2 cards to Ana'],
    timer: ['Timer opens for Ben: pair of eights', 'Timer plays for Ben: pair of eights', 'Timer passes for Ben', 'Timer gives 2 cards to Ana for Ben'],
    standin: ['Ben (stand-in): pair of eights', 'Ben (stand-in): pair of eights', 'Ben (stand-in) passes', 'Ben (stand-in) gives 2 cards to Ana'],
    bot: ['Ben (bot): pair of eights', 'Ben (bot): pair of eights', 'Ben (bot) passes', 'Ben (bot) gives 2 cards to Ana'],
  };
  const ways = Object.entries(LINES).flatMap(([by, lines]) => ['rapid', 'turns'].map((mode) => [by, mode, lines] as const));

  test.each(ways)('%s, %s', (by, mode, lines) => {
    const table = (change: Partial<View>) => view({ settings: settings({ mode }), seats: NAMED, ...change });
    const exchange = table({ phase: 'exchange', trick: null, exchange: { owes: [{ from: 1, to: 0, count: 2, pick: 'any' }] } });
    expect([
      ...told(table({ trick: empty }), played(1, by)), ...told(table({ trick: lying }), played(1, by)),
      ...told(table({ trick: lying }), passed(1, by)), ...told(exchange, given(1, by)),
    ]).toEqual(lines);
  });

  test('a bot in its own chair goes by its name', () => {
    const table = view({ seats: NAMED, trick: lying });
    expect([...told(table, played(2, 'bot')), ...told(table, passed(2, 'bot'))]).toEqual(['Bot 3: pair of eights', 'Bot 3 passes']);
  });
});

describe('all that changes hands is listed, with the cards for those who may know them', () => {
  const table = view({ seats: NAMED, trick: null, you: { seat: 0, hand: ['5S', '5H', '9D'], owes: null, salted: true } });
  const opened = (moves: Record<string, unknown>[]) => event(11, 'exchange_opened', { round: 2, moves, owes: [], deadline: null });
  const closed = (moves: Record<string, unknown>[]) => event(12, 'exchange_closed', { round: 2, moves });
  const owed = opened([]);

  test('what the server takes: one’s own, and that of others', () => {
    expect(told(table, opened([{ from: 0, to: 2, count: 2, cards: ['9D', '5H'] }, { from: 1, to: 0, count: 1, cards: ['AS'] }, { from: 2, to: 1, count: 1 }]))).toEqual([
      'Exchange', 'The server takes nine of diamonds and five of hearts from Ana for Bot 3', 'The server takes ace of spades from Ben for Ana', 'The server takes 1 card from Bot 3 for Ben',
    ]);
  });

  test('what one gives, and what one gets once it moves; what others give only once', () => {
    const gave = event(12, 'given', { from: 0, to: 2, count: 1, cards: ['5S'], by: 'person' });
    expect(told(table, owed, gave)).toEqual(['Ana gives five of spades to Bot 3']);
    expect(told(table, owed, { ...gave, by: 'timer' })).toEqual(['Timer gives five of spades to Bot 3 for Ana']);
    expect(told(table, owed, closed([{ from: 2, to: 0, count: 2, cards: ['3S', '3H'] }, { from: 1, to: 2, count: 1 }]))).toEqual(['Ana gets three of spades and three of hearts from Bot 3']);
    expect(told({ ...table, you: null }, owed, closed([{ from: 2, to: 0, count: 2 }]))).toEqual([]);
  });

  test('a page that was loaded anew knows how many, and no cards', () => {
    const kept = event(11, 'exchange_closed', { moves: [{ from: 2, to: 0, count: 2 }], names: { 2: 'Bot 3', 0: 'Ana' } });
    expect(feedLines(kept, table).map((line) => line.text)).toEqual(['Ana gets 2 cards from Bot 3']);
  });
});
