// The lines for an event, as table activity shows them and as the screen reader may hear them.
import { isGivenUp } from '../play/awaited';
import type { Change } from '../play/changes';
import { factsOf } from '../play/rules';
import type { Card, LogEvent, Move, View } from '../protocol/types';
import { t, tx } from './i18n.svelte';
import { changeText } from './settings';
import { cardNames, lateBy, list, playName, seatName } from './words';

export interface Line {
  text: string;
  kind: 'play' | 'late' | 'close' | 'big' | 'quiet';
  seat: number | null;
}

const LOUD = new Set(['round_ended', 'game_started', 'game_ended', 'dealt']);
const SILENT = new Set(['committed', 'salted', 'turn_began', 'table_opened', 'trick_opened', 'exchange_closed']);

/** Who sat there when it happened, as far as that was noted; else who sits there now. */
export function nameIn(event: LogEvent, seat: number | null, view: View): string {
  const noted = seat === null ? undefined : (event['names'] as Record<string, string> | undefined)?.[seat];
  return noted ?? seatName(view, seat);
}

/** Who acted, where it was not the person whose seat it is. */
function actor(event: LogEvent, name: string): string {
  if (event['by'] === 'standin') return t('feed.by.standin', { name });
  return event['for_leaver'] === true ? t('feed.by.bot', { name }) : name;
}

function played(event: LogEvent, name: string): string {
  const cards = playName(event['cards'] as Card[]);
  if (event['by'] !== 'timer') return t('feed.played', { name: actor(event, name), cards });
  return t(event['opens'] === true ? 'feed.opened.timer' : 'feed.played.timer', { name, cards });
}

const passed = (event: LogEvent, name: string): string =>
  event['by'] === 'timer' ? t('feed.passed.timer', { name }) : t('feed.passed', { name: actor(event, name) });

/** Cards that change hands: how many, or which, where this viewer may know them. */
function changesHands(key: string, event: LogEvent, move: Move, view: View, giver: string): string {
  const known = move.cards !== undefined;
  const cards = cardNames(move.cards ?? [], factsOf(view.settings));
  return tx(known ? `${key}.cards` : key, { name: giver, to: nameIn(event, move.to, view), n: move.count, cards }) ?? '';
}

function given(event: LogEvent, view: View, name: string): string {
  const move = event as unknown as Move;
  if (event['by'] === 'timer') return changesHands('feed.given.timer', event, move, view, name);
  return changesHands('feed.given', event, move, view, actor(event, name));
}

const moves = (key: string, event: LogEvent, told: readonly Move[], view: View): Line[] =>
  told.map((move) => ({ text: changesHands(key, event, move, view, nameIn(event, move.from, view)), kind: 'quiet', seat: move.from }));

/** What was changed; of a line that an older page kept that is not known. */
function settings(event: LogEvent, view: View): string | null {
  const changes = event['changes'] as Change[] | undefined;
  if (changes === undefined) return t('feed.settings_changed');
  const what = changes.map((change) => changeText(change, (seat) => seatName(view, seat)));
  return what.length === 0 ? null : t('feed.settings_changed.to', { what: list(what) });
}

/** The lines for an event: none for one that says nothing to a person (and for one this client does not know). */
export function feedLines(event: LogEvent, view: View): Line[] {
  const line = feedLine(event, view);
  const lines = line === null ? [] : [line];
  const told = (event['moves'] as Move[] | undefined) ?? [];
  if (event.type === 'exchange_opened') return [...lines, ...moves('feed.moved', event, told, view)];
  // That it was given stands there already; who gets it knows only now which cards they are.
  if (event.type === 'exchange_closed') return moves('feed.got', event, told.filter((move) => move.to === view.you?.seat), view);
  return lines;
}

/** The first of the lines for an event, or null. */
export function feedLine(event: LogEvent, view: View): Line | null {
  if (SILENT.has(event.type)) return null;
  const seat = (event['seat'] ?? event['from'] ?? null) as number | null;
  const name = seat === null ? '' : nameIn(event, seat, view);
  const line = (text: string | null, kind: Line['kind']): Line | null => (text === null ? null : { text, kind, seat });
  switch (event.type) {
    case 'played':
      return line(played(event, name), 'play');
    case 'passed':
      return line(passed(event, name), 'quiet');
    case 'race_lost':
      return line(t('feed.race_lost', { name, by: lateBy(event['late_ms'] as number) }), 'late');
    case 'trick_closed':
      return line(tx(`feed.trick_closed.${event['why'] as string}`), 'close');
    case 'finished':
      return line(t(event['penalised'] === true ? 'feed.penalised' : 'feed.finished', { name }), 'big');
    case 'given':
      return line(given(event, view, name), 'quiet');
    case 'settings_changed':
      return line(settings(event, view), 'quiet');
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
