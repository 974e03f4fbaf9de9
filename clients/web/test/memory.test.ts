import { beforeEach, expect, test, vi } from 'vitest';
import { dropTable, keepTable, keptTable } from '../src/state/memory';
import { reduce } from '../src/state/reduce';
import { INITIAL } from '../src/state/state';
import { after, at, event, view } from './helpers';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});

const PLAYED = event(11, 'played', { seat: 1, cards: ['5D'], on: 10, trick: 1, by: 'person', revolution: false, deadline: 9000 });
const LATE = event(12, 'race_lost', { seat: 2, on: 10, late_ms: 7 });
const PASSED = event(13, 'passed', { seat: 2, trick: 1, by: 'person' });

test('a page that is loaded anew goes on where it stood: no line is lost and none is doubled', () => {
  keepTable(after(at(), PLAYED, LATE));
  const kept = keptTable('abcdefghijk');
  const again = after(reduce(kept, { t: 'welcome', v: 1, table: 'abcdefghijk', seat: 0, seq: 12, now: 0, view: null }), PASSED);
  expect(again.broken).toBeNull();
  expect(again.feed.map((each) => each.seq)).toEqual([11, 12, 13]);
  expect(again.races).toEqual(after(at(), PLAYED, LATE).races);
});

test('a whole view instead keeps the lines, and says that some are missing if they are', () => {
  keepTable(after(at(), PLAYED));
  const welcome = (seq: number) => reduce(keptTable('abcdefghijk'), { t: 'welcome', v: 1, table: 'abcdefghijk', seat: 0, seq, now: 0, view: view() });
  expect(welcome(11).feed.map((each) => each.type)).toEqual(['played']);
  expect(welcome(20).feed.map((each) => each.type)).toEqual(['played', 'missed']);
});

test('who watched and takes a seat keeps the lines as they are', () => {
  const watched = after(at(), PLAYED);
  const seated = reduce({ ...INITIAL, feed: watched.feed }, { t: 'welcome', v: 1, table: 'abcdefghijk', seat: 0, seq: 11, now: 0, view: view() });
  expect(seated.feed).toEqual(watched.feed);
});

test('the activity keeps no card of a hand', () => {
  const dealt = event(11, 'dealt', { round: 2, deal: 2, order: [0, 1, 2], hands: { 0: ['3S'] }, counts: { 0: 1, 1: 1, 2: 1 } });
  const given = event(12, 'given', { from: 0, to: 1, count: 1, cards: ['3S'], by: 'person' });
  const moves = [{ from: 0, to: 1, count: 1, cards: ['3S'] }];
  const moved = ['exchange_opened', 'exchange_closed'].map((type, i) => event(13 + i, type, { moves }));
  keepTable({ ...at(), feed: [dealt, given, ...moved] });
  const { feed } = keptTable('abcdefghijk');
  expect(JSON.stringify(feed)).not.toContain('3S');
  // Who gave how many to whom is kept.
  for (const each of feed.slice(2)) expect(each['moves']).toEqual([{ from: 0, to: 1, count: 1 }]);
});

test('another table, another seat or an end gives nothing back', () => {
  keepTable(at());
  expect(keptTable('zzzzzzzzzzz')).toBe(INITIAL);
  const other = reduce(keptTable('abcdefghijk'), { t: 'welcome', v: 1, table: 'abcdefghijk', seat: 1, seq: 10, now: 0, view: null });
  expect(other.broken).not.toBeNull();
  dropTable();
  expect(keptTable('abcdefghijk')).toBe(INITIAL);
  sessionStorage.setItem('rapid.table', '{"v":1');
  expect(keptTable('abcdefghijk')).toBe(INITIAL);
});
