// The ages of a fleet's buckets, by the clock of NATS alone. The buckets of a fleet are created together: one that is younger than
// another was deleted and created again. The same is true for one whose description says so, and for one that this program has seen
// with another creation time.

import type { StreamInfo } from '@nats-io/jetstream';

/** Maximum time between the creation of the first and the last bucket of a new fleet. */
const TOGETHER_MS = 5_000;
/** Description of a bucket that was created by a program that knew an earlier one. */
export const MADE_ANEW = 'Made anew by Standpipe after it was deleted';

export class BucketAges {
  /** By stream name. */
  readonly #seen = new Map<string, { created: string; isOther: boolean }>();
  /** Reads a bucket that is written continuously, for the time of NATS. */
  readTime: (() => Promise<StreamInfo>) | undefined;

  saw(stream: string, { created, config }: StreamInfo): void {
    const before = this.#seen.get(stream);
    const isSame = before === undefined || before.created === created;
    const isOther = isSame ? before?.isOther === true || config.description === MADE_ANEW : true;
    this.#seen.set(stream, { created, isOther });
  }

  /** False if the bucket was created again within this time. */
  async isSettled(stream: string, ms: number): Promise<boolean> {
    const { created, isOther } = this.#seen.get(stream)!;
    const madeMs = Date.parse(created);
    const firstMs = Math.min(...[...this.#seen.values()].map((other) => Date.parse(other.created)));
    if (!isOther && madeMs - firstMs <= TOGETHER_MS) return true;
    const { state } = await this.readTime!();
    return Date.parse(state.last_ts) - madeMs >= ms;
  }
}
