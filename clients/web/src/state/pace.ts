// When the picture follows the state. What somebody may act on is drawn with the next frame; what only tells of a race
// that is over (by how much the others were late) comes in volleys, and a volley is drawn once.
import type { ServerMessage } from '../protocol/types';

/** The longest that a volley waits to be drawn. */
export const VOLLEY_MS = 50;

/** Nobody can act on these when another seat is behind them. */
const TELLING = new Set(['race_lost', 'passed', 'salted', 'committed']);

/** Whether a message shows with the next frame; `me` is one's own seat, null for a spectator. */
export function isUrgent(message: ServerMessage, me: number | null): boolean {
  return message.t !== 'event' || !TELLING.has(message.type) || message['seat'] === me;
}

/** Calls `draw` once for whatever has changed since it was called last. */
export class Pacer {
  private readonly channel = new MessageChannel();
  private is_due = false;
  private frame = 0;
  private timer = 0;

  constructor(private readonly draw: () => void) {
    this.channel.port1.onmessage = () => this.flush();
  }

  /** Something is to be drawn: with the next frame, or within `VOLLEY_MS`. */
  changed(is_urgent: boolean): void {
    // A page in the background has no frames, and does not wait for one.
    if (document.visibilityState === 'hidden') this.draw();
    else if (is_urgent) this.hurry();
    else if (!this.is_due && this.timer === 0) this.timer = window.setTimeout(() => this.flush(), VOLLEY_MS);
  }

  /** All is drawn. */
  stop(): void {
    this.is_due = false;
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.timer = this.frame = 0;
  }

  end(): void {
    this.stop();
    this.channel.port1.close();
  }

  /** Behind the messages that are there already, but not at the cost of the frame: the work is done while it is waited for. */
  private hurry(): void {
    if (this.is_due) return;
    this.is_due = true;
    this.channel.port2.postMessage(null);
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    if (!this.is_due && this.timer === 0) return;
    this.draw();
  }
}
