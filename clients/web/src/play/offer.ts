// What the settings form offers, and why something does not apply now, from the rows of `/api/rulesets` alone.
import { t, tx } from '../i18n/i18n.svelte';
import type { RulesetOption, RulesetRow } from '../net/api';
import type { OptionValue, Seat, Settings } from '../protocol/types';
import { isIdle } from './rules';

export interface Field {
  type: RulesetOption['type'];
  choices?: string[];
  min?: number;
  max?: number;
  help?: string;
  /** a word that may stand instead of a number, its text's key, and the number that takes its place again */
  word?: string;
  word_key?: string;
  otherwise?: number;
}

export interface Offered extends Field {
  name: string;
  value: OptionValue;
}

/** Chairs that a table must have: one more than the highest seat taken. */
export const chairsTaken = (seats: readonly Seat[]): number => Math.max(0, ...seats.map((each) => each.seat + 1));

/** Rounds or target, whichever the ruleset plays to, and the number of seats. */
export function offered(settings: Settings, row: RulesetRow, taken = 0): Offered[] {
  const least = Math.max(row.seats.min, taken);
  const seats: Offered = { name: 'seats', type: 'integer', min: least, max: row.seats.max, value: settings.seats };
  if (row.plays_to === 'rounds') {
    const word = { word: 'unlimited', word_key: 'set.unlimited', otherwise: 5 };
    return [{ name: 'rounds', type: 'integer', min: 1, max: 50, value: settings.rounds, ...word }, seats];
  }
  const defaults = row.defaults.target;
  const otherwise = typeof defaults === 'number' ? defaults : 11;
  const open = row.endless ? { word: 'none', word_key: 'set.target.none', otherwise } : {};
  if (settings.target === null) return [seats];
  return [{ name: 'target', type: 'integer', min: 1, max: 99, value: settings.target, ...open }, seats];
}

/** Two things that cannot be as they are: `of` asks something of `by`, or of the mode. */
interface Clash {
  of: string;
  by: string | null;
  kind: 'mode' | 'needs' | 'excludes';
}

function isOn(settings: Settings, row: RulesetRow, name: string): boolean {
  const option = row.options.find((each) => each.name === name);
  if (option === undefined) return settings.variants[name] === true;
  return (settings.options[name] ?? option.default) !== option.default;
}

function valueOf(settings: Settings, row: RulesetRow, name: string): OptionValue {
  const option = row.options.find((each) => each.name === name);
  return settings.options[name] ?? option?.default ?? settings.variants[name] ?? null;
}

function notIn(row: RulesetRow, name: string): string[] {
  return row.options.find((each) => each.name === name)?.not_in ?? row.variants_not_in?.[name] ?? [];
}

/** What contradicts itself in these settings, or null: what the server would refuse by name. */
function clashIn(settings: Settings, row: RulesetRow): Clash | null {
  for (const option of row.options) {
    if (!isOn(settings, row, option.name)) continue;
    const needs = { ...option.needs, ...option.choice_needs?.[String(valueOf(settings, row, option.name))] };
    const lacks = Object.entries(needs).find(([name, wanted]) => valueOf(settings, row, name) !== wanted);
    if (lacks !== undefined) return { of: option.name, by: lacks[0], kind: 'needs' };
    const clash = option.excludes?.find((name) => isOn(settings, row, name));
    if (clash !== undefined) return { of: option.name, by: clash, kind: 'excludes' };
  }
  return null;
}

const nameOf = (name: string): string => tx(`option.${name}`) ?? tx(`variant.${name}`) ?? name;

function laid(settings: Settings, row: RulesetRow, name: string, value: OptionValue): Settings {
  if (row.options.some((each) => each.name === name)) return { ...settings, options: { ...settings.options, [name]: value } };
  return { ...settings, variants: { ...settings.variants, [name]: value === true } };
}

/** Why this option or variant cannot be given that value as things stand, or null. */
export function refusal(settings: Settings, row: RulesetRow, name: string, value: OptionValue): string | null {
  const next = laid(settings, row, name, value);
  // Jumping in knows no next player (RULES R10, 7).
  if (notIn(row, name).includes(settings.mode)) return isOn(next, row, name) ? t('lobby.settings.not_in_mode') : null;
  const clash = clashIn(next, row);
  if (clash === null) return null;
  const other = nameOf((clash.of === name ? clash.by : clash.of) ?? '');
  if (clash.kind === 'excludes') return t('lobby.settings.excluded', { name: other });
  return t(clash.of === name ? 'lobby.settings.needs' : 'lobby.settings.needed', { name: other });
}

/** The values that can be chosen by name; numbers and seats can all be. */
function valuesOf(row: RulesetRow, name: string): OptionValue[] {
  const option = row.options.find((each) => each.name === name);
  if (option?.type === 'choice') return option.choices ?? [];
  if (option?.type === 'integer') return Array.from({ length: (option.max ?? 0) - (option.min ?? 0) + 1 }, (_, i) => i + (option.min ?? 0));
  return option === undefined || option.type === 'boolean' ? [false, true] : [];
}

/** Why this option or variant cannot be changed at all, or null. */
export function whyNot(settings: Settings, row: RulesetRow, name: string): string | null {
  if (isIdle(settings, name)) return t('lobby.settings.needs', { name: nameOf('jokers') });
  const present = valueOf(settings, row, name);
  const others = valuesOf(row, name).filter((value) => value !== present);
  const whys = others.map((value) => refusal(settings, row, name, value));
  return whys.length > 0 && whys.every((why) => why !== null) ? (whys[0] as string) : null;
}

/** Why the table cannot be of this ruleset now, or null: people keep their chairs. */
export function rulesetRefusal(row: RulesetRow, taken: number): string | null {
  return row.seats.max < taken ? t('lobby.settings.chairs', { n: taken }) : null;
}
