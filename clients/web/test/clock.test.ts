import { expect, test } from 'vitest';
import { ServerClock } from '../src/net/clock';

/** A page clock and a server clock that differ by `offset`, and ways there and back of given lengths. */
function exchange(clock: ServerClock, sent: number, there: number, back: number, offset: number): void {
  clock.take(sent, sent + there + back, sent + there + offset);
}

test('it knows the server’s time whatever the device’s wall clock says', () => {
  let page = 1_000;
  const clock = new ServerClock(() => page);
  expect(clock.is_set).toBe(false);
  exchange(clock, 1_000, 20, 20, 1_700_000_000_000);
  page = 2_000;
  expect(clock.now()).toBe(1_700_000_002_000);
});

test('the shortest way counts: one slow answer does not move the countdown', () => {
  const clock = new ServerClock(() => 10_000);
  exchange(clock, 1_000, 15, 15, 500_000);
  exchange(clock, 2_000, 10, 900, 500_000);
  expect(Math.abs(clock.now() - 510_000)).toBeLessThanOrEqual(1);
});

test('within 100 ms even on a lopsided way of 200 ms', () => {
  const clock = new ServerClock(() => 10_000);
  exchange(clock, 1_000, 200, 0, 500_000);
  expect(Math.abs(clock.now() - 510_000)).toBeLessThanOrEqual(100);
});

test('after a sleep, in which the page’s clock stood still, the new answer wins', () => {
  const clock = new ServerClock(() => 20_000);
  exchange(clock, 1_000, 5, 5, 500_000);
  exchange(clock, 19_000, 40, 40, 800_000);
  expect(clock.now()).toBe(820_000);
});

test('the round trip is the median of the last ones', () => {
  const clock = new ServerClock(() => 0);
  for (const [i, rtt] of [30, 34, 300, 32, 31].entries()) exchange(clock, i * 1_000, rtt / 2, rtt / 2, 0);
  expect(clock.rtt()).toBe(32);
});
