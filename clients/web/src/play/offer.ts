// What the settings form offers, and why an option does not apply now, from the rows of `/api/rulesets`.
import { t, tx } from '../i18n/i18n.svelte';
import type { RulesetOption, RulesetRow } from '../net/api';
import type { OptionValue, Settings } from '../protocol/types';

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

/** Rounds or target, whichever the ruleset plays to, and the number of seats. */
export function offered(settings: Settings, row: RulesetRow): Offered[] {
  const seats: Offered = { name: 'seats', type: 'integer', min: row.seats.min, max: row.seats.max, value: settings.seats };
  if (row.plays_to === 'rounds') {
    const word = { word: 'unlimited', word_key: 'set.unlimited', otherwise: 5 };
    return [{ name: 'rounds', type: 'integer', min: 1, max: 50, value: settings.rounds, ...word }, seats];
  }
  const defaults = row.defaults.target;
  const otherwise = typeof defaults === 'number' ? defaults : 11;
  const open = row.ruleset === 'escoria' ? { word: 'none', word_key: 'set.target.none', otherwise } : {};
  if (settings.target === null) return [seats];
  return [{ name: 'target', type: 'integer', min: 1, max: 99, value: settings.target, ...open }, seats];
}

const isOn = (value: OptionValue | undefined): boolean =>
  value !== undefined && value !== false && value !== null && value !== 0 && value !== 'off';

const nameOf = (name: string): string => tx(`option.${name}`) ?? tx(`variant.${name}`) ?? name;

function valueOf(settings: Settings, name: string): OptionValue | undefined {
  return settings.options[name] ?? settings.variants[name];
}

/** Why this option or variant cannot be set as things stand, or null. */
export function whyNot(settings: Settings, row: RulesetRow, name: string): string | null {
  const option = row.options.find((each) => each.name === name);
  // V5 is a rule about the next player, and a race has none (RULES R10).
  const not_in = option?.not_in ?? (name === 'skip' ? ['rapid'] : []);
  if (not_in.includes(settings.mode)) return t('lobby.settings.not_in_mode');
  for (const [needed, wanted] of Object.entries(option?.needs ?? {})) {
    if (valueOf(settings, needed) !== wanted) return t('lobby.settings.needs', { name: nameOf(needed) });
  }
  const excluded = row.options.filter((each) => each.excludes?.includes(name)).map((each) => each.name);
  const clash = [...(option?.excludes ?? []), ...excluded].find((other) => isOn(valueOf(settings, other)));
  return clash === undefined || isOn(valueOf(settings, name)) ? null : t('lobby.settings.excluded', { name: nameOf(clash) });
}
