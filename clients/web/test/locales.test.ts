import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fill, type Texts } from '../src/i18n/i18n.svelte';

const FOLDER = new URL('../src/i18n/locales/', import.meta.url);
const files = readdirSync(FOLDER);
const texts = (file: string): Texts => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Texts;
const english = texts('en.json');
const params = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1] as string))].sort();

function sources(folder: URL): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? sources(new URL(`${entry.name}/`, folder))
      : /\.(ts|svelte)$/.test(entry.name) ? [readFileSync(new URL(entry.name, folder), 'utf8')] : [],
  );
}

test('there are two languages at least', () => {
  expect(files).toEqual(expect.arrayContaining(['en.json', 'es.json']));
});

describe.each(files)('%s', (file) => {
  const own = texts(file);

  test('has every key, and none besides', () => {
    expect(Object.keys(own).sort()).toEqual(Object.keys(english).sort());
  });

  test('says something under each, with the same parameters', () => {
    for (const [key, text] of Object.entries(own)) {
      expect(text.trim(), key).not.toBe('');
      expect(params(text), key).toEqual(params(english[key] ?? ''));
    }
  });

  test('has a key for every text the source asks for', () => {
    const asked = sources(new URL('../src/', import.meta.url)).flatMap((source) =>
      [...source.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1] as string),
    );
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => own[key] === undefined)).toEqual([]);
  });

  test('names and explains every ruleset, mode, variant and setting of the protocol', () => {
    const SETTINGS = 'ruleset mode rounds target seats race_seconds action_seconds standin_grace_seconds disconnect bot_level visibility door spectator_delay_seconds variants options'.split(' ');
    const keys = [
      ...['president', 'presi', 'house', 'escoria'].flatMap((name) => [`ruleset.${name}`, `ruleset.${name}.help`]),
      ...['rapid', 'turns'].flatMap((name) => [`mode.${name}`, `mode.${name}.help`]),
      ...['revolution', 'four_closes', 'strongest_closes', 'finish_with_two', 'skip'].flatMap((name) => [`variant.${name}`, `variant.${name}.help`]),
      ...SETTINGS.map((name) => `set.${name}`),
    ];
    expect(keys.filter((key) => own[key] === undefined)).toEqual([]);
  });

  test('has words for every refusal, closing, end, phase and final close (PROTOCOL 3)', () => {
    const WHY = 'malformed rate_limited unavailable spectator not_host wrong_phase not_your_cards not_a_combination stale not_in_round already_passed not_your_turn wrong_count must_match_rank too_weak empty_trick last_player nothing_owed already_given wrong_cards too_few full no_such_seat bad_settings'.split(' ');
    const CLOSED = 'round_over killer four strongest finish passed timer'.split(' ');
    const ENDED = 'rounds target ended stopped interrupted cancelled'.split(' ');
    const keys = [
      ...WHY.map((why) => `why.${why}`), ...CLOSED.map((why) => `feed.trick_closed.${why}`), ...ENDED.map((why) => `final.why.${why}`),
      ...['lobby', 'exchange', 'playing', 'results', 'final', 'closed'].map((phase) => `phase.${phase}`),
      ...['left', 'closed', 'removed', 'no_table', 'bad_token', 'bad_hello'].map((why) => `link.final.${why}`),
    ];
    expect(keys.filter((key) => own[key] === undefined)).toEqual([]);
  });
});

test('plurals follow the language', () => {
  expect(fill('{n} {n|card|cards}', { n: 1 }, 'en')).toBe('1 card');
  expect(fill('{n} {n|carta|cartas}', { n: 0 }, 'es')).toBe('0 cartas');
});
