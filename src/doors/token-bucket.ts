// A rate of requests: up to a minute's worth at once, and then as many as the rate gives.

/** A rate of 0 lets nothing pass. */
const MOST_MS = 60 * 60_000;

export class TokenBucket {
  readonly perMinute: number;
  readonly #most: number;
  #tokens: number;
  #atMs: number;

  /** Full, unless `tokens` says how many there are. */
  constructor(perMinute: number, nowMs: number, tokens = Number.POSITIVE_INFINITY) {
    this.perMinute = perMinute;
    this.#most = Math.max(1, perMinute);
    this.#tokens = Math.min(this.#most, tokens);
    this.#atMs = nowMs;
  }

  /** 0 for a request that may pass; otherwise how long until one may. */
  take(nowMs: number): number {
    this.#fill(nowMs);
    if (this.#tokens >= 1) {
      this.#tokens--;
      return 0;
    }
    return this.waitMs();
  }

  /** How long until one may pass. */
  waitMs(): number {
    if (this.#tokens >= 1) return 0;
    return Math.min(MOST_MS, Math.ceil(((1 - this.#tokens) * 60_000) / this.perMinute));
  }

  /** Up to this many at once. */
  takeUpTo(most: number, nowMs: number): number {
    this.#fill(nowMs);
    const taken = Math.min(most, Math.floor(this.#tokens));
    this.#tokens -= taken;
    return taken;
  }

  /** Takes back what was not used. */
  give(tokens: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#tokens = Math.min(this.#most, this.#tokens + tokens);
  }

  left(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens;
  }

  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens === this.#most;
  }

  #fill(nowMs: number): void {
    this.#tokens = Math.min(this.#most, this.#tokens + ((nowMs - this.#atMs) * this.perMinute) / 60_000);
    this.#atMs = nowMs;
  }
}
