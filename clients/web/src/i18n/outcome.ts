// What became of one's latest attempt, or what the server did in one's place, in words.
import { factsOf } from '../play/rules';
import type { View } from '../protocol/types';
import type { Outcome } from '../state/state';
import { t, tx } from './i18n.svelte';
import { cardNames, corners, lateBy, playName, seatName, whyText } from './words';

/** Cards that were given are not of one rank. */
function actedText({ did, cards = [] }: Outcome, view: View, is_spoken: boolean): string {
  const gift = is_spoken ? cardNames : corners;
  return tx(`outcome.acted.${did}`, { cards: did === 'given' ? gift(cards, factsOf(view.settings)) : playName(cards) }) ?? '';
}

/** As it stands on the strip, or as a screen reader says it. */
export function outcomeText(result: Outcome, view: View | null, is_spoken = false): string {
  const by = lateBy(result.late_ms ?? 0);
  switch (result.kind) {
    case 'taken':
      return is_spoken ? t('outcome.taken') : t('outcome.taken.cards', { cards: playName(result.cards ?? []) });
    case 'beaten':
      if (result.by === view?.you?.seat) return t('outcome.beaten.self', { by });
      return t('outcome.beaten', { name: seatName(view, result.by ?? null), by });
    case 'too_late':
      return t('outcome.too_late', { by });
    case 'refused':
      return whyText(result.why ?? '');
    case 'acted':
      return view === null ? '' : actedText(result, view, is_spoken);
    default:
      return t(`outcome.${result.kind}`);
  }
}
