// What this client knows of the rules, to dim cards and to pick the right number. The server alone decides (RULES P6):
// whatever is dimmed here can still be tried, and is refused in words if it is wrong.
import { parseCard, playRank, rankOf } from '../cards/card';
import type { Card, OptionValue, Seat, Settings, Trick, View } from '../protocol/types';

/** Cards of a combination (RULES 1). */
export const MOST = 4;

const FRENCH = ['3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A', '2'];
const SPANISH = ['3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '1', '2'];

export interface Facts {
  /** ranks, weakest first, in normal order; jokers come last of all */
  order: readonly string[];
  /** the same while the order is turned */
  turned: readonly string[];
  /** an equal rank answers */
  equal: boolean;
  /** with turns, an equal play makes the next seat miss its turn (RULES 3.4, 5.5) */
  equal_skips: boolean;
  /** a pass lasts until the next trick opens */
  binds: boolean;
  /** the card that takes any trick alone, or null (RULES 3.5) */
  killer: Card | null;
  jokers: number;
  wild_jokers: boolean;
  wild_twos: boolean;
  larger: string;
  two_high_low: boolean;
  transparent_threes: boolean;
  /** while turned an ace beats all and is beaten by all (RULES 5.5 `run`) */
  turned_ace: boolean;
  /** the direction turns with the order (RULES 5.5, 6) */
  direction_turns: boolean;
  anticlockwise: boolean;
  spanish: boolean;
  /** chairs are shown in the play order of each round (RULES 5.2) */
  reseats: boolean;
}

type Options = Record<string, OptionValue>;

function plain(order: readonly string[], options: Options): Facts {
  const turned_ace = options['turning'] === 'run';
  return {
    order,
    turned: turned_ace ? aceHigh(order) : [...order].reverse(),
    equal: true,
    equal_skips: false,
    binds: true,
    killer: null,
    jokers: options['jokers'] === true ? 2 : Number(options['jokers'] ?? 0),
    wild_jokers: options['joker'] === 'wild',
    wild_twos: options['wild_twos'] === true,
    larger: String(options['larger_sets'] ?? 'off'),
    two_high_low: options['two_high_low'] === true,
    transparent_threes: options['transparent_threes'] === true,
    turned_ace,
    direction_turns: turned_ace || options['turning'] === 'order_and_direction',
    anticlockwise: false,
    spanish: false,
    reseats: options['reseat'] === true,
  };
}

/** A 2 3 4 … K A, the strongest first: the ace is at both ends, and counts as the strongest (RULES 5.5). */
const aceHigh = (order: readonly string[]): string[] => [...order.slice(0, order.indexOf('A')).reverse(), '2', 'A'];

function presiOrder(options: Options): string[] {
  const short = options['deck'] === 'spanish40' ? SPANISH.filter((rank) => rank !== '8' && rank !== '9') : SPANISH;
  if (options['three'] !== 'below_two') return short;
  return [...short.filter((rank) => rank !== '3' && rank !== '2'), '3', '2'];
}

const RULESETS: Record<string, (options: Options) => Facts> = {
  presi: (options) => ({
    ...plain(presiOrder(options), options),
    equal: options['must_beat'] !== true,
    equal_skips: options['must_beat'] !== true,
    binds: options['passing'] !== 'free',
    killer: options['killer'] === false ? null : '2O',
    anticlockwise: true,
    spanish: true,
  }),
  house: (options) => ({ ...plain(FRENCH, options), equal: false, binds: options['sit_out'] === true }),
  escoria: (options) => ({
    ...plain(FRENCH, options),
    equal: options['equal'] === true,
    equal_skips: options['skip_next'] === true,
    binds: false,
  }),
};

let latest: { settings: Settings; facts: Facts } | null = null;

/** The facts of a table's settings; the last answer is kept, since settings seldom change. */
export function factsOf(settings: Settings): Facts {
  if (latest?.settings !== settings) {
    latest = { settings, facts: (RULESETS[settings.ruleset] ?? ((options: Options) => plain(FRENCH, options)))(settings.options) };
  }
  return latest.facts;
}

/**
 * How cards are exchanged: the strongest are `taken` at once, all choose `checked` cards at the same time, or it goes in
 * two `steps`, first the last seat's card, then the President's; or not at all (RULES 2.7, 3.9, 4.4, 4.6, 5.4, 6).
 */
export function exchangeOf({ ruleset, options }: Settings): 'taken' | 'checked' | 'steps' | 'none' {
  if (options['fresh_hands'] === true) return 'none';
  if (ruleset === 'president') return 'taken';
  return options['exchange'] === 'checked' ? 'checked' : 'steps';
}

/** Who gives first while one's own card is asked for only then: the second step of two. */
export function givesFirst(view: View): number | null {
  if (view.you === null || exchangeOf(view.settings) !== 'steps') return null;
  // In the first step the best card is owed, in the second any (PROTOCOL 4, `step`).
  return view.exchange?.owes.find((owed) => owed.to === view.you?.seat && owed.pick === 'best')?.from ?? null;
}

/** Whether an option does nothing as things stand: what a joker is, where there is none. */
export const isIdle = (settings: Settings, option: string): boolean => option === 'joker' && factsOf(settings).jokers === 0;

/** Options that a race has no use for: they are at their default there (RULES 7). */
export const TURNS_ONLY: ReadonlySet<string> = new Set(['skip_next', 'leader', 'reseat']);

/** How many rounds a game has, if that is set: by the host, or by the three deals (RULES G1, 4.6). */
export function roundsOf({ rounds, options }: Settings): number | null {
  if (options['three_deals'] === true) return 3;
  return typeof rounds === 'number' ? rounds : null;
}

export const passesBind = (settings: Settings): boolean => factsOf(settings).binds;

/** Strength of a rank, weakest 0; jokers above all in either order. */
export function strength(facts: Facts, rank: string, turned: boolean): number {
  return rank === '*' ? facts.order.length : (turned ? facts.turned : facts.order).indexOf(rank);
}

/** Whether the direction of play is turned: it turns with the order, and only where there are turns (RULES 7). */
export const isTurnedBack = (view: View): boolean =>
  view.revolution && view.settings.mode === 'turns' && factsOf(view.settings).direction_turns;

export function isWild(facts: Facts, card: Card): boolean {
  if (!facts.wild_jokers && !facts.wild_twos) return false;
  const face = parseCard(card);
  return (face.is_joker && facts.wild_jokers) || (face.rank === '2' && facts.wild_twos);
}

/** The rank the top counts as: transparent threes take the rank they answer (RULES 5.5). */
export function topRankOf(facts: Facts, trick: Trick): string | null {
  let rank: string | null = null;
  for (const play of trick.plays) {
    const own = playRank(play.cards);
    rank = facts.transparent_threes && own === '3' && rank !== null ? rank : own;
  }
  return rank;
}

/** What beats anything of its number, and what anything of its number beats (RULES 5.6). */
const isHigh = (facts: Facts, rank: string, turned: boolean): boolean =>
  rank === '*' || (rank === '3' && facts.transparent_threes) || isHighAndLow(facts, rank, turned);
const isHighAndLow = (facts: Facts, rank: string, turned: boolean): boolean =>
  (rank === '2' && facts.two_high_low) || (rank === 'A' && facts.turned_ace && turned);

/** How high a rank is against fewer cards: a two that is high and low is high (RULES 9). */
function against(facts: Facts, rank: string, turned: boolean): number {
  if (rank === '2' && facts.two_high_low && !facts.turned_ace) return facts.order.length - 0.5;
  return strength(facts, rank, turned);
}

function faultOf(facts: Facts, turned: boolean, rank: string, count: number, top: string, topCount: number): string | null {
  if (count !== topCount) {
    if (count < topCount || facts.larger === 'off') return 'wrong_count';
    return facts.larger === 'any' || against(facts, rank, turned) > against(facts, top, turned) ? null : 'too_weak';
  }
  if (isHigh(facts, rank, turned) || isHighAndLow(facts, top, turned)) return null;
  const by = strength(facts, rank, turned) - strength(facts, top, turned);
  return by > 0 || (by === 0 && facts.equal) ? null : 'too_weak';
}

/** Why so many cards of a rank do not answer the trick as it stands, in the server's words and order; null if they do. */
function whyNoAnswer(view: View, rank: string, count: number): string | null {
  const facts = factsOf(view.settings);
  const top = view.trick === null ? null : topRankOf(facts, view.trick);
  if (top === null || view.trick?.top == null) return null;
  const fault = faultOf(facts, view.revolution, rank, count, top, view.trick.top.cards.length);
  const is_other = view.must_rank !== null && rank !== view.must_rank;
  return is_other && fault !== 'wrong_count' ? 'must_match_rank' : fault;
}

/** Could `count` cards of `rank` answer the trick as it stands? */
export function mayPlay(view: View, rank: string, count: number): boolean {
  if (view.phase !== 'playing' || view.trick === null || count < 1 || count > MOST) return false;
  return whyNoAnswer(view, rank, count) === null;
}

/** One's own seat, while it is in the round and there is a trick. */
function ownSeat(view: View): Seat | undefined {
  const me = view.seats.find((seat) => seat.seat === view.you?.seat);
  return view.trick === null || view.phase !== 'playing' || me?.cards === 0 ? undefined : me;
}

/** Why this seat cannot act on the trick now, in the server's words (PROTOCOL 3.4); null if it can, or is in none. */
export function whyNoPlay(view: View): string | null {
  const me = ownSeat(view);
  if (me === undefined) return null;
  const has_turns = view.settings.mode === 'turns';
  if (me.passed && (!has_turns || passesBind(view.settings))) return 'already_passed';
  return has_turns && view.turn !== me.seat ? 'not_your_turn' : null;
}

/** Why these cards, played as that rank, would be refused now, likewise; a rank of null: they are no combination. */
export function whyNotThese(view: View, cards: readonly Card[], rank: string | null): string | null {
  if (rank === null || cards.length > MOST) return 'not_a_combination';
  return whyNoPlay(view) ?? (isKiller(factsOf(view.settings), cards) ? null : whyNoAnswer(view, rank, cards.length));
}

/** Why this seat cannot pass, likewise: nor on an empty trick, nor on its own play in a race (RULES P3, R5). */
export function whyNoPass(view: View): string | null {
  const me = ownSeat(view);
  if (me === undefined) return null;
  const top = view.trick?.top ?? null;
  const is_own = top?.seat === me.seat && view.settings.mode !== 'turns';
  return whyNoPlay(view) ?? (top === null ? 'empty_trick' : is_own ? 'last_player' : null);
}

/** May this seat act on the trick at all: in the round, not out by a pass, and its turn where there are turns? */
export const mayAct = (view: View): boolean => ownSeat(view) !== undefined && whyNoPlay(view) === null;

/** May this seat pass? */
export const mayPass = (view: View): boolean => ownSeat(view) !== undefined && whyNoPass(view) === null;

/** Whether these cards are the two of coins alone, whatever it is said to stand for (RULES 3.5, 9). */
const isKiller = (facts: Facts, cards: readonly Card[]): boolean => cards.length === 1 && cards[0] === facts.killer;

/**
 * The ranks that these cards can be now, weakest first. One, if a card that is not wild says it or none is wild; none if
 * they are no combination. Wild cards alone can be what answers the trick, or anything if nothing does.
 */
export function meanings(view: View, cards: readonly Card[]): string[] {
  const facts = factsOf(view.settings);
  const plain = cards.filter((card) => !isWild(facts, card));
  const ranks = new Set(plain.map(rankOf));
  // No card stands for a joker (PROTOCOL 1).
  if (ranks.size > 0) return ranks.size === 1 && (plain.length === cards.length || !ranks.has('*')) ? [...ranks] : [];
  if (isKiller(facts, cards)) return ['2'];
  const order = view.revolution ? facts.turned : facts.order;
  const fitting = order.filter((rank) => mayPlay(view, rank, cards.length));
  return fitting.length > 0 ? fitting : [...order];
}

/** The cards as they go to the server: a wild one says what it stands for (PROTOCOL 1). */
export function declared(facts: Facts, cards: readonly Card[], rank: string | null): Card[] {
  if (rank === null || rank === '*' || isKiller(facts, cards)) return [...cards];
  const taken = cards.filter((card) => rankOf(card) === rank);
  const suits = (facts.spanish ? ['O', 'C', 'E', 'B'] : ['S', 'H', 'D', 'C']).filter((suit) => !taken.includes(rank + suit));
  return cards.map((card) => (isWild(facts, card) && rankOf(card) !== rank ? `${card}=${rank}${suits.shift() ?? 'O'}` : card));
}
