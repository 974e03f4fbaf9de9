// The rules of a table in sentences, made from its settings, so that no sentence says what an option has changed.
import { type Facts, factsOf } from '../play/rules';
import type { Settings } from '../protocol/types';
import { t, tx } from './i18n.svelte';
import { rankName } from './words';

/** The strongest rank, which V3 closes with: jokers that are a rank of their own stand above all. */
function strongest(facts: Facts, turned: boolean): string {
  const order = turned ? facts.turned : facts.order;
  return rankName(facts.jokers > 0 && !facts.wild_jokers ? '*' : (order[order.length - 1] ?? '2'));
}

function cards(facts: Facts): string[] {
  const deck = facts.spanish ? t('rules.deck.spanish', { n: 4 * facts.order.length }) : t('rules.deck.french');
  const jokers = facts.jokers === 0 ? [] : [t(facts.wild_jokers ? 'rules.jokers.wild' : 'rules.jokers.high', { n: facts.jokers })];
  return [deck, ...jokers, ...(facts.wild_twos ? [t('rules.wild_twos')] : [])];
}

function powers(facts: Facts): string[] {
  return [
    ...(facts.larger === 'off' ? [] : [t(facts.larger === 'any' ? 'rules.larger.any' : 'rules.larger.higher')]),
    ...(facts.two_high_low ? [t('rules.two_high_low')] : []),
    ...(facts.transparent_threes ? [t('rules.transparent_threes')] : []),
    ...(facts.killer === null ? [] : [t('rules.killer')]),
  ];
}

function turning(settings: Settings, facts: Facts): string[] {
  const kind = String(settings.options['turning'] ?? 'off');
  if (kind === 'off') return [];
  const both = facts.direction_turns && settings.mode === 'turns';
  const by = t(kind === 'run' ? 'rules.turning.run' : 'rules.turning.four');
  return [`${by} ${t(both ? 'rules.turning.both' : 'rules.turning.order')}`, ...(facts.turned_ace ? [t('rules.turning.ace')] : [])];
}

/** Who leads, and in which order: nothing of it holds in a race (RULES 7). */
function turns(settings: Settings, facts: Facts): string[] {
  if (settings.mode !== 'turns') return [];
  const { leader, dealer, fresh_hands } = settings.options;
  const who = leader === 'president' || dealer === 'scum' ? 'other' : fresh_hands === true ? 'fresh' : 'usual';
  const lead = tx(`rules.lead.${settings.ruleset}.${who}`);
  return [
    ...(facts.equal_skips ? [t('rules.equal_skips')] : []),
    ...(lead === null ? [] : [lead]),
    ...(settings.ruleset === 'escoria' ? [t(facts.reseats ? 'rules.rank_order.reseat' : 'rules.rank_order')] : []),
  ];
}

function exchange(settings: Settings): string {
  const { exchange: style, fresh_hands } = settings.options;
  if (fresh_hands === true) return t('rules.exchange.none');
  const key = settings.ruleset === 'president' ? 'taken' : style === 'checked' ? 'checked' : 'steps';
  return `${t('rules.exchange')} ${t(`rules.exchange.${key}`)}`;
}

function end(settings: Settings): string {
  if (typeof settings.rounds === 'number') return t('rules.rounds', { n: settings.rounds });
  if (settings.options['three_deals'] === true) return t('rules.rounds', { n: 3 });
  if (typeof settings.target === 'number') return t('rules.target', { n: settings.target });
  return t(settings.target === 'none' ? 'rules.endless' : 'rules.unlimited');
}

/** How a round goes, sentence by sentence. */
export function rulesOf(settings: Settings): string[] {
  const facts = factsOf(settings);
  return [
    t('rules.goal'),
    cards(facts).join(' '),
    t(facts.equal ? 'rules.equal' : 'rules.higher'),
    t('rules.order', { order: facts.order.map(rankName).join(', ') }),
    ...powers(facts),
    ...turning(settings, facts),
    t(facts.binds ? 'rules.binds' : 'rules.free'),
    ...(settings.ruleset === 'presi' ? [t('rules.finish_closes')] : []),
    ...turns(settings, facts),
    exchange(settings),
  ];
}

/** What the game is about and how long all takes. */
export function gameOf(settings: Settings): string[] {
  const points = tx(`rules.points.${settings.ruleset}`);
  const race = settings.mode === 'rapid' ? [t('rules.no_turns'), t('rules.race', { n: settings.race_seconds })] : [];
  return [...(points === null ? [] : [points]), end(settings), ...race, t('rules.action', { n: settings.action_seconds })];
}

/** What a variant does; of the strongest card, which one that is here. */
export function variantText(settings: Settings, name: string): string {
  if (name !== 'strongest_closes') return tx(`variant.${name}.help`) ?? '';
  const facts = factsOf(settings);
  const turns = settings.variants['revolution'] === true || (settings.options['turning'] ?? 'off') !== 'off';
  const names = { rank: strongest(facts, false), turned: strongest(facts, true) };
  return t(turns && names.rank !== names.turned ? 'rules.strongest.turned' : 'rules.strongest', names);
}

/** Every option with what it is set to. */
export const optionsOf = (settings: Settings): string[] =>
  Object.entries(settings.options).filter(([, value]) => value !== null).map(([name, value]) => optionText(name, value));

function optionText(name: string, value: unknown): string {
  const label = tx(`option.${name}`) ?? name;
  if (name === 'first_dealer') return `${label}: ${t('feed.nobody', { n: Number(value) + 1 })}`;
  const named = typeof value === 'boolean' ? t(value ? 'rules.on' : 'rules.off') : (tx(`option.${name}.${String(value)}`) ?? String(value));
  return `${label}: ${named}`;
}
