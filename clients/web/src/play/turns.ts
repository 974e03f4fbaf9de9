// Turn mode in the picture: around which circle the chairs stand, and whose turn comes after this one.
import type { Settings, View } from '../protocol/types';
import { factsOf } from './rules';

/**
 * The seats as they sit around the table. People keep their chairs, whatever the order of play, unless chairs are to
 * move with it (RULES 5.2); while the direction is turned the order is the circle read the other way (PROTOCOL 4, `order`).
 */
export function circleOf(order: readonly number[], is_turned_back: boolean, settings: Settings): number[] {
  if (!factsOf(settings).reseats) return [...order].sort((a, b) => a - b);
  return is_turned_back ? [...order].reverse() : [...order];
}

/** The seat that is asked behind the one whose turn it is, if all goes plainly on (RULES T3, T4); null if there is none. */
export function nextSeat(view: View): number | null {
  const { order, turn, trick } = view;
  const from = turn === null ? -1 : order.indexOf(turn);
  if (from < 0 || trick === null) return null;
  const around = [...order.slice(from + 1), ...order.slice(0, from)];
  for (const seat of around) {
    if (seat === trick.top?.seat) return null;
    const found = view.seats.find((each) => each.seat === seat);
    if (found !== undefined && found.cards > 0 && !found.passed) return seat;
  }
  return null;
}
