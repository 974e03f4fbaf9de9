// One function an event type: the view before it and the event give the view after it (PROTOCOL 3.3, 4).
import { parseCard, playRank } from '../cards/card';
import { isLostPerson, WAIT_MS } from '../play/awaited';
import { passesBind } from '../play/rules';
import { titlesOf } from '../play/titles';
import type { Card, LogEvent, Move, Owes, Results, Seat, Settings, View } from '../protocol/types';

/** An event that cannot follow on the view: the caller asks for a fresh one. */
export class Impossible extends Error {}

type Fold = (view: View, event: LogEvent) => View;

export function withSeat(view: View, seat: number, change: Partial<Seat>): View {
  const index = view.seats.findIndex((each) => each.seat === seat);
  const old = view.seats[index];
  if (old === undefined) throw new Impossible(`no seat ${seat}`);
  const seats = view.seats.slice();
  seats[index] = { ...old, ...change };
  return { ...view, seats };
}

/** A seat that stays as it was stays the same object: its chair is not drawn anew. */
function changed(seat: Seat, change: Partial<Seat>): Seat {
  const is_same = Object.entries(change).every(([key, value]) => seat[key as keyof Seat] === value);
  return is_same ? seat : { ...seat, ...change };
}

const eachSeat = (view: View, change: (seat: Seat) => Partial<Seat>): View => ({
  ...view,
  seats: view.seats.map((seat) => changed(seat, change(seat))),
});

function seatAt(view: View, seat: number): Seat {
  const found = view.seats.find((each) => each.seat === seat);
  if (found === undefined) throw new Impossible(`no seat ${seat}`);
  return found;
}

function addCards(view: View, seat: number, count: number, cards: readonly Card[] | undefined): View {
  const next = withSeat(view, seat, { cards: seatAt(view, seat).cards + count });
  if (next.you === null || next.you.seat !== seat) return next;
  if (cards === undefined) throw new Impossible('own cards hidden');
  return { ...next, you: { ...next.you, hand: [...next.you.hand, ...cards] } };
}

function takeCards(view: View, seat: number, count: number, cards: readonly Card[] | undefined): View {
  const left = seatAt(view, seat).cards - count;
  if (left < 0) throw new Impossible(`seat ${seat} holds ${left} cards`);
  const next = withSeat(view, seat, { cards: left });
  if (next.you === null || next.you.seat !== seat) return next;
  if (cards === undefined) throw new Impossible('own cards hidden');
  const gone = new Set(cards.map((card) => parseCard(card).id));
  const hand = next.you.hand.filter((card) => !gone.has(card));
  if (hand.length !== next.you.hand.length - gone.size) throw new Impossible('a card not in hand');
  return { ...next, you: { ...next.you, hand } };
}

const moved = (view: View, moves: readonly Move[]): View =>
  moves.reduce(
    (now, move) => addCards(takeCards(now, move.from, move.count, move.cards), move.to, move.count, move.cards),
    view,
  );

const arrived = (view: View, moves: readonly Move[]): View =>
  moves.reduce((now, move) => addCards(now, move.to, move.count, move.cards), view);

/** Nobody acts for a lost person's chair (RULES 3.10). */
const isAwaited = (view: View, seat: number): boolean => {
  const row = view.seats.find((each) => each.seat === seat);
  return row !== undefined && isLostPerson(row) && view.settings.disconnect === 'wait';
};

/** The time that lost persons have starts anew: with a game, and with the server's return (RULES 3.10, PROTOCOL 4). */
const waitingFrom = (view: View, at: number): View =>
  eachSeat(view, (seat) => (isAwaited(view, seat.seat) ? { until: at + WAIT_MS } : {}));

/** No timer runs while all who still owe cards are awaited. */
const unlessAllAreAwaited = (view: View): View => {
  const owes = view.exchange?.owes ?? [];
  const isStanding = owes.length > 0 && owes.every((each) => isAwaited(view, each.from));
  return isStanding ? { ...view, deadline: null } : view;
};

/**
 * `deadline` is given with a lost or found connection only where it changed (PROTOCOL 4). In an exchange each has a
 * time of its own, and the view shows the one that ends first.
 */
const retimed = (view: View, event: LogEvent): View => {
  if (event['deadline'] === undefined) return view;
  const own = event['deadline'] as number | null;
  if (view.exchange === null) return { ...view, deadline: own };
  const ends = [view.deadline, own].filter((each) => each !== null);
  return unlessAllAreAwaited({ ...view, deadline: ends.length > 0 ? Math.min(...ends) : null });
};

function seatTaken(view: View, event: LogEvent): View {
  const seat = event['seat'] as number;
  const kind = event['kind'] as Seat['kind'];
  const taken: Seat = {
    seat,
    name: event['name'] as string,
    kind,
    level: (event['level'] as string | undefined) ?? null,
    connected: kind === 'bot',
    standin: false,
    leaving: false,
    cards: 0,
    passed: false,
    place: null,
    role: null,
    total: 0,
  };
  const seats = [...view.seats.filter((each) => each.seat !== seat), taken].sort((a, b) => a.seat - b.seat);
  return { ...view, seats, order: seats.map((each) => each.seat), host: view.host ?? seat };
}

function seatFreed(view: View, event: LogEvent): View {
  const seat = event['seat'] as number;
  return withTitles({
    ...view,
    seats: view.seats.filter((each) => each.seat !== seat),
    order: view.order.filter((each) => each !== seat),
  });
}

/** Those who stay keep their order in the last standings, and take the titles of the smaller number (RULES G7). */
function withTitles(view: View): View {
  if (view.results === null) return view;
  const left = view.results.standings.filter((seat) => view.seats.some((each) => each.seat === seat && each.role !== null));
  const titles = titlesOf(view.settings.ruleset, left.length);
  return eachSeat(view, (seat) => ({ role: titles[left.indexOf(seat.seat)] ?? null }));
}

function dealt(view: View, event: LogEvent): View {
  const counts = event['counts'] as Record<string, number>;
  const hands = event['hands'] as Record<string, Card[]> | undefined;
  const next = eachSeat(view, (seat) => ({ cards: counts[seat.seat] ?? 0, passed: false, place: null }));
  const hand = view.you === null ? undefined : hands?.[view.you.seat];
  if (view.you !== null && hand === undefined && counts[view.you.seat]) throw new Impossible('own hand hidden');
  return {
    ...next,
    phase: 'playing',
    round: event['round'] as number,
    order: event['order'] as number[],
    you: view.you === null ? null : { ...view.you, hand: hand ?? [], owes: null, salted: false },
    ...ROUND_OVER,
    results: null,
    commit: null,
    deal: null,
  };
}

const ROUND_OVER = {
  trick: null,
  revolution: false,
  turn: null,
  must_rank: null,
  deadline: null,
  exchange: null,
} as const;

function exchangeOpened(view: View, event: LogEvent): View {
  const owes = event['owes'] as Owes[];
  const next = moved(view, event['moves'] as Move[]);
  const mine = owes.find((each) => each.from === view.you?.seat);
  return unlessAllAreAwaited({
    ...next,
    phase: 'exchange',
    exchange: { owes },
    deadline: event['deadline'] as number | null,
    you: next.you && { ...next.you, owes: mine ? { to: mine.to, count: mine.count, pick: mine.pick } : null },
  });
}

function given(view: View, event: LogEvent): View {
  const from = event['from'] as number;
  const to = event['to'] as number;
  const next = takeCards(view, from, event['count'] as number, event['cards'] as Card[] | undefined);
  const owes = view.exchange?.owes.filter((each) => !(each.from === from && each.to === to)) ?? [];
  const you = next.you !== null && next.you.seat === from ? { ...next.you, owes: null } : next.you;
  return unlessAllAreAwaited({ ...next, exchange: { owes }, you });
}

function played(view: View, event: LogEvent): View {
  const seat = event['seat'] as number;
  const cards = event['cards'] as Card[];
  if (view.trick === null) throw new Impossible('a play on no trick');
  const next = takeCards(view, seat, cards.length, cards);
  const wiped = passesBind(view.settings) ? next : eachSeat(next, () => ({ passed: false }));
  const play = { seat, cards };
  return {
    ...wiped,
    trick: { ...view.trick, state: event.seq, top: play, plays: [...view.trick.plays, play] },
    revolution: event['revolution'] as boolean,
    order: (event['order'] as number[] | undefined) ?? view.order,
    deadline: event['deadline'] as number | null,
    turn: null,
    must_rank: null,
  };
}

function finished(view: View, event: LogEvent): View {
  const penalised = event['penalised'] === true;
  const of = view.order.length;
  const places = view.seats.map((seat) => seat.place).filter((place): place is number => place !== null);
  let place = penalised ? of : 1;
  while (places.includes(place)) place += penalised ? -1 : 1;
  return withSeat(view, event['seat'] as number, { place });
}

function roundEnded(view: View, event: LogEvent): View {
  const results = {
    round: event['round'],
    standings: event['standings'],
    roles: event['roles'],
    points: event['points'],
    totals: event['totals'],
  } as Results;
  const next = eachSeat(view, ({ seat, total, role }) => ({
    cards: 0,
    passed: false,
    place: results.standings.includes(seat) ? results.standings.indexOf(seat) + 1 : null,
    role: results.roles[seat] ?? role,
    total: results.totals[seat] ?? total,
  }));
  const you = view.you && { ...view.you, hand: [], owes: null };
  return { ...next, ...ROUND_OVER, phase: 'results', results, you };
}

function gameEnded(view: View, event: LogEvent): View {
  const base = view.results ?? { round: view.round ?? 0, standings: [], roles: {}, points: {}, totals: {} };
  const totals = (event['totals'] as Results['totals'] | undefined) ?? base.totals;
  const results = { ...base, totals, why: event['why'] as string, winners: event['winners'] as number[] };
  return {
    ...eachSeat(view, () => ({ standin: false, cards: 0, passed: false, until: null })),
    ...ROUND_OVER,
    phase: 'final',
    results,
    you: view.you && { ...view.you, hand: [], owes: null },
  };
}

const lobbyOpened: Fold = (view) => ({
  ...eachSeat(view, () => ({ cards: 0, passed: false, place: null, role: null, total: 0, standin: false })),
  ...ROUND_OVER,
  phase: 'lobby',
  order: view.seats.map((seat) => seat.seat),
  game: null,
  round: null,
  results: null,
  you: view.you && { ...view.you, hand: [], owes: null },
});

const seatOf = (event: LogEvent): number => event['seat'] as number;

/** Event kinds that change the view. A kind that is not here changes nothing (PROTOCOL: unknown events are ignored). */
const FOLDS: Record<string, Fold> = {
  seat_taken: seatTaken,
  seat_freed: seatFreed,
  leaving: (view, event) => withSeat(view, seatOf(event), { leaving: true, standin: false }),
  host_changed: (view, event) => ({ ...view, host: seatOf(event) }),
  settings_changed: (view, event) => ({ ...view, settings: event['settings'] as Settings }),
  connection_lost: (view, event) => 
    retimed(withSeat(view, seatOf(event), { connected: false, until: (event['until'] as number | undefined) ?? null }), event),
  connection_back: (view, event) => retimed(withSeat(view, seatOf(event), { connected: true, until: null }), event),
  standin_started: (view, event) => withSeat(view, seatOf(event), { standin: true }),
  standin_ended: (view, event) => withSeat(view, seatOf(event), { standin: false }),
  committed: (view, event) => ({
    ...view,
    commit: event['commit'] as string,
    deal: event['deal'] as number,
    you: view.you && { ...view.you, salted: false },
  }),
  salted: (view, event) =>
    view.you?.seat === seatOf(event) ? { ...view, you: { ...view.you, salted: true } } : view,
  game_started: (view, event) => ({
    ...waitingFrom(eachSeat({ ...view, settings: event['settings'] as Settings }, () => ({ place: null, role: null, total: 0 })), event.at),
    game: event['game'] as number,
    round: null,
    results: null,
  }),
  dealt,
  exchange_opened: exchangeOpened,
  given,
  exchange_closed: (view, event) => ({
    ...arrived(view, event['moves'] as Move[]),
    exchange: null,
    deadline: null,
  }),
  trick_opened: (view, event) => ({
    ...eachSeat(view, () => ({ passed: false })),
    phase: 'playing',
    trick: { number: event['trick'] as number, state: event.seq, top: null, plays: [] },
    deadline: event['deadline'] as number | null,
    turn: null,
    must_rank: null,
  }),
  turn_began: (view, event) => ({
    ...view,
    turn: seatOf(event),
    must_rank: event['rank'] as string | null,
    deadline: event['deadline'] as number | null,
  }),
  played,
  passed: (view, event) => ({ ...withSeat(view, seatOf(event), { passed: true }), turn: null, must_rank: null }),
  finished,
  trick_closed: (view) => ({ ...view, trick: null, turn: null, must_rank: null, deadline: null }),
  round_ended: roundEnded,
  game_ended: gameEnded,
  lobby_opened: lobbyOpened,
  resumed: (view, event) => ({ ...(view.game === null ? view : waitingFrom(view, event.at)), deadline: event['deadline'] as number | null }),
  table_closed: (view) => ({ ...view, phase: 'closed', deadline: null }),
};

export function fold(view: View, event: LogEvent): View {
  const step = FOLDS[event.type];
  return step === undefined ? view : step(view, event);
}

export const topRank = (view: View): string | null => (view.trick?.top ? playRank(view.trick.top.cards) : null);
