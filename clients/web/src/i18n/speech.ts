// What a screen reader hears of a table without being interrupted: what is asked of this viewer and what came of it always
// and at once; plays and closings sparingly while a race runs; passes together, behind whatever can be acted on.
import { factsOf, passesBind } from '../play/rules';
import type { LogEvent, Move, View } from '../protocol/types';
import type { Swap } from '../state/state';
import { exchangeText } from './exchange';
import { feedLine, nameIn } from './feed';
import { t } from './i18n.svelte';
import { cardNames, list, playName, seatName } from './words';

/** In a race so long from one line to the next, and from a pass to its line if nothing else is said before. */
export const RACE_PAUSE_MS = 1_500;

const TABLE = new Set(['played', 'skipped', 'trick_closed', 'finished', 'round_ended', 'game_ended', 'connection_lost', 'standin_started']);

export class Speech {
  private due: LogEvent[] = [];
  private is_asked = false;
  private view: View | null = null;
  private swap: Swap | null = null;
  private last_ms = Number.NEGATIVE_INFINITY;
  private at_ms = Number.POSITIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly utter: (text: string) => void) {}

  /** Events that came, with the state behind them. They are put into words only when they are said: most of a race never is. */
  hear(news: readonly LogEvent[], view: View, swap: Swap): void {
    this.view = view;
    this.swap = swap;
    const said = news.filter((event) => isSaid(event, view));
    const is_my_turn = view.turn !== null && view.turn === view.you?.seat;
    this.is_asked = is_my_turn && (this.is_asked || news.some((event) => event.type === 'turn_began'));
    this.due = worthSaying([...this.due, ...said], view);
    if (said.length > 0 || this.is_asked) this.wait(this.pause(said, view));
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private pause(said: readonly LogEvent[], view: View): number {
    if (!isRace(view) || said.some((event) => isOwn(event, view))) return 0;
    const is_table = said.some((event) => TABLE.has(event.type));
    return is_table ? Math.max(0, this.last_ms + RACE_PAUSE_MS - performance.now()) : RACE_PAUSE_MS;
  }

  private wait(ms: number): void {
    this.at_ms = Math.min(this.at_ms, performance.now() + ms);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.say(), this.at_ms - performance.now());
  }

  private say(): void {
    const { view, swap, due, is_asked } = this;
    this.due = [];
    this.is_asked = false;
    this.at_ms = Number.POSITIVE_INFINITY;
    if (view === null || swap === null) return;
    // A pass alone holds up no play behind it.
    if (due.some((event) => TABLE.has(event.type))) this.last_ms = performance.now();
    const lines = [...spoken(due, view, swap), ...(is_asked ? [turnText(view)] : [])];
    if (lines.length > 0) this.utter(sentences(lines));
  }
}

/** Some lines end in a full stop, others do not. */
const sentences = (lines: readonly string[]): string => lines.map((line, i) => (i < lines.length - 1 ? line.replace(/\.$/, '') : line)).join('. ');

const isRace = (view: View): boolean => view.settings.mode === 'rapid' && view.phase === 'playing';

/** What this viewer is asked, what became of it, and one's own pass: the key that was pressed is answered. */
function isOwn(event: LogEvent, view: View): boolean {
  const me = view.you?.seat;
  if (me === undefined) return false;
  if (event.type === 'exchange_opened') return true;
  if (event.type === 'exchange_closed') return (event['moves'] as Move[]).some((move) => move.to === me);
  return event['by'] === 'person' && ((event.type === 'passed' && event['seat'] === me) || (event.type === 'given' && event['from'] === me));
}

/** What the server did for this seat at the end of its time is told with the outcome. */
function isSaid(event: LogEvent, view: View): boolean {
  if (event['by'] === 'timer' && event['seat'] === view.you?.seat) return false;
  return isOwn(event, view) || TABLE.has(event.type) || event.type === 'passed';
}

const isPass = (event: LogEvent, view: View): boolean => event.type === 'passed' && !isOwn(event, view);

/** Of what is due, what still says something; of a race its newest line, with the passes behind it. */
function worthSaying(due: readonly LogEvent[], view: View): LogEvent[] {
  const told = due.filter((event, i) => !isPass(event, view) || isNews(due.slice(i + 1), view));
  if (!isRace(view)) return told;
  const passes = told.filter((event) => isPass(event, view));
  const rest = told.filter((event) => !isPass(event, view));
  const newest = rest.filter((event) => !isOwn(event, view)).slice(-1);
  return [...rest.filter((event) => isOwn(event, view) || newest.includes(event)), ...passes];
}

/** Whether a pass still says something behind what came after it: a closing, or a play that wipes it, says the rest. */
const isNews = (after: readonly LogEvent[], view: View): boolean =>
  !after.some((event) => event.type === 'trick_closed' || (event.type === 'played' && isRace(view) && !passesBind(view.settings)));

/** The lines for what is due: passes that follow one another are one. */
function spoken(told: readonly LogEvent[], view: View, swap: Swap): string[] {
  const lines: string[] = [];
  let passes: LogEvent[] = [];
  const flush = (): void => {
    if (passes.length > 0) lines.push(passesText(passes, view));
    passes = [];
  };
  for (const event of told) {
    if (isPass(event, view)) passes.push(event);
    else {
      flush();
      lines.push(...(isOwn(event, view) ? ownLines(event, view, swap) : [feedLine(event, view)?.text ?? '']));
    }
  }
  flush();
  return lines;
}

function passesText(passes: readonly LogEvent[], view: View): string {
  const [first] = passes;
  if (first !== undefined && passes.length === 1) return feedLine(first, view)?.text ?? '';
  const names = [...new Set(passes.map((event) => nameIn(event, event['seat'] as number, view)))];
  return t('say.passes', { names: list(names), n: names.length });
}

function turnText(view: View): string {
  const top = view.trick?.top;
  return top ? t('say.turn.top', { cards: playName(top.cards), name: seatName(view, top.seat) }) : t('say.open');
}

function ownLines(event: LogEvent, view: View, swap: Swap): string[] {
  if (event.type === 'passed') return [t('outcome.passed')];
  if (event.type === 'given') return [moveText('say.gave', event as unknown as Move, event, view)];
  const moves = event['moves'] as Move[];
  const mine = moves.flatMap((move) => ownMove(move, event, view));
  return event.type === 'exchange_opened' ? [...mine, ...askText(event, mine.length > 0, view, swap)] : mine;
}

function ownMove(move: Move, event: LogEvent, view: View): string[] {
  if (move.to === view.you?.seat) return [moveText('say.got', move, event, view)];
  return move.from === view.you?.seat && event.type === 'exchange_opened' ? [moveText('say.taken', move, event, view)] : [];
}

function moveText(key: 'say.gave' | 'say.got' | 'say.taken', move: Move, event: LogEvent, view: View): string {
  const other = key === 'say.got' ? move.from : move.to;
  return t(key, { cards: cardNames(move.cards ?? [], factsOf(view.settings)), name: nameIn(event, other, view) });
}

/** What is asked now and how long there is; whom the exchange does not concern is told so once. */
function askText(event: LogEvent, is_told: boolean, view: View, swap: Swap): string[] {
  if (view.phase !== 'exchange') return [];
  const owes = view.you?.owes ?? null;
  if (owes === null) return is_told || event['step'] === 2 ? [] : [exchangeText(view, swap)];
  const time = view.deadline === null ? [] : [t('say.seconds', { n: view.settings.action_seconds })];
  return [exchangeText(view, swap), ...time];
}
