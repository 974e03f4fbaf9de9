// What outlives a reload of the page, in this tab alone, since the server's view does not tell it: what an exchange showed
// and what was selected for it, and the activity with the place in the log from which the server goes on (`since`).
import type { Card, LogEvent, Move, View } from '../protocol/types';
import { INITIAL, type LocalMessage, type Race, type Swap, type TableState } from './state';

/** One entry, of this tab alone; it ends with the tab. */
const KEY = 'rapid.swap';

interface Kept {
  deal: string;
  swap: Swap;
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

/** One table, the one that is open. */
const TABLE_KEY = 'rapid.table';
const VERSION = 1;

interface KeptTable {
  v: number;
  seq: number;
  view: View;
  feed: LogEvent[];
  races: readonly Race[];
}

/** Fields that no line of the activity is made of: the cards of a hand among them. */
const UNTOLD = new Set(['hands', 'counts', 'owes', 'settings', 'salt', 'secret', 'commit']);

const withoutCards = ({ from, to, count }: Move): Move => ({ from, to, count });

function told(event: LogEvent): LogEvent {
  const fields = Object.entries(event).filter(([name]) => !UNTOLD.has(name) && (name !== 'cards' || event.type === 'played'));
  const moves = (event['moves'] as Move[] | undefined)?.map(withoutCards);
  return { ...(Object.fromEntries(fields) as unknown as LogEvent), ...(moves === undefined ? {} : { moves }) };
}

/** Keeps where the page stands when it goes: not at each event, since a race has no time for that. */
export function keepTable({ seq, view, feed, races, broken }: TableState): void {
  if (view === null || broken !== null) return;
  try {
    sessionStorage.setItem(TABLE_KEY, JSON.stringify({ v: VERSION, seq, view, feed: feed.map(told), races } satisfies KeptTable));
  } catch {
    // Without storage the activity begins anew.
  }
}

/** Where this tab stood at a table, or nothing: the server's `welcome` goes on from there, or gives a whole view. */
export function keptTable(table: string): TableState {
  try {
    const kept = JSON.parse(sessionStorage.getItem(TABLE_KEY) ?? 'null') as KeptTable | null;
    if (kept?.v !== VERSION || kept.view.table !== table) return INITIAL;
    const { seq, view, feed, races } = kept;
    return { ...INITIAL, seq, view, feed, races };
  } catch {
    return INITIAL;
  }
}

/** The table is over for this page. */
export function dropTable(): void {
  try {
    sessionStorage.removeItem(TABLE_KEY);
  } catch {
    // Nothing was kept.
  }
}
