// The exchange in words: what is asked of this viewer, and what came of it.
import { factsOf, givesFirst } from '../play/rules';
import type { View } from '../protocol/types';
import type { Swap } from '../state/state';
import { t, tx } from './i18n.svelte';
import { corners, list, seatName } from './words';

/** What is owed and to whom, else what comes. */
export function exchangeText(view: View, swap: Swap): string {
  const owes = view.you?.owes ?? null;
  const open = view.exchange?.owes ?? [];
  if (owes !== null) {
    const told = { n: owes.count, name: seatName(view, owes.to) };
    return (owes.count === 1 ? tx(`exchange.owe.${owes.pick}.one`, told) : null) ?? t(`exchange.owe.${owes.pick}`, told);
  }
  const first = givesFirst(view);
  if (first !== null) return t('exchange.first', { name: seatName(view, first) });
  if (swap.given.length > 0) return t('exchange.done');
  const in_it = swap.got.length > 0 || open.some((owed) => owed.to === view.you?.seat);
  if (view.you !== null && !in_it) return t('exchange.nothing');
  return t('exchange.wait', { names: list(open.map((each) => seatName(view, each.from))) });
}

/** What was given and what was got, each with a name, as short as it can be. */
export function swapTexts(view: View, { given, to, got, from }: Swap): string[] {
  const facts = factsOf(view.settings);
  return [
    ...(given.length > 0 ? [t('exchange.gave.short', { cards: corners(given, facts), name: seatName(view, to) })] : []),
    ...(got.length > 0 ? [t('exchange.got.short', { cards: corners(got, facts), name: seatName(view, from) })] : []),
  ];
}
