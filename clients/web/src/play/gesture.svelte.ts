// From a gesture to one attempt: what is sent is aimed at the trick state that was painted when the pointer or the key
// went down (RULES R3), and a second click of the same gesture sends nothing.
import type { Card, View } from '../protocol/types';
import type { Session } from '../state/session.svelte';
import { groups, pick, pickForExchange, rankForKey } from './hand';
import { wentWell } from '../state/state';
import { declared, factsOf, mayAct, mayPass, meanings, whyNoPass, whyNotThese } from './rules';

export class Gestures {
  /** the trick state that was painted when the pointer went down, until its click */
  private aimed: number | null = null;

  constructor(private readonly session: Session) {}

  get owes() {
    return this.session.view?.you?.owes ?? null;
  }

  /** What the button offers is not refused for what is shown. */
  get can_play(): boolean {
    return this.can_send && this.fault === null;
  }

  /** Why what is selected cannot be played now, in the server's words, or null. */
  private get fault(): string | null {
    const { view, state } = this.session;
    return view === null ? null : whyNotThese(view, state.selected, this.rank);
  }

  private get can_send(): boolean {
    const { view, state, can_act } = this.session;
    if (view === null || !can_act || state.selected.length === 0 || view.trick === null) return false;
    return mayAct(view) && !this.session.is_pending('play');
  }

  get can_pass(): boolean {
    const { view, can_act } = this.session;
    return view !== null && can_act && mayPass(view) && !this.session.is_pending('pass');
  }

  get can_give(): boolean {
    const owes = this.owes;
    return owes !== null && this.session.can_act && this.session.state.selected.length === owes.count && !this.session.is_pending('give');
  }

  down(): void {
    this.aimed = this.session.painted;
  }

  /** A key on the button itself: the space bar clicks only when it comes up again, but it went down now. */
  keyed(key: string, is_repeat: boolean): void {
    if ((key === ' ' || key === 'Enter') && !is_repeat) this.down();
  }

  play(): void {
    const on = this.take();
    // Aimed at what has passed since it was painted, it has lost a race: that is for the server to say (RULES R3, R4).
    const is_past = on !== null && on !== this.session.view?.trick?.state;
    if (on !== null && (is_past ? this.can_send : this.can_play)) this.session.play(on, this.cards());
    else if (this.session.state.selected.length > 0) this.refuse('play', () => this.fault);
  }

  pass(): void {
    const on = this.take();
    if (on !== null && this.can_pass) this.session.pass(on);
    else this.refuse('pass', whyNoPass);
  }

  give(): void {
    const round = this.session.view?.round ?? null;
    if (round !== null && this.can_give) this.session.give(round, [...this.session.state.selected]);
  }

  clear(): void {
    this.session.select([]);
  }

  /** A key on the table: whether it meant something here. A pointer that had slid off its button aims no more. */
  key(key: string): boolean {
    const view = this.session.view;
    if (view?.you == null) return false;
    if (key === 'Escape') {
      const had = this.session.state.selected.length > 0;
      this.clear();
      return had;
    }
    if (key === 'Enter') {
      this.aimed = null;
      if (view.phase === 'exchange') this.give();
      else this.play();
      return true;
    }
    if (key.toLowerCase() === 'p' && view.phase === 'playing') {
      this.aimed = null;
      this.pass();
      return true;
    }
    return key.length === 1 && this.pickByKey(view, key);
  }

  /** What the selected cards can be now, if wild ones leave a choice; see `meanings`. */
  get ranks(): string[] {
    const { view, state } = this.session;
    return view === null || view.trick === null || state.selected.length === 0 ? [] : meanings(view, state.selected);
  }

  /** What they will be said to be: what was chosen, else the strongest. */
  get rank(): string | null {
    const { ranks } = this;
    const wanted = this.session.wild_rank;
    return wanted !== null && ranks.includes(wanted) ? wanted : (ranks[ranks.length - 1] ?? null);
  }

  /** The cards as they will be sent, wild ones with what they stand for. */
  cards(): Card[] {
    const { view, state } = this.session;
    return view === null ? [] : declared(factsOf(view.settings), state.selected, this.rank);
  }

  /**
   * Says why nothing was sent, where the table is why. The second click of a double one is no question: what the first
   * has done is on its way, or stands there.
   */
  private refuse(kind: 'play' | 'pass', reason: (view: View) => string | null): void {
    const { view, state, can_act } = this.session;
    if (view === null || !can_act || this.session.is_pending(kind)) return;
    if (kind === 'pass' && state.outcome !== null && wentWell(state.outcome)) return;
    const why = reason(view);
    if (why !== null) this.session.refuse(why);
  }

  private take(): number | null {
    const on = this.aimed ?? this.session.painted;
    this.aimed = null;
    return on;
  }

  private pickByKey(view: View, key: string): boolean {
    const facts = factsOf(view.settings);
    const rank = rankForKey(key, facts);
    const hand = view.you?.hand ?? [];
    const found = groups(hand, facts).filter((group) => group.rank === rank);
    if (rank === null || found.length === 0) return rank !== null;
    const { selected } = this.session.state;
    // A key goes on to the killer two once the other twos are used up.
    const group = found.find((each) => each.cards.some((card) => !selected.includes(card))) ?? found[0];
    if (group === undefined) return false;
    if (view.phase === 'exchange') {
      if (this.owes !== null) this.session.select(pickForExchange(group, selected, this.owes.count));
    } else this.session.select(pick(view, group, selected));
    return true;
  }
}
