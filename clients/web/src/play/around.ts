// Where the seats stand in the picture: one's own at the bottom, the others around the table in the direction of play.
import type { Settings } from '../protocol/types';
import { factsOf } from './rules';

export interface Chair {
  seat: number;
  /** place in percent of the picture's width and height */
  left: number;
  top: number;
}

/** `spread` degrees of the ellipse that n others share, the open side down to one's own hand. */
const SPREAD = [0, 0, 110, 164, 188, 204, 212, 216];

/** Where the cloth is as narrow as a phone, chairs stand in two columns and a top row, clear of the ring, the photo finish
 * and one another: percent of width and height for 1 to 7 others, clockwise from the bottom left. */
const NARROW: readonly (readonly [number, number][])[] = [
  [],
  [[50, 16]],
  [[18, 28], [82, 28]],
  [[14.500, 44], [50, 16], [85.500, 44]],
  [[14.500, 60], [24, 20], [76, 20], [85.500, 60]],
  [[14.500, 68], [17, 34], [50, 16], [83, 34], [85.500, 68]],
  [[14.500, 72], [14.500, 44], [33, 16], [67, 16], [85.500, 44], [85.500, 72]],
  [[14.500, 72], [14.500, 44], [14.500, 16], [50, 16], [85.500, 16], [85.500, 44], [85.500, 72]],
];

/** On a low, wide cloth they stand left and right of the ring, in two rows. */
const LOW: readonly (readonly [number, number][])[] = [
  [],
  [[20, 44]],
  [[19, 44], [81, 44]],
  [[19, 64], [19, 24], [81, 44]],
  [[19, 64], [19, 24], [81, 24], [81, 64]],
  [[19, 64], [10, 24], [28, 24], [81, 24], [81, 64]],
  [[19, 64], [10, 24], [28, 24], [72, 24], [90, 24], [81, 64]],
  [[28, 64], [10, 64], [10, 24], [28, 24], [72, 24], [90, 24], [81, 64]],
];

export type Cloth = 'round' | 'narrow' | 'low';

/** The shape of a cloth of so many pixels. */
export const clothOf = (width: number, height: number): Cloth => (width < 480 ? 'narrow' : height < 330 ? 'low' : 'round');

/** Chairs of all but one's own seat (a spectator sees all of them), clockwise or, where play runs so, anticlockwise. */
export function chairs(order: readonly number[], me: number | null, settings: Settings, cloth: Cloth = 'round'): Chair[] {
  const from = me === null ? -1 : order.indexOf(me);
  const others = from < 0 ? [...order] : [...order.slice(from + 1), ...order.slice(0, from)];
  if (factsOf(settings).anticlockwise) others.reverse();
  // A narrow cloth without a hand under it is tall enough for the round.
  const spots = (cloth === 'low' ? LOW : cloth === 'narrow' && from >= 0 ? NARROW : [])[others.length];
  if (spots !== undefined) return others.map((seat, i) => ({ seat, left: spots[i]?.[0] ?? 50, top: spots[i]?.[1] ?? 50 }));
  // A spectator has no seat at the bottom: the whole circle is for the others.
  const spread = from < 0 ? 360 - 360 / Math.max(1, others.length) : (SPREAD[others.length] ?? 220);
  return others.map((seat, i) => {
    const part = others.length === 1 ? 0.5 : i / (others.length - 1);
    const angle = ((90 + spread / 2 - part * spread) * Math.PI) / 180;
    const [middle, height] = from < 0 ? [50, 36] : [55, 42];
    return { seat, left: 50 + 39 * Math.cos(angle), top: middle - height * Math.sin(angle) };
  });
}
