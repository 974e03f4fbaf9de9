// The rules of a table in sentences, made from its settings, so that no sentence says what an option has changed.
import { exchangeOf, type Facts, factsOf, isIdle, roundsOf, TURNS_ONLY } from '../play/rules';
import type { Settings, View } from '../protocol/types';
import { t, tx } from './i18n.svelte';
import { rankName, roleName, seatName, valueText } from './words';

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
  if (facts.turned_ace) return [`${t('rules.turning.run')} ${t(both ? 'rules.turning.ace.both' : 'rules.turning.ace')}`, t('rules.turning.ace.order')];
  return [`${t('rules.turning.four')} ${t(both ? 'rules.turning.both' : 'rules.turning.order')}`];
}

/** When a trick closes, and who leads the next (RULES P7, R6, T4, 4.3). */
function trick(settings: Settings, facts: Facts): string[] {
  return [
    t(facts.binds ? 'rules.binds' : 'rules.free'),
    t(settings.mode === 'turns' ? 'rules.closes.turns' : 'rules.closes.rapid'),
    ...(settings.ruleset === 'presi' ? [t('rules.finish_closes')] : []),
    t(settings.mode === 'turns' ? 'rules.next.turns' : 'rules.next.rapid'),
  ];
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
  const style = exchangeOf(settings);
  return style === 'none' ? t('rules.exchange.none') : `${t('rules.exchange')} ${t(`rules.exchange.${style}`)}`;
}

function end(settings: Settings): string {
  const rounds = roundsOf(settings);
  if (rounds !== null) return t('rules.rounds', { n: rounds });
  if (typeof settings.target === 'number') return t('rules.target', { n: settings.target });
  return t(settings.target === 'none' ? 'rules.endless' : 'rules.unlimited');
}

/** The question before a game is ended, with what that does by what it is played to (RULES G4). */
export function endNow(settings: Settings): string {
  const { rounds, target } = settings;
  if (rounds === 'unlimited' || target === 'none') return t('results.end.sure.leader');
  const set = roundsOf(settings);
  return set === null ? t('results.end.sure.target', { n: target ?? 0 }) : t('results.end.sure.rounds', { n: set });
}

/** How a round goes, sentence by sentence. */
export function rulesOf(settings: Settings): string[] {
  const facts = factsOf(settings);
  return [
    t('rules.goal'),
    cards(facts).join(' '),
    t('rules.combination'),
    t(facts.equal ? 'rules.equal' : 'rules.higher'),
    t('rules.order', { order: facts.order.map(rankName).join(', ') }),
    ...powers(facts),
    ...turning(settings, facts),
    ...trick(settings, facts),
    ...turns(settings, facts),
    exchange(settings),
  ];
}

/** Who wins: whoever has most, together if they are several; in `presi` one alone (RULES G3, 3.8). */
const win = (settings: Settings): string => t(settings.ruleset === 'presi' ? 'rules.win.alone' : 'rules.win.shared');

const lost = (settings: Settings): string =>
  settings.disconnect === 'wait' ? t('rules.lost.wait') : t('rules.lost.standin', { n: settings.standin_grace_seconds });

/** What a game is played for, and to which end. */
export function gameOf(settings: Settings): string[] {
  const points = tx(`rules.points.${settings.ruleset}`);
  return [...(points === null ? [] : [points]), end(settings), win(settings)];
}

/** How long all takes, and who is waited for. */
export function timesOf(settings: Settings): string[] {
  const race = settings.mode === 'rapid' ? [t('rules.no_turns'), t('rules.race', { n: settings.race_seconds })] : [];
  return [...race, t('rules.action', { n: settings.action_seconds }), lost(settings)];
}

/** The titles, best first, by the number of seats; numbers with the same titles stand together. */
export function titlesText(roles: Record<string, readonly string[]>): string[] {
  const counts = new Map<string, number[]>();
  for (const [count, keys] of Object.entries(roles)) {
    // A place that has no title of its own is only counted (RULES 4.5).
    const named = keys.filter((key) => !key.startsWith('place_')).map(roleName);
    const said = [...named, ...(named.length < keys.length ? [t('rules.titles.rest')] : [])].join(', ');
    counts.set(said, [...(counts.get(said) ?? []), Number(count)]);
  }
  return [...counts].map(([names, [from = 0, ...more]]) =>
    more.length === 0 ? t('rules.titles', { n: from, names }) : t('rules.titles.range', { from, to: Math.max(...more), names }),
  );
}

/** What a variant does; of the strongest card, which one that is here. */
export function variantText(settings: Settings, name: string): string {
  if (name !== 'strongest_closes') return tx(`variant.${name}.help`) ?? '';
  const facts = factsOf(settings);
  const turns = settings.variants['revolution'] === true || (settings.options['turning'] ?? 'off') !== 'off';
  const names = { rank: strongest(facts, false), turned: strongest(facts, true) };
  return t(turns && names.rank !== names.turned ? 'rules.strongest.turned' : 'rules.strongest', names);
}

/** Every option that does anything in this mode, with what it is set to; seats by who sits there. */
export function optionsOf(settings: Settings, view: View | null = null): string[] {
  const is_race = settings.mode === 'rapid';
  const shown = Object.entries(settings.options).filter(
    ([name, value]) => value !== null && !isIdle(settings, name) && !(is_race && TURNS_ONLY.has(name)),
  );
  return shown.map(([name, value]) => {
    const said = name === 'first_dealer' ? seatName(view, Number(value)) : valueText(`option.${name}`, value);
    return `${tx(`option.${name}`) ?? name}: ${said}`;
  });
}
