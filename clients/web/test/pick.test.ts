// What is lit is one tap and the Play button away, at any trick, under any rules; and the button offers nothing that these
// rules refuse. What they are is held against the server's by tests/browser/test_form.py.
import { describe, expect, test, vi } from 'vitest';
import { Gestures } from '../src/play/gesture.svelte';
import { groups, leastPlay, pick } from '../src/play/hand';
import { factsOf, isWild, whyNotThese } from '../src/play/rules';
import { parseCard } from '../src/cards/card';
import type { OptionValue, View } from '../src/protocol/types';
import type { Session } from '../src/state/session.svelte';
import { settings, view } from './helpers';

/** Every value of every option that an answer hangs on. */
const OPTIONS: Record<string, Record<string, OptionValue[]>> = {
  president: {},
  house: { sit_out: [false, true] },
  presi: {
    deck: ['spanish48', 'spanish40'], three: ['lowest', 'below_two'], jokers: [0, 1, 2, 4], joker: ['high', 'wild'],
    wild_twos: [false, true], turning: ['off', 'order_and_direction'], must_beat: [false, true], killer: [true, false],
  },
  escoria: {
    larger_sets: ['off', 'higher', 'any'], equal: [false, true], turning: ['off', 'order', 'run'], jokers: [false, true],
    two_high_low: [false, true], transparent_threes: [false, true],
  },
};
const ROUNDS = 300;

/** Numbers that are the same in each run (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A table, a hand and a trick, of cards that are all different. */
function position(ruleset: string, roll: (below: number) => number): View {
  const of = <T>(all: readonly T[]): T => all[roll(all.length)] as T;
  const options = Object.fromEntries(Object.entries(OPTIONS[ruleset] ?? {}).map(([name, values]) => [name, of(values)]));
  const given = settings({ ruleset, options, mode: of(['rapid', 'turns']) });
  const facts = factsOf(given);
  const suits = facts.spanish ? ['O', 'C', 'E', 'B'] : ['S', 'H', 'D', 'C'];
  const jokers = Array.from({ length: facts.jokers }, (_, i) => `*${i + 1}`);
  const deck = [...facts.order.flatMap((rank) => suits.map((suit) => rank + suit)), ...jokers];
  const draw = (): string => deck.splice(roll(deck.length), 1)[0] as string;
  const plays = Array.from({ length: roll(3) }, (_, i) => {
    const rank = of(facts.order);
    const count = 1 + roll(4);
    const cards = deck.filter((card) => parseCard(card).rank === rank).slice(0, count);
    for (const card of cards) deck.splice(deck.indexOf(card), 1);
    return { seat: 1 + i, cards };
  }).filter((play) => play.cards.length > 0);
  const hand = Array.from({ length: 1 + roll(14) }, draw);
  const top = plays[plays.length - 1] ?? null;
  const must_rank = ruleset === 'president' && given.mode === 'turns' && top !== null && roll(4) === 0 ? parseCard(top.cards[0] ?? '').rank : null;
  return view({
    settings: given, revolution: roll(3) === 0, turn: given.mode === 'turns' ? 0 : null, must_rank,
    trick: { number: 1, state: 11, top, plays }, you: { seat: 0, hand, owes: null, salted: true },
  });
}

/** Gestures of whoever sees this and has selected these cards, and what was sent and refused. */
function hands(given: View, selected: readonly string[]) {
  const session = {
    view: given, state: { selected, outcome: null }, can_act: true, painted: 11, wild_rank: null,
    is_pending: () => false, play: vi.fn(), refuse: vi.fn(),
  };
  return { session, gestures: new Gestures(session as unknown as Session) };
}

describe.each(Object.keys(OPTIONS))('%s', (ruleset) => {
  const roll = dice(7);
  const positions = Array.from({ length: ROUNDS }, () => position(ruleset, roll));
  const each = positions.flatMap((now) => groups(now.you?.hand ?? [], factsOf(now.settings)).map((group) => ({ now, group, hand: now.you?.hand ?? [] })));

  test('each lit rank is played by one tap and the button, whatever was selected before', () => {
    let lit = 0;
    for (const { now, group, hand } of each) {
      if (leastPlay(now, group, hand) === null) continue;
      lit += 1;
      const others = groups(hand, factsOf(now.settings)).filter((other) => other.key !== group.key);
      const before = others.map((other) => pick(now, other, [])).filter((cards) => !cards.some((card) => group.cards.includes(card)));
      for (const selected of [[], ...before]) {
        const cards = pick(now, group, selected);
        expect(cards.some((card) => group.cards.includes(card))).toBe(true);
        const { session, gestures } = hands(now, cards);
        expect([now.trick?.top, cards, gestures.can_play]).toEqual([now.trick?.top, cards, true]);
        gestures.play();
        expect(session.play).toHaveBeenCalledExactlyOnceWith(11, gestures.cards());
      }
    }
    expect(lit).toBeGreaterThan(ROUNDS);
  });

  test('one tap takes no wild card where cards of the rank are enough', () => {
    for (const { now, group, hand } of each) {
      const facts = factsOf(now.settings);
      const cards = leastPlay(now, group, hand) ?? [];
      if (isWild(facts, group.cards[0] ?? '') || !cards.some((card) => isWild(facts, card))) continue;
      const same = hand.filter((card) => parseCard(card).rank === group.rank && !isWild(facts, card));
      expect(cards).toEqual(expect.arrayContaining(same));
    }
  });

  test('what is not lit is in no set of the hand that answers', () => {
    for (const { now, group, hand } of each) {
      if (leastPlay(now, group, hand) !== null) continue;
      const facts = factsOf(now.settings);
      const wild = hand.filter((card) => isWild(facts, card));
      for (const rank of [...facts.order, '*']) {
        const plain = hand.filter((card) => parseCard(card).rank === rank && !wild.includes(card));
        const all = [...plain, ...(rank === '*' ? [] : wild)];
        const own = all.find((card) => group.cards.includes(card));
        if (own === undefined) continue;
        const sets = all.map((_, i) => [own, ...all.filter((card) => card !== own)].slice(0, i + 1)).filter((set) => set.length <= 4);
        for (const set of sets) expect([now.trick?.top, rank, set, whyNotThese(now, set, rank)]).not.toContain(null);
      }
    }
  });

  test('after any taps the button sends what answers, or says why not and sends nothing', () => {
    for (const now of positions.slice(0, ROUNDS / 3)) {
      const hand = now.you?.hand ?? [];
      const all = groups(hand, factsOf(now.settings));
      let selected: string[] = [];
      for (let tap = 0; tap < 8; tap++) {
        const group = all[roll(all.length)];
        if (group !== undefined) selected = pick(now, group, selected);
        expect(new Set(selected).size).toBe(selected.length);
        expect(selected.length).toBeLessThanOrEqual(4);
        const { session, gestures } = hands(now, selected);
        gestures.play();
        const is_sent = session.play.mock.calls.length === 1;
        expect(is_sent).toBe(gestures.can_play);
        if (!is_sent && selected.length > 0) expect(session.refuse).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^(wrong_count|too_weak|must_match_rank|not_a_combination)$/));
      }
    }
  });
});
