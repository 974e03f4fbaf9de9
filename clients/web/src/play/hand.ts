// The hand as groups of one rank, and what a tap or a key selects (issue: "one tap on a rank picks the right number").
import { parseCard, SUITS } from '../cards/card';
import type { Card, View } from '../protocol/types';
import { factsOf, isWild, mayPlay, MOST, strength, type Facts } from './rules';

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

/** Which wild card is spent first: a two, the killer behind the others, then a joker (RULES 8). */
const price = (facts: Facts, card: Card): number => (parseCard(card).is_joker ? 2 : card === facts.killer ? 1 : 0);

/** Whether a selected card can be part of one play with a group: of its rank, or one of both is wild and none a joker that is not. */
function goesWith(facts: Facts, card: Card, group: Group): boolean {
  const own = group.cards[0] as Card;
  if (isWild(facts, card)) return isWild(facts, own) || group.rank !== '*';
  return isWild(facts, own) ? !parseCard(card).is_joker : parseCard(card).rank === group.rank;
}

/** The cards of a rank that are left beside what is kept: the group's own first, the killer two last. */
function sameRank(facts: Facts, hand: readonly Card[], rank: string, group: Group, kept: readonly Card[]): Card[] {
  const others = hand.filter((card) => !group.cards.includes(card)).sort((a, b) => Number(a === facts.killer) - Number(b === facts.killer));
  const all = [...group.cards, ...others];
  return all.filter((card) => parseCard(card).rank === rank && !isWild(facts, card) && !kept.includes(card));
}

/**
 * The smallest play now that has a card of the group in it, and all that is kept of the selection: cards of the rank
 * first, of wild ones as few as it needs. Null if there is none. What is lit and what a tap selects is this alone.
 */
export function leastPlay(view: View, group: Group, hand: readonly Card[], kept: readonly Card[] = []): Card[] | null {
  const facts = factsOf(view.settings);
  if (view.phase !== 'playing' || view.trick === null) return null;
  if (group.key === facts.killer && kept.length === 0) return [...group.cards];
  const is_wild = isWild(facts, group.cards[0] as Card);
  // A wild group goes with every rank, alone or beside the cards of it (RULES 6, 9); of its own card there is one at least.
  const taken = is_wild ? [...kept, group.cards[0] as Card] : [...kept];
  const said = kept.find((card) => !isWild(facts, card));
  const ranks = !is_wild ? [group.rank] : said !== undefined ? [parseCard(said).rank] : view.revolution ? facts.turned : facts.order;
  const wild = hand.filter((card) => isWild(facts, card) && !taken.includes(card)).sort((a, b) => price(facts, a) - price(facts, b));
  const found = ranks.map((rank) => ({ rank, same: sameRank(facts, hand, rank, group, taken), wild: rank === '*' ? [] : wild }));
  for (let count = taken.length + (is_wild ? 0 : 1); count <= MOST; count++) {
    const missing = count - taken.length;
    const fit = found.filter((each) => mayPlay(view, each.rank, count) && each.same.length + each.wild.length >= missing);
    // The fewest wild cards; of equal ones no rank that loses a card of a larger set, and the weakest.
    const cost = (same: readonly Card[]): number => 2 * Math.max(0, missing - same.length) + (same.length > missing ? 1 : 0);
    const best = fit.sort((a, b) => cost(a.same) - cost(b.same))[0];
    if (best !== undefined) return [...taken, ...[...best.same, ...best.wild].slice(0, missing)];
  }
  return null;
}

const areSame = (a: readonly Card[], b: readonly Card[]): boolean => a.length === b.length && a.every((card) => b.includes(card));

/** What selecting this group once more gives: first the least that can be played, then one more, then none. */
export function pick(view: View, group: Group, selected: readonly Card[]): Card[] {
  const facts = factsOf(view.settings);
  const hand = view.you?.hand ?? [];
  const own = selected.filter((card) => group.cards.includes(card));
  const beside = selected.filter((card) => !group.cards.includes(card));
  // Another rank begins anew: the wild cards of the one before are not for this one.
  const kept = beside.every((card) => goesWith(facts, card, group)) ? beside : [];
  if (own.length > 0) {
    const next = group.cards.find((card) => !own.includes(card));
    if (next !== undefined && kept.length + own.length < MOST) return [...kept, ...own, next];
    const least = leastPlay(view, group, hand) ?? [];
    // What one tap has taken, wild cards and all, one puts back.
    if (areSame(selected, least)) return [];
    // Of what the trick asks for no more, what stands beside the group goes first.
    const is_too_much = kept.length > 0 && !mayPlay(view, group.rank, selected.length);
    return is_too_much && least.length > 0 && least.every((card) => own.includes(card)) ? least : kept;
  }
  const plain = kept.filter((card) => !isWild(facts, card));
  return leastPlay(view, group, hand, kept) ?? leastPlay(view, group, hand, plain) ?? leastPlay(view, group, hand) ?? planned(view, group, kept);
}

/** What is selected of a group that cannot be played now: the number the trick asks for, as far as it goes. */
function planned(view: View, group: Group, kept: readonly Card[]): Card[] {
  const facts = factsOf(view.settings);
  const asked = view.trick?.top?.cards.length ?? 1;
  const is_precious = group.key === facts.killer || isWild(facts, group.cards[0] as Card);
  const beside = asked === 1 && facts.larger === 'off' ? [] : kept;
  const count = is_precious ? 1 : Math.min(group.cards.length, Math.max(1, asked - beside.length));
  return [...beside, ...group.cards.slice(0, count)].slice(-MOST);
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
