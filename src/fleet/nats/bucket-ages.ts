// How old the buckets of a fleet are, by the clock of NATS alone. They are made together: one that is younger than another was deleted,
// and made anew. So was one that says so, and one that this program has seen to be another before.

import type { StreamInfo } from '@nats-io/jetstream';

/** Between the first and the last bucket of a new fleet. */
const TOGETHER_MS = 5_000;
/** The description of a bucket that was made by a program that knew an earlier one. */
export const MADE_ANEW = 'Made anew by Standpipe after it was deleted';

export class BucketAges {
  /** By the names of streams. */
  readonly #seen = new Map<string, { created: string; isOther: boolean }>();
  /** Reads a bucket that is written to all the time. */
  readTime: (() => Promise<StreamInfo>) | undefined;

  saw(stream: string, { created, config }: StreamInfo): void {
    const before = this.#seen.get(stream);
    const isSame = before === undefined || before.created === created;
    const isOther = isSame ? before?.isOther === true || config.description === MADE_ANEW : true;
    this.#seen.set(stream, { created, isOther });
  }

  /** Whether it was not made anew within this time. */
  async isSettled(stream: string, ms: number): Promise<boolean> {
    const { created, isOther } = this.#seen.get(stream)!;
    const madeMs = Date.parse(created);
    const firstMs = Math.min(...[...this.#seen.values()].map((other) => Date.parse(other.created)));
    if (!isOther && madeMs - firstMs <= TOGETHER_MS) return true;
    const { state } = await this.readTime!();
    return Date.parse(state.last_ts) - madeMs >= ms;
  }
}
