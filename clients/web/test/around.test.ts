import { describe, expect, test } from 'vitest';
import { chairs, type Cloth, clothOf } from '../src/play/around';
import { settings } from './helpers';

const CLOTHS: [Cloth, number, number, number][] = [['narrow', 344, 300, 96], ['narrow', 317, 290, 96], ['low', 624, 245, 96], ['round', 700, 480, 124]];

describe.each(CLOTHS)('on a %s cloth of %i by %i', (cloth, width, height, chair) => {
  test('is the shape it is taken for', () => {
    expect(clothOf(width, height)).toBe(cloth);
  });

  test.each([1, 2, 3, 4, 5, 6])('%i others: no chair covers another, each seat once, clockwise from the left', (count) => {
    const order = Array.from({ length: count + 1 }, (_, n) => n);
    const spots = chairs(order, 0, settings(), cloth);
    expect(spots.map((spot) => spot.seat)).toEqual(order.slice(1));
    const boxes = spots.map((spot) => {
      const half = chair / 2 + 2;
      return { x: Math.min(width - half, Math.max(half, (spot.left / 100) * width)), y: Math.min(height - 84, Math.max(56, (spot.top / 100) * height)) };
    });
    for (const [i, a] of boxes.entries()) {
      for (const b of boxes.slice(i + 1)) expect(Math.abs(a.x - b.x) >= chair || Math.abs(a.y - b.y) >= 66).toBe(true);
    }
    if (count > 1) expect(boxes[0]!.x).toBeLessThan(boxes[count - 1]!.x);
  });
});

test('where play runs anticlockwise the picture does too (RULES 3.1)', () => {
  const there = chairs([0, 1, 2, 3], 0, settings({ ruleset: 'presi' }), 'narrow').map((spot) => spot.seat);
  expect(there).toEqual([3, 2, 1]);
});
