import { beforeAll, describe, expect, test } from 'vitest';
import { feedLines } from '../src/i18n/feed';
import type { LogEvent, Settings, View } from '../src/protocol/types';
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

describe('the host’s changes are said in the words of the form', () => {
  const changed = (before: Settings, after_: Settings) => told(view({ phase: 'lobby', trick: null, seats: NAMED, settings: before }), event(11, 'settings_changed', { settings: after_ }));
  const PRESI = settings({ ruleset: 'presi', mode: 'turns', rounds: null, target: 11, options: { jokers: 0, three: 'lowest', wild_twos: false } });
  const HOUSE = settings({ ruleset: 'house', rounds: null, target: 11, options: { first_dealer: null } });

  test.each<[string, Settings, Settings]>([
    ['“Jokers” to 3', PRESI, { ...PRESI, options: { ...PRESI.options, jokers: 3 } }],
    ['“The three” to just below the two and “Wild twos” to on', PRESI, { ...PRESI, options: { jokers: 0, three: 'below_two', wild_twos: true } }],
    ['“First dealer” to Ben', HOUSE, { ...HOUSE, options: { first_dealer: 1 } }],
    ['“First dealer” to none', { ...HOUSE, options: { first_dealer: 1 } }, HOUSE],
    ['“Revolution” to off', settings(), settings({ variants: { ...settings().variants, revolution: false } })],
    ['“Rounds” to unlimited', settings(), settings({ rounds: 'unlimited' })],
    ['“Points to win” to until the host ends it', HOUSE, { ...HOUSE, target: 'none' }],
    ['“Mode” to Turns', settings(), settings({ mode: 'turns' })],
    ['“Rules” to Presi, “Mode” to Turns, and “Points to win” to 11', settings(), PRESI],
    ['“Most seats” to 4', settings(), settings({ seats: 4 })],
    ['“Race timer, seconds” to 5', settings(), settings({ race_seconds: 5 })],
    ['“Time to act, seconds” to 60', settings(), settings({ action_seconds: 60 })],
    ['“Stand-in after, seconds” to 0', settings(), settings({ standin_grace_seconds: 0 })],
    ['“Lost connection” to the chair waits a minute, then the game is cancelled', settings(), settings({ disconnect: 'wait' })],
    ['“Level of bots” to hard', settings(), settings({ bot_level: 'hard' })],
    ['“Who finds the table” to public: on the start page', settings(), settings({ visibility: 'public' })],
    ['“Door” to closed: nobody new sits down', settings(), settings({ door: 'closed' })],
    ['“Delay for spectators, seconds” to 30', settings(), settings({ spectator_delay_seconds: 30 })],
  ])('%s', (said, before, after_) => {
    expect(changed(before, after_)).toEqual([`The host sets ${said}`]);
  });

  test('what stays as it was is no line; what an older page kept says no more than it knows', () => {
    expect(changed(settings(), settings())).toEqual([]);
    expect(feedLines(event(11, 'settings_changed'), view()).map((line) => line.text)).toEqual(['The host changed the settings']);
  });
});
