// The rules of a table in words: for every ruleset what a newcomer asks, and nothing that is not so there.
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { locale } from '../src/i18n/i18n.svelte';
import { endNow, gameOf, optionsOf, rulesOf, timesOf, titlesText } from '../src/i18n/rules';
import { rankKeys, rankName, titleName } from '../src/i18n/words';
import { groups, rankForKey } from '../src/play/hand';
import { factsOf, roundsOf } from '../src/play/rules';
import { titlesOf } from '../src/play/titles';
import type { OptionValue, Settings } from '../src/protocol/types';
import { seat, settings, view } from './helpers';

vi.stubGlobal('document', { documentElement: {} });
vi.stubGlobal('navigator', { languages: [] });
afterAll(() => void vi.unstubAllGlobals());

const LANGS = ['en', 'es'];
const RULESETS = ['president', 'presi', 'house', 'escoria'];
const table = (ruleset: string, mode: string, options: Record<string, OptionValue> = {}, more: Partial<Settings> = {}): Settings =>
  settings({ ruleset, mode, options, ...(ruleset === 'president' ? {} : { rounds: null, target: 11 }), ...more });
const TABLES = RULESETS.flatMap((ruleset) => ['turns', 'rapid'].map((mode) => [ruleset, mode] as const));
const text = (key: string): string => locale.tx(key, { n: 60 }) ?? key;

describe.each(LANGS)('in %s', (lang) => {
  beforeEach(() => locale.load(lang));

  test.each(TABLES)('%s, %s: what a play is, when a trick closes, who leads the next, how the game is won', (ruleset, mode) => {
    const given = table(ruleset, mode);
    const told = [...rulesOf(given), ...gameOf(given)];
    for (const key of ['rules.combination', `rules.closes.${mode}`, `rules.next.${mode}`]) expect(told).toContain(text(key));
    expect(told).toContain(text(ruleset === 'presi' ? 'rules.win.alone' : 'rules.win.shared'));
  });

  test('what becomes of a lost connection, by the policy', () => {
    expect(timesOf(table('presi', 'turns', {}, { disconnect: 'wait' }))).toContain(text('rules.lost.wait'));
    expect(timesOf(table('presi', 'turns', {}, { standin_grace_seconds: 60 }))).toContain(text('rules.lost.standin'));
    expect(text('set.disconnect.wait')).toMatch(/cancel/);
  });

  test('the order that runs turn is told as it is: the ace at both ends', () => {
    for (const mode of ['turns', 'rapid']) {
      const told = rulesOf(table('escoria', mode, { equal: true, turning: 'run' }));
      expect(told).toContain(text('rules.turning.ace.order'));
      expect(told.join()).not.toContain(text('rules.turning.order'));
      expect(told.join()).not.toContain(text('rules.turning.both'));
      expect(rulesOf(table('escoria', mode, { turning: 'order' }))).not.toContain(text('rules.turning.ace.order'));
    }
    const said = text('rules.turning.ace.order');
    const places = ['A', '2', '3', '4', 'K'].map((rank) => said.indexOf(rankName(rank)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(said.indexOf(rankName('A'), (places[4] ?? 0) + 1)).toBeGreaterThan(0);
  });

  test('titles stand by the number of seats, equal ones together', () => {
    expect(titlesText({ 3: ['president', 'neutral', 'asshole'], 4: ['president', 'vice_president', 'vice_asshole', 'asshole'] })).toHaveLength(2);
    const house = titlesText({ 4: ['president', 'vice_president', 'place_3', 'place_4'], 5: ['president', 'vice_president', 'place_3', 'place_4', 'place_5'] });
    expect(house).toEqual([locale.t('rules.titles.range', { from: 4, to: 5, names: `${text('role.president')}, ${text('role.vice_president')}, ${text('rules.titles.rest')}` })]);
    expect(titlesText({})).toEqual([]);
  });

  test('what a joker is stands in the list only where there is one', () => {
    const listed = (jokers: number) => optionsOf(table('presi', 'turns', { jokers, joker: 'wild' })).filter((line) => line.startsWith(text('option.joker') + ':'));
    expect([listed(0).length, listed(2).length]).toEqual([0, 1]);
  });

  test('the list of options tells nothing that a race has no use for, and who deals by name', () => {
    const given = { leader: 'culo', reseat: false, skip_next: false, first_dealer: 2, equal: true };
    const listed = (mode: string) => optionsOf(table('escoria', mode, given), view({ seats: [seat(2, { name: 'Bot 3' })] })).map((line) => line.split(': '));
    const names = (mode: string) => listed(mode).map(([name]) => name);
    const turns_only = ['leader', 'reseat', 'skip_next'].map((name) => text(`option.${name}`));
    expect(names('turns')).toEqual(expect.arrayContaining(turns_only));
    expect(names('rapid').filter((name) => turns_only.includes(name ?? ''))).toEqual([]);
    expect(listed('rapid')).toContainEqual([text('option.first_dealer'), 'Bot 3']);
  });

  test('what a game is for stands apart from how long all takes', () => {
    for (const [ruleset, mode] of TABLES) {
      const [game, times] = [gameOf(table(ruleset, mode)), timesOf(table(ruleset, mode))];
      expect(game).toHaveLength(3);
      expect(times.filter((line) => game.includes(line))).toEqual([]);
      expect(game.join()).not.toMatch(/\d s\b/);
    }
  });

  test('what ending a game now does hangs on what it is played to (RULES G4)', () => {
    const asked = (ruleset: string, more: Partial<Settings>, options: Record<string, OptionValue> = {}) => endNow(table(ruleset, 'turns', options, more));
    const leader = text('results.end.sure.leader');
    expect([asked('president', { rounds: 'unlimited' }), asked('escoria', { target: 'none' })]).toEqual([leader, leader]);
    const stopped = lang === 'en' ? /without a winner/ : /sin ganador/;
    for (const [said, n] of [[asked('president', { rounds: 5 }), 5], [asked('presi', { target: 11 }), 11], [asked('house', { target: null }, { three_deals: true }), 3]] as const) {
      expect(said).toMatch(stopped);
      expect(said).toContain(String(n));
    }
    expect(leader).not.toMatch(stopped);
  });

  test('a title is told, a mere place is not', () => {
    for (const ruleset of RULESETS) {
      const said = titlesOf(ruleset, 5).map(titleName);
      expect(said.map((name) => name === '')).toEqual([0, 1, 2, 3, 4].map((place) => ruleset === 'house' && place > 1));
    }
    expect(titleName(null)).toBe('');
  });

  test('the keys that are listed pick every rank of the deck, each another', () => {
    for (const given of [table('house', 'turns'), table('presi', 'turns'), table('presi', 'turns', { deck: 'spanish40' })]) {
      const facts = factsOf(given);
      const keys = rankKeys(facts);
      const spread = keys.flatMap((key, i) => (key === '…' ? between(keys[i - 1], keys[i + 1]) : [key]));
      const picked = spread.map((key) => rankForKey(key, facts));
      expect([...picked].sort()).toEqual([...facts.order].sort());
    }
  });

  test('a court card of Spanish decks is called by the first letter that its key has', () => {
    const facts = factsOf(table('presi', 'turns'));
    const initials = { 10: rankName('10')[0], 11: lang === 'en' ? 'n' : rankName('11')[0], 12: rankName('12')[0] };
    for (const [rank, key] of Object.entries(initials)) {
      expect(rankKeys(facts).map((each) => each.toLowerCase())).toContain(key);
      expect(rankForKey(key ?? '', facts)).toBe(rank);
    }
  });
});

const between = (from = '', to = ''): string[] => Array.from({ length: Number(to) - Number(from) - 1 }, (_, i) => String(Number(from) + 1 + i));

test('x and * pick a joker', () => {
  const facts = factsOf(table('presi', 'turns', { jokers: 1 }));
  expect(['x', 'X', '*'].map((key) => rankForKey(key, facts))).toEqual(['*', '*', '*']);
  expect(groups(['*1'], facts)[0]?.rank).toBe('*');
});

test('no help of an option speaks of what its ruleset does not offer', () => {
  for (const lang of LANGS) {
    const texts = JSON.parse(readFileSync(new URL(`../src/i18n/locales/${lang}.json`, import.meta.url), 'utf8')) as Record<string, string>;
    expect(texts['option.turning.help.presi']).not.toMatch(/single|run|suelt|seguid/i);
    expect(texts['option.jokers.help.escoria']).not.toMatch(/wild|cualquier/i);
    expect(texts['ruleset.escoria.help']).not.toMatch(/seats follow|sitios siguen/);
  }
});

test('how many rounds a game has, wherever that is set', () => {
  expect(roundsOf(table('president', 'rapid', {}, { rounds: 7 }))).toBe(7);
  expect(roundsOf(table('president', 'rapid', {}, { rounds: 'unlimited' }))).toBeNull();
  expect(roundsOf(table('house', 'turns', { three_deals: true }, { target: null }))).toBe(3);
  expect(roundsOf(table('house', 'turns', { three_deals: false }))).toBeNull();
});
