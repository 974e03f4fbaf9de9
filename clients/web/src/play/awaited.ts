// Policy `wait` (RULES 3.10): whose chair waits and until when, and whose absence ended a game.
import type { LogEvent, Seat, View } from '../protocol/types';

/** How long a chair waits, from the loss of its connection, the start of the game or the server's return. */
export const WAIT_MS = 60_000;

/** Whether nobody acts for this chair, since its person is to come back. */
export const isLostPerson = (seat: Seat): boolean => seat.kind === 'person' && !seat.connected && !seat.leaving;

const IN_GAME = new Set<View['phase']>(['exchange', 'playing', 'results']);

/** The seats that a game in progress waits for. */
export const awaited = (view: View): Seat[] =>
  view.settings.disconnect === 'wait' && IN_GAME.has(view.phase) ? view.seats.filter(isLostPerson) : [];

/** How the last game was cut short, if no other has begun since: back in the lobby nothing else tells it. */
export function cutShort(feed: readonly LogEvent[]): { why: 'cancelled' | 'interrupted'; seat: LogEvent | null } | null {
  const at = feed.map((event) => event.type).lastIndexOf('game_ended');
  const why = feed[at]?.['why'];
  if (why !== 'cancelled' && why !== 'interrupted') return null;
  const since = feed.slice(at + 1);
  if (since.some((event) => event.type === 'game_started')) return null;
  return { why, seat: since.find(isGivenUp) ?? null };
}

/** A seat freed because its person did not come back: marked as such when it came. */
export const isGivenUp = (event: LogEvent): boolean => event.type === 'seat_freed' && event['given_up'] === true;

/** Whether a seat is freed by the decision that cancelled a game: `game_ended lobby_opened seat_freed` (PROTOCOL 4). */
export const givesUp = (feed: readonly LogEvent[], event: LogEvent): boolean =>
  event.type === 'seat_freed' && feed[feed.length - 1]?.type === 'lobby_opened'
  && feed[feed.length - 2]?.type === 'game_ended' && feed[feed.length - 2]?.['why'] === 'cancelled'
  && feed[feed.length - 2]?.seq === event.seq - 2 && feed[feed.length - 2]?.at === event.at;
