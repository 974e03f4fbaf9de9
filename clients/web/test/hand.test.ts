import { describe, expect, test } from 'vitest';
import { givable, groups, leastPlay, pick, pickForExchange, rankForKey, type Group } from '../src/play/hand';
import { handLayout } from '../src/play/layout';
import { declared, factsOf, mayPass, mayPlay, meanings } from '../src/play/rules';
import type { OptionValue, View } from '../src/protocol/types';
import { seat, settings, view } from './helpers';

const PRESI = (options: Record<string, OptionValue> = {}) => settings({ ruleset: 'presi', mode: 'turns', options: { killer: true, ...options } });
const ESCORIA = (options: Record<string, OptionValue> = {}) => settings({ ruleset: 'escoria', options });

function on(cards: string[], change: Partial<View> = {}): View {
  const play = { seat: 1, cards };
  return view({ trick: { number: 1, state: 11, top: play, plays: [play] }, ...change });
}

const holding = (hand: string[]) => ({ seat: 0, hand, owes: null, salted: true });
const group = (hand: string[], key: string, given: View): Group => groups(hand, factsOf(given.settings)).find((each) => each.key === key) as Group;

describe('what can be played now', () => {
  test('president: as many cards, equal or higher (RULES P1)', () => {
    const now = on(['7S', '7H']);
    expect(mayPlay(now, '7', 2)).toBe(true);
    expect(mayPlay(now, '6', 2)).toBe(false);
    expect(mayPlay(now, 'A', 1)).toBe(false);
    expect(mayPlay(now, '2', 2)).toBe(true);
  });

  test('in a revolution the three is strongest', () => {
    const now = on(['7S'], { revolution: true });
    expect(mayPlay(now, '3', 1)).toBe(true);
    expect(mayPlay(now, '2', 1)).toBe(false);
  });

  test('house: strictly higher', () => {
    expect(mayPlay(on(['7S'], { settings: settings({ ruleset: 'house' }) }), '7', 1)).toBe(false);
  });

  test('presi: the two of coins alone takes any trick (RULES 3.5)', () => {
    const now = on(['7O', '7C'], { settings: PRESI() });
    expect(leastPlay(now, group(['2O', '2C'], '2O', now), ['2O', '2C'])).toEqual(['2O']);
    expect(leastPlay(now, group(['2O', '2C'], '2', now), ['2O', '2C'])).toEqual(['2C', '2O']);
    expect(leastPlay(now, group(['2E', '3O'], '2', now), ['2E', '3O'])).toBeNull();
  });

  test('presi: with must_beat an equal rank is no answer', () => {
    expect(mayPlay(on(['7O'], { settings: PRESI({ must_beat: true }) }), '7', 1)).toBe(false);
  });

  test('escoria: larger sets, two high and low, transparent threes (RULES 5.5)', () => {
    expect(mayPlay(on(['7S'], { settings: ESCORIA({ larger_sets: 'any' }) }), '4', 2)).toBe(true);
    expect(mayPlay(on(['7S'], { settings: ESCORIA({ larger_sets: 'higher' }) }), '4', 2)).toBe(false);
    const low = on(['2S'], { settings: ESCORIA({ two_high_low: true }) });
    expect(mayPlay(low, '4', 1)).toBe(true);
    const turned = { revolution: true, settings: ESCORIA({ larger_sets: 'higher', two_high_low: true, turning: 'order' }) };
    expect(mayPlay(on(['3S'], turned), '2', 2)).toBe(true); // the highest of ranks, whichever way they run
    expect(mayPlay(on(['2S'], turned), '3', 2)).toBe(false);
    const seen = on(['KS'], { settings: ESCORIA({ transparent_threes: true }) });
    expect(mayPlay(seen, '3', 1)).toBe(true);
    const through = { ...seen, trick: { ...seen.trick!, plays: [{ seat: 1, cards: ['KS'] }, { seat: 2, cards: ['3S'] }], top: { seat: 2, cards: ['3S'] } } };
    expect(mayPlay(through, 'Q', 1)).toBe(false);
    expect(mayPlay(through, 'A', 1)).toBe(true);
  });

  test('only the rank that must be matched', () => {
    const now = on(['7S'], { must_rank: '7', turn: 0, settings: settings({ mode: 'turns' }) });
    expect(mayPlay(now, '8', 1)).toBe(false);
    expect(mayPlay(now, '7', 1)).toBe(true);
  });

  test('no pass on an empty trick, nor on one’s own play in a race (RULES P3, R5)', () => {
    expect(mayPass(view())).toBe(false);
    expect(mayPass(on(['7S']))).toBe(true);
    const own = view({ trick: { number: 1, state: 11, top: { seat: 0, cards: ['7S'] }, plays: [] } });
    expect(mayPass(own)).toBe(false);
    expect(mayPass(on(['7S'], { seats: [seat(0, { passed: true }), seat(1), seat(2)] }))).toBe(false);
  });
});

describe('picking', () => {
  const HAND = ['7S', '7H', '7C', '9D'];

  test('one tap picks the number the trick asks for, the next adds one, the last clears', () => {
    const now = on(['5S', '5H'], { you: holding(HAND) });
    const sevens = group(HAND, '7', now);
    const first = pick(now, sevens, []);
    const second = pick(now, sevens, first);
    expect([first.length, second.length, pick(now, sevens, second).length]).toEqual([2, 3, 0]);
  });

  test('on an empty trick it starts with one', () => {
    expect(pick(view(), group(HAND, '7', view()), [])).toEqual(['7S']);
  });

  test('another rank takes the place of the one before', () => {
    const now = view();
    expect(pick(now, group(HAND, '9', now), ['7S'])).toEqual(['9D']);
  });

  test('in an exchange cards of any ranks add up to what is owed', () => {
    const now = view();
    const one = pickForExchange(group(HAND, '9', now), [], 2);
    const two = pickForExchange(group(HAND, '7', now), one, 2);
    expect(two).toEqual(['9D', '7S']);
    expect(pickForExchange(group(HAND, '7', now), two, 2, '7C')).toEqual(['7S', '7C']);
    expect(pickForExchange(group(HAND, '7', now), two, 2, '7S')).toEqual(['9D']);
  });

  test('best and worst are what the rules say: only equal cards leave a choice (RULES 3.9)', () => {
    const owing = (pick: 'best' | 'worst' | 'any', count: number) =>
      view({ phase: 'exchange', settings: PRESI({ three: 'below_two' }), you: { seat: 0, hand: [], owes: { to: 1, count, pick }, salted: true } });
    const hand = ['4O', '4C', '5E', '3B', '2C', '2E', '2O', '*1'];
    expect(givable(owing('best', 1), hand)).toEqual(['*1']);
    expect(givable(owing('best', 2), hand)).toEqual(['2O', '*1']);
    expect(givable(owing('best', 3), hand)).toEqual(['2C', '2E', '2O', '*1']);
    expect(givable(owing('worst', 1), hand)).toEqual(['4O', '4C']);
    expect(givable(owing('worst', 3), hand)).toEqual(['4O', '4C', '5E']);
    expect(givable(owing('any', 2), hand)).toEqual(hand);
  });

  test('keys name ranks in both decks', () => {
    const french = factsOf(settings());
    const spanish = factsOf(PRESI());
    expect(['1', '0', 'T', 'j', 'a', '3', 'z'].map((key) => rankForKey(key, french))).toEqual(['T', 'T', 'T', 'J', 'A', '3', null]);
    expect(['1', '0', 's', 'c', 'r', '9'].map((key) => rankForKey(key, spanish))).toEqual(['1', '10', '10', '11', '12', '9']);
  });
});

describe('wild cards say what they stand for (PROTOCOL 1)', () => {
  const WILD = PRESI({ joker: 'wild', jokers: 2, wild_twos: true });
  const facts = factsOf(WILD);
  const asked = (cards: string[], on_top: string[] | null, change: Partial<View> = {}) =>
    meanings(on_top === null ? view({ settings: WILD, ...change }) : on(on_top, { settings: WILD, ...change }), cards);
  test.each([
    [['7O', '*1'], '7', ['7O', '*1=7C']],
    [['7O', '2C'], '7', ['7O', '2C=7C']],
    [['2C', '2E'], '2', ['2C', '2E']],
    [['2O', '*1'], '2', ['2O', '*1=2C']],
    [['*1'], '12', ['*1=12O']],
    [['2O'], '5', ['2O']],
    [['*1', '*2', '2C', '7B'], '7', ['*1=7O', '*2=7C', '2C=7E', '7B']],
  ])('%j as %s', (cards, rank, expected) => {
    expect(declared(facts, cards, rank)).toEqual(expected);
  });

  test('a joker that is only high is played bare', () => {
    const high = PRESI({ joker: 'high', jokers: 2 });
    expect(meanings(view({ settings: high }), ['*1'])).toEqual(['*']);
    expect(declared(factsOf(high), ['*1'], '*')).toEqual(['*1']);
  });

  test('beside a card that is not wild there is one meaning, and none where two are not', () => {
    expect(asked(['7O', '*1'], null)).toEqual(['7']);
    expect(asked(['7O', '8O', '*1'], null)).toEqual([]);
  });

  test('alone it can be what answers the trick, in the present order; the killer two needs no word', () => {
    expect(asked(['*1'], ['12O'])).toEqual(['12', '1', '2']);
    expect(asked(['*1'], ['5O'], { revolution: true })).toEqual(['5', '4', '3']);
    expect(asked(['2C', '*1'], null)).toHaveLength(12);
    expect(asked(['2O'], ['12O'])).toEqual(['2']);
  });

  test('picking: a wild card joins what is selected, unless the trick asks for one card', () => {
    const hand = ['7O', '7C', '2C', '2O', '*1'];
    const pair = on(['5S', '5H'], { settings: WILD, you: holding(hand) });
    const single = on(['5S'], { settings: WILD, you: holding(hand) });
    expect(pick(pair, group(hand, '*', pair), ['7O'])).toEqual(['7O', '*1']);
    expect(pick(pair, group(hand, '7', pair), ['*1'])).toEqual(['*1', '7O']);
    expect(pick(single, group(hand, '*', single), ['7O'])).toEqual(['*1']);
    const three = on(['12S', '12H', '12E'], { settings: WILD });
    expect(leastPlay(three, group(['12C', '*1', '2C'], '12', pair), ['12C', '*1', '2C'])).toEqual(['12C', '2C', '*1']);
    expect(leastPlay(three, group(['12C', '*1', '2C'], '*', pair), ['12C', '*1', '2C'])).toEqual(['*1', '12C', '2C']);
  });

  test('one tap completes a rank with as few wild cards as it needs, the cheapest first; another rank begins anew', () => {
    const hand = ['7O', '9C', '9E', '12C', '2C', '2O', '*1'];
    const pair = on(['5S', '5H'], { settings: WILD, you: holding(hand) });
    const tapped = (key: string, ...before: string[][]) => pick(pair, group(hand, key, pair), before.flat());
    expect(tapped('9')).toEqual(['9C', '9E']);
    expect(tapped('7')).toEqual(['7O', '2C']);
    expect(tapped('9', tapped('7'))).toEqual(['9C', '9E']);
    expect(tapped('12', tapped('7'))).toEqual(['12C', '2C']);
    expect(tapped('7', tapped('7'))).toEqual([]);
    // A wild card alone takes the weakest rank that loses no card of a pair; one beside a rank stays with it.
    expect(tapped('*')).toEqual(['*1', '7O']);
    expect(tapped('*', ['12C'])).toEqual(['12C', '*1']);
    expect(tapped('2O')).toEqual(['2O']);
  });

  test('what the trick asks for no more goes first', () => {
    const hand = ['7O', '*1', '*2'];
    const single = on(['5S'], { settings: WILD, you: holding(hand) });
    expect(pick(single, group(hand, '7', single), ['7O', '*1'])).toEqual(['7O']);
    const pair = on(['5S', '5H'], { settings: WILD, you: holding(hand) });
    expect(pick(pair, group(hand, '7', pair), ['7O', '*1', '*2'])).toEqual(['*1', '*2']);
  });

  test('no card stands for a joker that is a rank of its own', () => {
    const settings = PRESI({ joker: 'high', jokers: 2, wild_twos: true });
    const hand = ['2C', '*1'];
    const pair = on(['5S', '5H'], { settings, you: holding(hand) });
    expect(leastPlay(pair, group(hand, '*', pair), hand)).toBeNull();
    expect(leastPlay(pair, group(hand, '2', pair), hand)).toBeNull();
    expect(meanings(pair, ['2C', '*1'])).toEqual([]);
    expect(pick(view({ settings }), group(hand, '2', pair), ['*1'])).toEqual(['2C']);
  });

  test('the two of coins goes with other twos as a two', () => {
    const now = on(['7S', '7H'], { settings: PRESI() });
    const hand = ['2C', '2O'];
    expect(pick(now, group(hand, '2O', now), ['2C'])).toEqual(['2C', '2O']);
    const mine = { ...now, you: holding(hand) };
    expect(pick(mine, group(hand, '2', mine), [])).toEqual(['2C', '2O']);
    expect(pick(on(['7S'], { settings: PRESI() }), group(hand, '2O', now), ['2C'])).toEqual(['2O']);
  });
});

describe('the layout of the hand', () => {
  const FULL = groups(['3S', '4S', '5S', '6S', '7S', '8S', '9S', 'TS', 'JS', 'QS', 'KS', 'AS', '2S', '3H', '4H', '5H', '6H', '7H'], factsOf(settings()));

  test.each([344, 374, 724, 1200])('every group of a full hand is 44 px to hit, and inside, at %i px', (width) => {
    const layout = handLayout(FULL, width, width < 420 ? 54 : 86);
    expect(Math.min(...layout.spots.map((spot) => spot.width))).toBeGreaterThanOrEqual(44);
    expect(Math.max(...layout.spots.map((spot) => spot.left + spot.width))).toBeLessThanOrEqual(width + 1);
    expect(layout.spots).toHaveLength(FULL.length);
  });

  // Where a corner of a card lies that is turned about the point the hand is held at, 120 % down its first card.
  const corner = (x: number, y: number, turn: number, left: number, w: number): number => {
    const [dx, dy, a] = [x - w / 2, y - 1.2 * 1.42 * w, (turn * Math.PI) / 180];
    return left + w / 2 + dx * Math.cos(a) - dy * Math.sin(a);
  };

  test.each([488, 600, 640, 700, 724, 900, 902, 1200])('no card of a fan reaches over an edge of %i px, drawn up or not, whatever the hand', (width) => {
    const w = width < 684 ? 62 : 86;
    for (let count = 1; count <= FULL.length; count++) {
      for (const many of [1, 2, 4]) {
        const hand = groups(FULL.slice(0, count).flatMap(({ rank }) => ['S', 'H', 'D', 'C'].slice(0, many).map((suit) => rank + suit)), factsOf(settings()));
        const { spots } = handLayout(hand, width, w);
        const xs = spots.flatMap((spot) => spot.group.cards.flatMap((_, i) => [0, w].flatMap((x) => [-17, 1.42 * w].map((y) => corner(x + i * spot.inner, y, spot.turn, spot.left, w)))));
        expect([Math.min(...xs) >= -1, Math.max(...xs) <= width + 1], `${count} ranks of ${many}`).toEqual([true, true]);
      }
    }
  });
});
