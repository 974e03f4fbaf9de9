// The hand as groups of one rank, and what a tap or a key selects (issue: "one tap on a rank picks the right number").
import { parseCard, SUITS } from '../cards/card';
import type { Card, View } from '../protocol/types';
import { factsOf, isWild, mayPlay, strength, type Facts } from './rules';

/** Cards of a combination (RULES 1). */
const MOST = 4;

export interface Group {
  /** stable name: the rank, or the card itself for one that is a rank of its own */
  key: string;
  rank: string;
  cards: Card[];
}

const suitPlace = (card: Card): number => SUITS.indexOf(parseCard(card).suit);

/** Which group a card belongs to; the killer two is a rank of its own (RULES 3.5, 3.9). */
function keyOf(facts: Facts, card: Card): string {
  return card === facts.killer ? card : parseCard(card).rank;
}

/** The hand sorted weakest first in normal order: it does not move in a revolution, so that no card slips from under a finger. */
export function groups(hand: readonly Card[], facts: Facts): Group[] {
  const byKey = new Map<string, Group>();
  for (const card of hand) {
    const key = keyOf(facts, card);
    const group = byKey.get(key) ?? { key, rank: parseCard(card).rank, cards: [] };
    group.cards.push(card);
    byKey.set(key, group);
  }
  const place = (group: Group): number =>
    group.rank === '*' ? 99 : facts.order.indexOf(group.rank) + (group.key === facts.killer ? 0.5 : 0);
  const sorted = [...byKey.values()].sort((a, b) => place(a) - place(b));
  for (const group of sorted) group.cards.sort((a, b) => suitPlace(a) - suitPlace(b));
  return sorted;
}

/** How many cards of a group, with the wild ones at hand, can be played now; empty if none. */
export function playableCounts(view: View, group: Group, hand: readonly Card[]): number[] {
  const facts = factsOf(view.settings);
  const is_wild = isWild(facts, group.cards[0] as Card);
  const wild = hand.filter((card) => isWild(facts, card));
  if (group.key === facts.killer && view.trick !== null) return mayPlay(view, group.rank, 1, true) ? [1] : [];
  // A wild group goes with every rank, alone or beside the cards of it (RULES 6, 9).
  const ranks = is_wild ? facts.order : [group.rank];
  const counts = new Set<number>();
  for (const rank of ranks) {
    const own = hand.filter((card) => parseCard(card).rank === rank && !wild.includes(card));
    const most = Math.min(MOST, own.length + wild.length);
    for (let count = 1; count <= most; count++) if (mayPlay(view, rank, count)) counts.add(count);
  }
  return [...counts].sort((a, b) => a - b);
}

/** Whether a selected card can be part of one play with a group: of its rank, or one of both is wild. */
const goesWith = (facts: Facts, card: Card, group: Group): boolean =>
  isWild(facts, card) || isWild(facts, group.cards[0] as Card) || parseCard(card).rank === group.rank;

/** What selecting this group once more gives: first the number the trick asks for, then one more, then none. */
export function pick(view: View, group: Group, selected: readonly Card[]): Card[] {
  const facts = factsOf(view.settings);
  const asked = view.trick?.top?.cards.length ?? null;
  const is_single = asked === 1 && facts.larger === 'off';
  const kept = is_single ? [] : selected.filter((card) => !group.cards.includes(card) && goesWith(facts, card, group));
  const own = selected.filter((card) => group.cards.includes(card));
  const next = group.cards.find((card) => !own.includes(card));
  if (own.length > 0) return next === undefined || kept.length + own.length >= MOST ? kept : [...kept, ...own, next];
  const is_precious = group.key === facts.killer || isWild(facts, group.cards[0] as Card);
  const count = is_precious ? 1 : Math.min(group.cards.length, Math.max(1, (asked ?? 1) - kept.length));
  return [...kept, ...group.cards.slice(0, count)].slice(-MOST);
}

/** How good a card is to give away, whatever the order of a round: jokers, then the two of coins (RULES 3.9, 9). */
const worth = (facts: Facts, card: Card): number => 2 * strength(facts, parseCard(card).rank, false) + (card === '2O' ? 1 : 0);

/** The cards that may be among those owed: any, or the best or worst, where only equal ones leave a choice (RULES 3.9). */
export function givable(view: View, hand: readonly Card[]): Card[] {
  const owes = view.you?.owes ?? null;
  if (owes === null || owes.pick === 'any') return [...hand];
  const facts = factsOf(view.settings);
  const ranked = hand.map((card) => worth(facts, card)).sort((a, b) => (owes.pick === 'best' ? b - a : a - b));
  const last = ranked[Math.min(owes.count, ranked.length) - 1] ?? 0;
  return hand.filter((card) => (owes.pick === 'best' ? worth(facts, card) >= last : worth(facts, card) <= last));
}

/** In an exchange each tap adds one card, up to the number owed; a tap too many starts the group anew. */
export function pickForExchange(group: Group, selected: readonly Card[], owed: number, card?: Card): Card[] {
  if (card !== undefined && selected.includes(card)) return selected.filter((each) => each !== card);
  const next = card ?? group.cards.find((each) => !selected.includes(each));
  if (next === undefined || selected.length >= owed) {
    const without = selected.filter((each) => !group.cards.includes(each));
    if (without.length !== selected.length && card === undefined) return without;
    return next === undefined ? without : [...selected.slice(1), next];
  }
  return [...selected, next];
}

/** The keys that pick a rank, by deck. */
const FRENCH_KEYS: Record<string, string> = { '1': 'T', '0': 'T', t: 'T', j: 'J', q: 'Q', k: 'K', a: 'A' };
const SPANISH_KEYS: Record<string, string> = { '0': '10', s: '10', j: '10', c: '11', n: '11', q: '11', r: '12', k: '12', a: '1' };

export function rankForKey(key: string, facts: Facts): string | null {
  const lower = key.toLowerCase();
  if (lower === 'x' || lower === '*') return '*';
  const mapped = (facts.spanish ? SPANISH_KEYS : FRENCH_KEYS)[lower];
  if (mapped !== undefined) return mapped;
  return facts.order.includes(lower) ? lower : null;
}
