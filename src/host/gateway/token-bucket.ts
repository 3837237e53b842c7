// A request rate limit: bursts of up to one minute's worth, then the configured rate.

/** Limit of a wait: a rate of 0 would make it infinite. */
const MOST_MS = 60 * 60_000;

export class TokenBucket {
  readonly perMinute: number;
  readonly #most: number;
  #tokens: number;
  #atMs: number;

  /** Full by default; `tokens` sets a lower level. */
  constructor(perMinute: number, nowMs: number, tokens = Number.POSITIVE_INFINITY) {
    this.perMinute = perMinute;
    this.#most = Math.max(1, perMinute);
    this.#tokens = Math.min(this.#most, tokens);
    this.#atMs = nowMs;
  }

  /** Returns 0 if a request may pass, otherwise the milliseconds until one may. */
  take(nowMs: number): number {
    this.#fill(nowMs);
    if (this.#tokens >= 1) {
      this.#tokens--;
      return 0;
    }
    return this.waitMs();
  }

  waitMs(): number {
    if (this.#tokens >= 1) return 0;
    return Math.min(MOST_MS, Math.ceil(((1 - this.#tokens) * 60_000) / this.perMinute));
  }

  takeUpTo(most: number, nowMs: number): number {
    this.#fill(nowMs);
    const taken = Math.min(most, Math.floor(this.#tokens));
    this.#tokens -= taken;
    return taken;
  }

  /** Puts unused tokens back. */
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
