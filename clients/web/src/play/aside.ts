// What a change of one setting changes besides, since things that cannot hold together give way (RULES R10, 4.6, 7).
import type { RulesetRow } from '../net/api';
import type { OptionValue, Settings } from '../protocol/types';
import { refusal } from './offer';

export interface Aside {
  scope: 'set' | 'variant' | 'option';
  name: string;
  was: OptionValue;
  is: OptionValue;
}

/** What may give way: what kind it is, its name and its value. */
const yielding = (settings: Settings): [Aside['scope'], string, OptionValue][] => [
  ['set', 'target', settings.target],
  ...Object.entries(settings.variants).map(([name, on]): [Aside['scope'], string, OptionValue] => ['variant', name, on]),
  ...Object.entries(settings.options).map(([name, value]): [Aside['scope'], string, OptionValue] => ['option', name, value]),
];

/** What is not as it was, though nobody asked for it. Other rules change everything: that is seen. */
export function gaveWay(before: Settings, now: Settings, asked: ReadonlySet<string>): Aside[] {
  if (before.ruleset !== now.ruleset) return [];
  const old = new Map(yielding(before).map(([, name, value]) => [name, value]));
  return yielding(now)
    .filter(([, name, value]) => !asked.has(name) && old.get(name) !== value)
    .map(([scope, name, is]) => ({ scope, name, was: old.get(name) ?? null, is }));
}

export type Change = Partial<Omit<Settings, 'variants' | 'options'>> & { variants?: Settings['variants']; options?: Settings['options'] };

/** A change, and with it what had given way to the one that it takes back, as far as that fits. */
export function withThemBack(settings: Settings, row: RulesetRow, change: Change, asides: readonly Aside[]): Change {
  let result = change;
  for (const { scope, name, was } of asides) {
    const { variants, options } = result;
    const next = { ...settings, ...result, variants: { ...settings.variants, ...variants }, options: { ...settings.options, ...options } };
    if (scope === 'set') result = { ...result, [name]: was };
    else if (refusal(next, row, name, was) !== null) continue;
    else if (scope === 'variant') result = { ...result, variants: { ...variants, [name]: was === true } };
    else result = { ...result, options: { ...options, [name]: was } };
  }
  return result;
}

/** The names of all that a change asks for. */
export const askedIn = (change: Change): string[] => [
  ...Object.keys(change), ...Object.keys(change.variants ?? {}), ...Object.keys(change.options ?? {}),
];
