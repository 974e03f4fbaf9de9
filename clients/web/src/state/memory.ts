// What an exchange showed and what was selected for it, over a reload of the page: the server's view tells neither.
import type { Card, View } from '../protocol/types';
import type { LocalMessage, TableState } from './state';

/** One entry, of this tab alone; it ends with the tab. */
const KEY = 'rapid.exchange';

interface Kept {
  deal: string;
  swap: TableState['swap'];
  selected: readonly Card[];
}

const dealOf = (view: View): string => `${view.table} ${view.you?.seat} ${view.game} ${view.round}`;

/** Keeps what changed between two states of a round that exchanges. */
export function keepExchange(before: TableState, after: TableState): void {
  const { view, swap, selected } = after;
  if (view?.you == null || (before.swap === swap && (view.phase !== 'exchange' || before.selected === selected))) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ deal: dealOf(view), swap, selected } satisfies Kept));
  } catch {
    // Without storage a reload forgets it.
  }
}

/** What was kept of the deal that a fresh view shows, or null. */
export function keptExchange(state: TableState): LocalMessage | null {
  if (state.view?.you == null || state.view.phase === 'lobby') return null;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
    if (kept === null || kept.deal !== dealOf(state.view)) return null;
    return { t: 'remembered', swap: kept.swap, selected: state.view.phase === 'exchange' ? kept.selected : [] };
  } catch {
    return null;
  }
}
