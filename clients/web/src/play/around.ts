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

/** Chairs of all but one's own seat (a spectator sees all of them), clockwise or, where play runs so, anticlockwise. */
export function chairs(order: readonly number[], me: number | null, settings: Settings): Chair[] {
  const from = me === null ? -1 : order.indexOf(me);
  const others = from < 0 ? [...order] : [...order.slice(from + 1), ...order.slice(0, from)];
  if (factsOf(settings).anticlockwise) others.reverse();
  // A spectator has no seat at the bottom: the whole circle is for the others.
  const spread = from < 0 ? 360 - 360 / Math.max(1, others.length) : (SPREAD[others.length] ?? 220);
  return others.map((seat, i) => {
    const part = others.length === 1 ? 0.5 : i / (others.length - 1);
    const angle = ((90 + spread / 2 - part * spread) * Math.PI) / 180;
    const [middle, height] = from < 0 ? [50, 36] : [55, 42];
    return { seat, left: 50 + 39 * Math.cos(angle), top: middle - height * Math.sin(angle) };
  });
}
