// Names of cards, plays, seats and roles, in the language and the words of the reader.
import { parseCard, playRank, rankOf } from '../cards/card';
import { profile } from '../profile/profile.svelte';
import type { Facts } from '../play/rules';
import type { Card, OptionValue, Reply, Seat, View } from '../protocol/types';
import { locale, t, tx } from './i18n.svelte';

export const rankName = (rank: string): string => tx(`rank.${rank}`) ?? rank;
export const ranksName = (rank: string): string => tx(`ranks.${rank}`) ?? rank;

/** The keys that pick a rank, in the words of this language, weakest first by number; `…` stands for those between. */
export function rankKeys(facts: Facts): string[] {
  const most = facts.order.includes('9') ? 9 : 7;
  return t(facts.spanish ? 'keys.rank.keys.spanish' : 'keys.rank.keys', { most }).split(' ');
}

/** By how much a race was lost, in whole milliseconds: none is not the same as nothing. */
export const lateBy = (ms: number): string => (ms > 0 ? t('late.by', { ms }) : t('late.by.least'));
/** The same, where there is room for a mark only: "+12 ms". */
export const lateMark = (ms: number): string => (ms > 0 ? t('table.late', { ms }) : t('table.late.least'));

/** "pair of fives" */
export function playName(cards: readonly Card[]): string {
  const rank = playRank(cards);
  return tx(`combo.${cards.length}`, { rank: rankName(rank), ranks: ranksName(rank) }) ?? cards.join(' ');
}

export function suitName(suit: string, spanish: boolean): string {
  return tx(suit === 'C' && spanish ? 'suit.cups' : `suit.${suit}`) ?? suit;
}

export function cardName(card: Card, spanish: boolean): string {
  const face = parseCard(card);
  if (face.is_joker) return rankName('*');
  return t('card.of', { rank: rankName(face.rank), suit: suitName(face.suit, spanish) });
}

const corner = (card: Card): string => tx(`corner.${rankOf(card)}`) ?? rankOf(card);

/** The cards as their corners show them, "2, A" (without the comma two aces); one that is a rank of its own (RULES 3.5) has
 * its suit, "2 of coins, 1". */
export const corners = (cards: readonly Card[], { killer, spanish }: Facts): string =>
  cards.map((card) => (card === killer ? t('card.of', { rank: corner(card), suit: suitName(parseCard(card).suit, spanish) }) : corner(card))).join(', ');

/** "ace of spades and ten of hearts" */
export const cardNames = (cards: readonly Card[], { spanish }: Facts): string => list(cards.map((card) => cardName(card, spanish)));

/** The title a place gives; the last places are called politely unless the reader wants the documents' own words. */
export function roleName(role: string): string {
  if (profile.value.words === 'polite') {
    const polite = tx(`polite.${role}`);
    if (polite !== null) return polite;
  }
  const place = /^place_(\d+)$/.exec(role)?.[1];
  return place === undefined ? (tx(`role.${role}`) ?? role) : t('role.place', { n: place });
}

/** The title of a seat, or nothing where its place has none but its number (RULES 4.5). */
export const titleName = (role: string | null | undefined): string => (role == null || role.startsWith('place_') ? '' : roleName(role));

/** What a setting is set to, by the key of the setting. */
export function valueText(key: string, value: OptionValue): string {
  if (value === null) return t('lobby.settings.none');
  return typeof value === 'boolean' ? t(value ? 'rules.on' : 'rules.off') : (tx(`${key}.${value}`) ?? String(value));
}

export function seatName(view: View | null, seat: number | null): string {
  const found = view?.seats.find((each) => each.seat === seat);
  if (found === undefined) return t('feed.nobody', { n: (seat ?? 0) + 1 });
  return found.name;
}

/** One's own seat is "you" where the sentence allows it. */
export function shownName(view: View, seat: Seat): string {
  return seat.seat === view.you?.seat ? t('table.you') : seat.name;
}

export function whyText(why: string): string {
  return tx(`why.${why}`) ?? t('why.other', { why });
}

/** What the server says of a bad field, by the field's name in this language. */
export function errorText(error: NonNullable<Reply['errors']>[number]): string {
  return error.message;
}

export function list(names: readonly string[]): string {
  return new Intl.ListFormat(locale.lang, { type: 'conjunction' }).format(names);
}

export const number = (value: number): string => value.toLocaleString(locale.lang);
