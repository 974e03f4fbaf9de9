// How long what an exchange changed is news: the exchange screen is gone with the last one's word.
import type { Card, View } from '../protocol/types';
import type { Swap } from '../state/state';

/** In the first trick, until one's own first play. */
export function isSwapNews({ trick, you }: View): boolean {
  return you !== null && trick !== null && trick.number === 1 && trick.plays.every((play) => play.seat !== you.seat);
}

const NONE: readonly Card[] = [];

/** The cards in hand that came by the exchange, as long as that is news. */
export const newCards = (view: View, swap: Swap): readonly Card[] =>
  view.phase === 'exchange' || isSwapNews(view) ? swap.got : NONE;
