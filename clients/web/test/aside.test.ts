// What gives way to a change is told, and comes back with what it gave way to.
import { expect, test } from 'vitest';
import type { RulesetRow } from '../src/net/api';
import { askedIn, gaveWay, withThemBack } from '../src/play/aside';
import { settings } from './helpers';

const option = (name: string, more: Partial<RulesetRow['options'][number]> = {}): RulesetRow['options'][number] => ({ name, type: 'boolean', default: false, help: '', ...more });
const row = (...options: RulesetRow['options']): RulesetRow => ({
  ruleset: 'escoria', seats: { min: 4, max: 7 }, modes: ['turns', 'rapid'], deck: null, plays_to: 'target', direction: 'clockwise', variants: ['skip'],
  roles: {}, defaults: {}, options, variants_not_in: { skip: ['rapid'] },
});
const ROW = row(option('equal'), option('skip_next', { needs: { equal: true }, not_in: ['rapid'] }), option('reseat', { not_in: ['rapid'] }), option('three_deals'));
const variants = { ...settings().variants, skip: true };
const TURNS = settings({ ruleset: 'escoria', mode: 'turns', target: 7, variants, options: { equal: true, skip_next: true, reseat: true, three_deals: false } });
const RAPID = { ...TURNS, mode: 'rapid', variants: { ...variants, skip: false }, options: { ...TURNS.options, skip_next: false, reseat: false } };
const names = (asides: { name: string }[]): string[] => asides.map((each) => each.name).sort();

test('all that changed besides is told, and nothing that was asked for', () => {
  const asides = gaveWay(TURNS, RAPID, new Set(askedIn({ mode: 'rapid' })));
  expect(names(asides)).toEqual(['reseat', 'skip', 'skip_next']);
  expect(asides.every((each) => each.was === true && each.is === false)).toBe(true);
  expect(names(gaveWay(TURNS, RAPID, new Set(askedIn({ mode: 'rapid', options: { reseat: false } }))))).toEqual(['skip', 'skip_next']);
  expect(gaveWay(TURNS, { ...TURNS }, new Set())).toEqual([]);
  expect(gaveWay(TURNS, { ...RAPID, bot_level: 'hard', seats: 4 }, new Set(['skip', 'skip_next', 'reseat']))).toEqual([]);
});

test('other rules change everything, which is no news', () => {
  expect(gaveWay(TURNS, { ...RAPID, ruleset: 'house' }, new Set(['ruleset']))).toEqual([]);
});

test('a change that is taken back brings back what gave way to it', () => {
  const asides = gaveWay(TURNS, RAPID, new Set(['mode']));
  expect(withThemBack(RAPID, ROW, { mode: 'turns' }, asides)).toEqual({ mode: 'turns', variants: { skip: true }, options: { skip_next: true, reseat: true } });
  const three = { ...TURNS, target: null, options: { ...TURNS.options, three_deals: true } };
  const gone = gaveWay(TURNS, three, new Set(askedIn({ options: { three_deals: true } })));
  expect(gone).toEqual([{ scope: 'set', name: 'target', was: 7, is: null }]);
  expect(withThemBack(three, ROW, { options: { three_deals: false } }, gone)).toEqual({ options: { three_deals: false }, target: 7 });
});

test('but not what the server would refuse meanwhile', () => {
  const now = { ...RAPID, options: { ...RAPID.options, equal: false } };
  expect(withThemBack(now, ROW, { mode: 'turns' }, gaveWay(TURNS, RAPID, new Set(['mode'])))).toEqual({ mode: 'turns', variants: { skip: true }, options: { reseat: true } });
});
