// The whole of what the page shows, as a pure function of what came before and one message.
import { parseCard } from '../cards/card';
import type { Card, LogEvent, Move, Reply, Settings, View, Welcome } from '../protocol/types';
import { givesUp } from '../play/awaited';
import { changesOf } from '../play/changes';
import { fold, Impossible } from './fold';
import {
  FEED_LIMIT, INITIAL, RACE_LIMIT, wentWell, type Attempt, type Message, type Outcome, type Race, type Swap, type TableState,
} from './state';

const limited = <T>(items: readonly T[], item: T, limit: number): T[] =>
  items.length < limit ? [...items, item] : [...items.slice(items.length - limit + 1), item];

/** Ids go up, also past outcomes that went meanwhile: those go with an event. */
function outcome(state: TableState, result: Omit<Outcome, 'id'>): Outcome {
  return { id: Math.max((state.outcome?.id ?? 0) + 1, 1_000 * state.seq), ...result };
}

function isStanding(cards: readonly Card[], hand: readonly Card[]): boolean {
  return cards.every((card) => hand.includes(card));
}

/** What is selected stays selected as long as it is in hand, whatever else happens (issue, point 4). */
function pruned(state: TableState): TableState {
  const hand = state.view?.you?.hand ?? [];
  if (state.selected.length === 0 || isStanding(state.selected, hand)) return state;
  return { ...state, selected: state.selected.filter((card) => hand.includes(card)) };
}

/** The activity up to a fresh view; a word stands where events were missed. */
function feedUpTo(state: TableState, seq: number): readonly LogEvent[] {
  const feed = state.feed.filter((event) => event.seq <= seq);
  const last = feed[feed.length - 1];
  if (last === undefined || seq <= Math.max(state.seq, last.seq)) return feed;
  return limited(feed, { t: 'event', seq, at: 0, type: 'missed' }, FEED_LIMIT);
}

/** What an event alone does not tell, but the view before it: whether a play opened, whether a bot acted for somebody who
 * has left, which settings are new. */
function beside({ view }: TableState, event: LogEvent): Record<string, unknown> {
  if (view === null) return {};
  if (event.type === 'settings_changed') return { changes: changesOf(view.settings, event['settings'] as Settings) };
  const seat = view.seats.find((each) => each.seat === (event['seat'] ?? event['from']));
  const for_leaver = event['by'] === 'bot' && seat?.kind === 'person';
  const opens = event.type === 'played' && view.trick?.top === null;
  return { ...(for_leaver ? { for_leaver } : {}), ...(opens ? { opens } : {}) };
}

/** The event as the activity keeps it: with the names that its seats have now, since a seat may go to somebody else. */
function noted(state: TableState, event: LogEvent, view: View): LogEvent {
  const moves = (event['moves'] as Move[] | undefined) ?? [];
  const ends = moves.flatMap((move) => [move.from, move.to]);
  const told = [event['seat'], event['from'], event['to'], (event['standings'] as number[] | undefined)?.[0], ...ends];
  const seats = told.filter((seat): seat is number => typeof seat === 'number');
  const nameOf = (seat: number) => [...(state.view?.seats ?? []), ...view.seats].find((each) => each.seat === seat)?.name;
  const names = Object.fromEntries(seats.map((seat) => [seat, nameOf(seat)]).filter(([, name]) => name !== undefined));
  const given_up = givesUp(state.feed, event);
  return { ...event, ...beside(state, event), ...(seats.length > 0 ? { names } : {}), ...(given_up ? { given_up } : {}) };
}

function welcome(state: TableState, message: Welcome): TableState {
  const lost = state.pending.find((attempt) => attempt.kind === 'play' || attempt.kind === 'pass');
  const base: TableState = {
    ...state,
    seq: message.seq,
    pending: [],
    settings_errors: [],
    broken: null,
    outcome: lost === undefined ? state.outcome : outcome(state, { kind: 'unknown' }),
  };
  if (message.view === null) {
    const is_other = message.seq !== state.seq || message.seat !== (base.view?.you?.seat ?? null);
    return base.view === null || is_other ? { ...base, broken: 'welcome without a view' } : base;
  }
  const old = state.view;
  const is_same_deal = old !== null && old.game === message.view.game && old.round === message.view.round;
  return pruned({
    ...base,
    view: message.view,
    closed: null,
    skipped: null,
    feed: feedUpTo(state, message.seq),
    swap: is_same_deal ? state.swap : INITIAL.swap,
  });
}

/** Cards this seat gave or got by the event, for the exchange screen and the first trick after it. */
function swapped(state: TableState, event: LogEvent): Swap {
  const me = state.view?.you?.seat;
  if (me === undefined) return state.swap;
  if (event.type === 'dealt') return INITIAL.swap;
  if (event.type === 'given') return event['from'] === me ? gave(state.swap, event as unknown as Move) : state.swap;
  if (event.type !== 'exchange_opened' && event.type !== 'exchange_closed') return state.swap;
  let swap = state.swap;
  for (const move of event['moves'] as Move[]) {
    if (move.to === me) swap = { ...swap, got: [...swap.got, ...(move.cards ?? [])], from: move.from };
    // What is moved when it closes was told when it was given.
    if (move.from === me && event.type === 'exchange_opened') swap = gave(swap, move);
  }
  return swap;
}

const gave = (swap: Swap, { cards, to }: Move): Swap => ({ ...swap, given: [...swap.given, ...(cards ?? [])], to });

function raced(races: readonly Race[], event: LogEvent): readonly Race[] {
  if (event.type === 'played') {
    const { on, seat, cards } = event as unknown as { on: number; seat: number; cards: Card[] };
    return limited(races, { seq: event.seq, on, seat, cards, at: event.at, why: null, lost: [] }, RACE_LIMIT);
  }
  if (event.type === 'trick_closed') {
    const why = event['why'] as string;
    return limited(races, { seq: event.seq, on: null, seat: null, cards: [], at: event.at, why, lost: [] }, RACE_LIMIT);
  }
  if (event.type !== 'race_lost') return races;
  const index = raceIndex(races, event['on'] as number);
  const race = races[index];
  if (race === undefined) return races;
  const loss = { seat: event['seat'] as number, late_ms: event['late_ms'] as number };
  return races.map((each, i) => (i === index ? { ...race, lost: [...race.lost, loss] } : each));
}

/** The race for a trick state: the play that took it, else the closing of its trick (PROTOCOL 4, `race_lost`). */
export function raceIndex(races: readonly Race[], on: number): number {
  const taken = races.findIndex((race) => race.on === on);
  return taken >= 0 ? taken : races.findIndex((race) => race.on === null && race.seq > on);
}

/** What went well by an event: which attempt it answers, and what is told of it. */
const WENT_WELL: Record<string, [Attempt['kind'], Outcome['kind']]> = {
  played: ['play', 'taken'], passed: ['pass', 'passed'], given: ['give', 'given'],
};

/**
 * The event that tells the fate of an attempt comes before its reply, so it is shown at once: the reply comes behind all
 * of the decision, when what the attempt brought about may have made it old.
 */
function ownOutcome(state: TableState, event: LogEvent): Outcome | null {
  const me = state.view?.you?.seat;
  const [asked, kind] = WENT_WELL[event.type] ?? [];
  if (me === undefined || kind === undefined || (event['seat'] ?? event['from']) !== me) return state.outcome;
  if (event['by'] === 'timer') return acted(state, event);
  if (event['by'] !== 'person') return state.outcome;
  const is_mine = (attempt: Attempt): boolean => attempt.kind === asked && (asked !== 'play' || attempt.on === event['on']);
  if (!state.pending.some(is_mine)) return state.outcome;
  return outcome(state, { kind, ...(asked === 'pass' ? {} : { cards: event['cards'] as Card[] }) });
}

const DID = { played: 'played', passed: 'passed', given: 'given' } as const;
const MOVES = new Set<Attempt['kind']>(['play', 'pass', 'give']);

/** What the server did for this seat at the end of its time: nothing else on the table says who it was. */
function acted(state: TableState, event: LogEvent): Outcome {
  const opened = event.type === 'played' && state.view?.trick?.top === null;
  const did = opened ? 'opened' : DID[event.type as keyof typeof DID];
  const late = state.pending.find((attempt) => MOVES.has(attempt.kind));
  return outcome(state, { kind: 'acted', did, cards: (event['cards'] as Card[] | undefined) ?? [], instead: late?.id });
}

/** Events behind which nothing is told of an attempt before them, read or not. */
const ENDS = new Set(['dealt', 'round_ended', 'lobby_opened']);

/** Whether the event makes old what is told of one’s latest attempt: a new trick, another's play, one's own turn or skip. */
function makesOld(state: TableState, event: LogEvent): boolean {
  const is_mine = event['seat'] === state.view?.you?.seat;
  if (event.type === 'trick_opened') return true;
  return event.type === 'played' ? !is_mine : is_mine && (event.type === 'turn_began' || event.type === 'skipped');
}

/** "Not your turn" beside "Your turn": what was refused then is asked for now. */
function isContradicted(told: Outcome, event: LogEvent): boolean {
  if (told.kind !== 'refused') return false;
  return (event.type === 'turn_began' && told.why === 'not_your_turn') || (event.type === 'trick_opened' && told.why === 'already_passed');
}

/** What is told of one's latest attempt behind an event. */
function toldAfter(state: TableState, event: LogEvent): Outcome | null {
  if (ENDS.has(event.type)) return null;
  const told = ownOutcome(state, event);
  if (told === null || told !== state.outcome || !makesOld(state, event)) return told;
  if (told.is_read || wentWell(told) || isContradicted(told, event)) return null;
  return told.is_past ? told : { ...told, is_past: true };
}

/** A fault stood long enough to be read: it goes if it is old, else with what makes it so. */
function outcomeRead(state: TableState, id: number): TableState {
  const told = state.outcome;
  if (told === null || told.id !== id) return state;
  return { ...state, outcome: told.is_past ? null : { ...told, is_read: true } };
}

function eventArrived(state: TableState, event: LogEvent): TableState {
  if (state.view === null || event.seq !== state.seq + 1) {
    return { ...state, broken: `event ${event.seq} after ${state.seq}` };
  }
  try {
    const view = fold(state.view, event);
    const trick = event.type === 'trick_closed' ? { plays: state.view.trick, why: event['why'] as string } : null;
    const is_new_play = event.type === 'played' || event.type === 'dealt' || event.type === 'lobby_opened';
    return pruned({
      ...state,
      seq: event.seq,
      view,
      feed: limited(state.feed, noted(state, event, view), FEED_LIMIT),
      races: event.type === 'dealt' ? [] : raced(state.races, event),
      outcome: toldAfter(state, event),
      swap: swapped({ ...state, view }, event),
      closed: trick ?? (is_new_play ? null : state.closed),
      skipped: event.type === 'skipped' ? (event['seat'] as number) : is_new_play || trick !== null ? null : state.skipped,
      selected: event.type === 'dealt' ? [] : state.selected,
    });
  } catch (error) {
    if (error instanceof Impossible || error instanceof TypeError) return { ...state, broken: error.message };
    throw error;
  }
}

function judged(state: TableState, attempt: Attempt, reply: Reply): Outcome | null {
  if (reply.ok || state.outcome?.instead === attempt.id) return state.outcome;
  const why = reply.why ?? 'malformed';
  if (reply.late_ms === undefined || reply.late_ms === null || attempt.on === null) {
    return outcome(state, { kind: 'refused', why });
  }
  const race = state.races[raceIndex(state.races, attempt.on)];
  const late = { why, late_ms: reply.late_ms };
  if (race === undefined || race.seat === null) return outcome(state, { kind: 'too_late', ...late });
  return outcome(state, { kind: 'beaten', by: race.seat, cards: race.cards, ...late });
}

function replied(state: TableState, reply: Reply): TableState {
  const attempt = state.pending.find((each) => each.id === reply.id);
  if (attempt === undefined) return state;
  const pending = state.pending.filter((each) => each !== attempt);
  if (attempt.kind === 'other') return { ...state, pending };
  const settings_errors = attempt.do === 'settings' ? (reply.errors ?? []) : state.settings_errors;
  return { ...state, pending, settings_errors, outcome: judged(state, attempt, reply) };
}

export function reduce(state: TableState, message: Message): TableState {
  switch (message.t) {
    case 'welcome':
      return welcome(state, message);
    case 'event':
      return eventArrived(state, message);
    case 'reply':
      return replied(state, message);
    case 'presence':
      return { ...state, spectators: message.spectators };
    case 'reaction': {
      const id = (state.reactions[state.reactions.length - 1]?.id ?? 0) + 1;
      return { ...state, reactions: limited(state.reactions, { id, seat: message.seat, emoji: message.emoji }, 12) };
    }
    case 'reaction_over':
      return { ...state, reactions: state.reactions.filter((each) => each.id !== message.id) };
    case 'sent':
      return { ...state, pending: [...state.pending, message.attempt] };
    case 'refused':
      return { ...state, outcome: outcome(state, { kind: 'refused', why: message.why }) };
    case 'outcome_read':
      return outcomeRead(state, message.id);
    case 'dropped':
      return { ...state, pending: [], outcome: droppedOutcome(state) };
    case 'remembered':
      return pruned({ ...state, swap: message.swap, selected: message.selected });
    case 'select':
      return { ...state, selected: message.cards.filter((card) => inHand(state, card)) };
    default:
      return state;
  }
}

const inHand = (state: TableState, card: Card): boolean =>
  state.view?.you?.hand.includes(parseCard(card).id) ?? false;

/** An attempt whose reply went down with the connection: the events will tell. */
function droppedOutcome(state: TableState): Outcome | null {
  const open = state.pending.some((attempt) => attempt.kind === 'play' || attempt.kind === 'pass');
  return open ? outcome(state, { kind: 'unknown' }) : state.outcome;
}
