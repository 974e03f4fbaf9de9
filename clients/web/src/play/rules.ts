// What this client knows of the rules, to dim cards and to pick the right number. The server alone decides (RULES P6):
// whatever is dimmed here can still be tried, and is refused in words if it is wrong.
import { parseCard, playRank, rankOf } from '../cards/card';
import type { Card, OptionValue, Settings, Trick, View } from '../protocol/types';

const FRENCH = ['3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A', '2'];
const SPANISH = ['3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '1', '2'];

export interface Facts {
  /** ranks, weakest first, in normal order; jokers come last of all */
  order: readonly string[];
  /** an equal rank answers */
  equal: boolean;
  /** a pass lasts until the next trick opens */
  binds: boolean;
  /** the card that takes any trick alone, or null (RULES 3.5) */
  killer: Card | null;
  wild_jokers: boolean;
  wild_twos: boolean;
  larger: string;
  two_high_low: boolean;
  transparent_threes: boolean;
  /** while turned an ace beats all and is beaten by all (RULES 5.5 `run`) */
  turned_ace: boolean;
  anticlockwise: boolean;
  spanish: boolean;
}

const PLAIN: Facts = {
  order: FRENCH,
  equal: true,
  binds: true,
  killer: null,
  wild_jokers: false,
  wild_twos: false,
  larger: 'off',
  two_high_low: false,
  transparent_threes: false,
  turned_ace: false,
  anticlockwise: false,
  spanish: false,
};

type Options = Record<string, OptionValue>;

function presiOrder(options: Options): string[] {
  const short = options['deck'] === 'spanish40' ? SPANISH.filter((rank) => rank !== '8' && rank !== '9') : SPANISH;
  if (options['three'] !== 'below_two') return short;
  return [...short.filter((rank) => rank !== '3' && rank !== '2'), '3', '2'];
}

const RULESETS: Record<string, (options: Options) => Facts> = {
  president: () => PLAIN,
  presi: (options) => ({
    ...PLAIN,
    order: presiOrder(options),
    equal: options['must_beat'] !== true,
    binds: options['passing'] !== 'free',
    killer: options['killer'] === false ? null : '2O',
    wild_jokers: options['joker'] === 'wild',
    wild_twos: options['wild_twos'] === true,
    anticlockwise: true,
    spanish: true,
  }),
  house: (options) => ({ ...PLAIN, equal: false, binds: options['sit_out'] === true }),
  escoria: (options) => ({
    ...PLAIN,
    equal: options['equal'] === true,
    binds: false,
    larger: String(options['larger_sets'] ?? 'off'),
    two_high_low: options['two_high_low'] === true,
    transparent_threes: options['transparent_threes'] === true,
    turned_ace: options['turning'] === 'run',
  }),
};

let latest: { settings: Settings; facts: Facts } | null = null;

/** The facts of a table's settings; the last answer is kept, since settings seldom change. */
export function factsOf(settings: Settings): Facts {
  if (latest?.settings !== settings) {
    latest = { settings, facts: (RULESETS[settings.ruleset] ?? (() => PLAIN))(settings.options) };
  }
  return latest.facts;
}

export const passesBind = (settings: Settings): boolean => factsOf(settings).binds;

/** Strength of a rank, weakest 0; jokers above all in either order. */
export function strength(facts: Facts, rank: string, turned: boolean): number {
  if (rank === '*') return 99;
  const order = turned && facts.turned_ace ? [...facts.order.filter((r) => r !== 'A')].reverse() : facts.order;
  const index = order.indexOf(rank);
  return turned && !facts.turned_ace ? order.length - 1 - index : index;
}

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

function beats(facts: Facts, turned: boolean, rank: string, count: number, top: string, topCount: number): boolean {
  const mine = strength(facts, rank, turned);
  const theirs = strength(facts, top, turned);
  if (count > topCount && facts.larger === 'any') return true;
  if (count > topCount && facts.larger === 'higher') return mine > theirs;
  if (count !== topCount) return false;
  const overAll = (r: string): boolean =>
    r === '*' || (r === '2' && facts.two_high_low) || (r === 'A' && facts.turned_ace && turned);
  if (overAll(rank) || (rank === '3' && facts.transparent_threes)) return true;
  if (overAll(top) && top !== '*') return true;
  return mine > theirs || (facts.equal && mine === theirs);
}

/** Could `count` cards of `rank` answer the trick as it stands? */
export function mayPlay(view: View, rank: string, count: number, killer = false): boolean {
  if (view.phase !== 'playing' || view.trick === null || count < 1 || count > 4) return false;
  if (view.must_rank !== null && rank !== view.must_rank) return false;
  const facts = factsOf(view.settings);
  if (killer) return true;
  const top = topRankOf(facts, view.trick);
  if (top === null || view.trick.top === null) return true;
  return beats(facts, view.revolution, rank, count, top, view.trick.top.cards.length);
}

/** May this seat act on the trick at all: in the round, not out by a pass, and its turn where there are turns? */
export function mayAct(view: View): boolean {
  const me = view.seats.find((seat) => seat.seat === view.you?.seat);
  if (me === undefined || view.trick === null || view.phase !== 'playing' || me.cards === 0) return false;
  if (view.settings.mode === 'turns') return view.turn === me.seat;
  return !me.passed;
}

/** May this seat pass: not on an empty trick, not on its own play in a race (RULES P3, R5)? */
export function mayPass(view: View): boolean {
  if (!mayAct(view) || view.trick?.top == null) return false;
  return view.settings.mode === 'turns' || view.trick.top.seat !== view.you?.seat;
}

/** The cards as they go to the server: a wild one says what it stands for (PROTOCOL 1). */
export function declared(facts: Facts, cards: readonly Card[], wanted: string | null): Card[] {
  const plain = cards.filter((card) => !isWild(facts, card));
  const alone = plain.length === 0;
  if (alone && cards.every((card) => rankOf(card) === '2') && (wanted === null || wanted === '2')) return [...cards];
  const rank = alone ? wanted : rankOf(plain[0] as Card);
  const suits = (facts.spanish ? ['O', 'C', 'E', 'B'] : ['S', 'H', 'D', 'C']).filter(
    (suit) => !plain.some((card) => card === `${rank}${suit}`),
  );
  return cards.map((card) =>
    isWild(facts, card) && rank !== null && rankOf(card) !== rank ? `${card}=${rank}${suits.shift() ?? 'O'}` : card,
  );
}
