import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isUrgent, Pacer, VOLLEY_MS } from '../src/state/pace';
import type { ServerMessage } from '../src/protocol/types';

const event = (type: string, seat?: number): ServerMessage =>
  ({ t: 'event', seq: 1, at: 0, type, ...(seat === undefined ? {} : { seat }) }) as ServerMessage;

/** A page with frames, tasks and a clock that go on when they are told to. */
class FakePage {
  frames: (() => void)[] = [];
  tasks: (() => void)[] = [];
  visibility: 'visible' | 'hidden' = 'visible';

  install(): void {
    const page = this;
    vi.stubGlobal('document', { get visibilityState() { return page.visibility; } });
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('requestAnimationFrame', (task: () => void) => this.frames.push(task));
    vi.stubGlobal('cancelAnimationFrame', (frame: number) => { if (frame > 0) this.frames[frame - 1] = () => undefined; });
    vi.stubGlobal('MessageChannel', class {
      port1 = { onmessage: () => undefined as void, close: () => undefined };
      port2 = { postMessage: () => page.tasks.push(() => this.port1.onmessage()) };
    });
  }

  run(): void {
    for (const task of this.tasks.splice(0)) task();
  }

  frame(): void {
    for (const task of this.frames.splice(0)) task();
  }
}

describe('what shows with the next frame', () => {
  it.each(['played', 'trick_closed', 'trick_opened', 'dealt', 'finished', 'of_a_later_version'])('%s of anybody', (type) => {
    expect(isUrgent(event(type, 2), 0)).toBe(true);
  });

  it.each(['race_lost', 'passed'])('%s of oneself alone', (type) => {
    expect(isUrgent(event(type, 0), 0)).toBe(true);
    expect(isUrgent(event(type, 2), 0)).toBe(false);
    expect(isUrgent(event(type, 2), null)).toBe(false);
  });

  it('every answer', () => {
    expect(isUrgent({ t: 'reply', id: 1, ok: true } as ServerMessage, 0)).toBe(true);
  });
});

describe('the pacer', () => {
  let page: FakePage;
  let drawn = 0;
  let pacer: Pacer;

  beforeEach(() => {
    vi.useFakeTimers();
    page = new FakePage();
    page.install();
    drawn = 0;
    pacer = new Pacer(() => {
      drawn += 1;
      pacer.stop();
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('draws once behind all messages that are there', () => {
    pacer.changed(true);
    pacer.changed(true);
    pacer.changed(false);
    expect(drawn).toBe(0);
    page.run();
    page.frame();
    vi.advanceTimersByTime(10 * VOLLEY_MS);
    expect(drawn).toBe(1);
  });

  it('draws in the frame, if that comes first', () => {
    pacer.changed(true);
    page.frame();
    expect(drawn).toBe(1);
    page.run();
    expect(drawn).toBe(1);
  });

  it('draws a volley once, soon', () => {
    pacer.changed(false);
    vi.advanceTimersByTime(VOLLEY_MS - 1);
    pacer.changed(false);
    page.run();
    page.frame();
    expect(drawn).toBe(0);
    vi.advanceTimersByTime(1);
    expect(drawn).toBe(1);
    vi.advanceTimersByTime(10 * VOLLEY_MS);
    expect(drawn).toBe(1);
  });

  it('draws a volley with what is urgent', () => {
    pacer.changed(false);
    pacer.changed(true);
    page.run();
    expect(drawn).toBe(1);
    vi.advanceTimersByTime(10 * VOLLEY_MS);
    page.frame();
    expect(drawn).toBe(1);
  });

  it('waits for no frame in the background', () => {
    page.visibility = 'hidden';
    pacer.changed(false);
    expect(drawn).toBe(1);
  });

  it('goes on after each drawing', () => {
    for (let i = 1; i <= 3; i++) {
      pacer.changed(true);
      page.run();
      expect(drawn).toBe(i);
    }
  });

  it('draws nothing once it has ended', () => {
    pacer.changed(true);
    pacer.changed(false);
    pacer.end();
    page.run();
    page.frame();
    vi.advanceTimersByTime(10 * VOLLEY_MS);
    expect(drawn).toBe(0);
  });
});
