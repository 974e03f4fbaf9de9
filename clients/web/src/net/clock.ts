// The server's clock, read on the page's monotonic one: what the device's wall clock says never matters (issue, point 4).

interface Sample {
  offset_ms: number;
  rtt_ms: number;
}

const SAMPLES = 8;

export class ServerClock {
  private samples: Sample[] = [];
  private readonly monotonic: () => number;

  constructor(monotonic: () => number = () => performance.now()) {
    this.monotonic = monotonic;
  }

  /** Takes one exchange: sent and received on the page's clock, `server_now` the server's answer in between. */
  take(sent_ms: number, received_ms: number, server_now: number): void {
    const rtt_ms = Math.max(0, received_ms - sent_ms);
    const sample = { offset_ms: server_now + rtt_ms / 2 - received_ms, rtt_ms };
    // The page's clock may stand still while the device sleeps: a sample that cannot agree with the others ends them.
    const agrees = this.samples.every(
      (old) => Math.abs(old.offset_ms - sample.offset_ms) <= (old.rtt_ms + rtt_ms) / 2 + 50,
    );
    this.samples = [...(agrees ? this.samples.slice(1 - SAMPLES) : []), sample];
  }

  get is_set(): boolean {
    return this.samples.length > 0;
  }

  /** Milliseconds since the epoch on the server's clock, by the sample with the shortest way. */
  now(): number {
    return this.at(this.monotonic());
  }

  at(monotonic_ms: number): number {
    const best = this.best();
    return best === null ? Number.NaN : monotonic_ms + best.offset_ms;
  }

  /** The round trip in milliseconds: the median of the last samples. */
  rtt(): number | null {
    if (this.samples.length === 0) return null;
    const sorted = this.samples.map((sample) => sample.rtt_ms).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? null;
  }

  private best(): Sample | null {
    return this.samples.reduce<Sample | null>(
      (best, sample) => (best === null || sample.rtt_ms <= best.rtt_ms ? sample : best),
      null,
    );
  }
}
