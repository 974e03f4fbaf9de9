import type { Card } from '../protocol/types';

/** The suits of both decks, French then Spanish, each in its deck's order; `C` is in both: clubs, cups (PROTOCOL 1). */
export const SUITS = 'SHDOCEB';

export interface Face {
  /** the card itself, without what it stands for */
  id: Card;
  rank: string;
  suit: string;
  is_joker: boolean;
  /** the card a wild one stands for in a play, else null */
  as: Card | null;
}

export function parseCard(text: Card): Face {
  const [id = '', as = null] = text.split('=') as [string, string?];
  const is_joker = id.startsWith('*');
  return { id, rank: is_joker ? '*' : id.slice(0, -1), suit: is_joker ? '' : id.slice(-1), is_joker, as };
}

/** The rank a card counts as in a play: what it stands for, else its own; a bare joker is `*`. */
export function rankOf(text: Card): string {
  const face = parseCard(text);
  return face.as === null ? face.rank : face.as.slice(0, -1);
}

/** A play's rank: that of its cards that are no bare joker, else the joker's. */
export function playRank(cards: readonly Card[]): string {
  return cards.map(rankOf).find((rank) => rank !== '*') ?? '*';
}

export const isRed = (suit: string): boolean => suit === 'H' || suit === 'D';
