// One line for an event, as table activity shows it and as the screen reader may hear it.
import { isGivenUp } from '../play/awaited';
import type { Card, LogEvent, View } from '../protocol/types';
import { t, tx } from './i18n.svelte';
import { playName, seatName } from './words';

export interface Line {
  text: string;
  kind: 'play' | 'late' | 'close' | 'big' | 'quiet';
  seat: number | null;
}

const LOUD = new Set(['round_ended', 'game_started', 'game_ended', 'dealt']);
const SILENT = new Set(['committed', 'salted', 'turn_began', 'table_opened', 'trick_opened', 'exchange_closed']);

function played(event: LogEvent, name: string): string {
  const cards = playName(event['cards'] as Card[]);
  if (event['by'] === 'timer') return t('feed.played.timer', { name, cards });
  return t(event['by'] === 'standin' ? 'feed.played.bot' : 'feed.played', { name, cards });
}

/** Who sat there when it happened, as far as that was noted; else who sits there now. */
export function nameIn(event: LogEvent, seat: number | null, view: View): string {
  const noted = seat === null ? undefined : (event['names'] as Record<string, string> | undefined)?.[seat];
  return noted ?? seatName(view, seat);
}

/** The line for an event, or null for one that says nothing to a person (and for one this client does not know). */
export function feedLine(event: LogEvent, view: View): Line | null {
  if (SILENT.has(event.type)) return null;
  const seat = (event['seat'] ?? event['from'] ?? null) as number | null;
  const name = seat === null ? '' : nameIn(event, seat, view);
  const line = (text: string | null, kind: Line['kind']): Line | null => (text === null ? null : { text, kind, seat });
  switch (event.type) {
    case 'played':
      return line(played(event, name), 'play');
    case 'race_lost':
      return line(t('feed.race_lost', { name, ms: event['late_ms'] as number }), 'late');
    case 'trick_closed':
      return line(tx(`feed.trick_closed.${event['why'] as string}`), 'close');
    case 'finished':
      return line(t(event['penalised'] === true ? 'feed.penalised' : 'feed.finished', { name }), 'big');
    case 'given':
      return line(
        t('feed.given', { name, to: nameIn(event, event['to'] as number, view), n: event['count'] as number }),
        'quiet',
      );
    case 'round_ended': {
      const first = nameIn(event, (event['standings'] as number[])[0] ?? null, view);
      return line(t('feed.round_ended', { n: event['round'] as number, name: first }), 'big');
    }
    case 'game_ended':
      return line(tx(`feed.game_ended.${event['why'] as string}`) ?? t('feed.game_ended'), 'big');
    case 'seat_freed':
      if (isGivenUp(event)) return line(t('feed.seat_freed.given_up', { name }), 'big');
      return line(tx(`feed.seat_freed.${event['why'] as string}`, { name }), 'quiet');
    case 'leaving':
      return line(tx(`feed.${event.type}.${event['why'] as string}`, { name }), 'quiet');
    default:
      return line(
        tx(`feed.${event.type}`, { name, n: (event['round'] as number | undefined) ?? 0 }),
        LOUD.has(event.type) ? 'big' : 'quiet',
      );
  }
}
