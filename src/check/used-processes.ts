// The processes that one trial of a rule has used: what went over their pipes since, and the end of those that it started.

import type { ProcessUnderTest } from './process-under-test.ts';
import type { Entry } from './transcript.ts';

export class UsedProcesses<P extends ProcessUnderTest> {
  readonly #lane: { isShared(process: P): boolean };
  /** Where the transcript of each stood. */
  readonly #used = new Map<P, number>();

  constructor(lane: { isShared(process: P): boolean }) {
    this.#lane = lane;
  }

  add(process: P): P {
    const { entries } = process.transcript;
    if (!this.#used.has(process)) this.#used.set(process, this.#lane.isShared(process) ? entries.length : 0);
    return process;
  }

  evidence(): Entry[] {
    return [...this.#used].flatMap(([process, from]) => process.transcript.entries.slice(from));
  }

  /** Stops all but the one that rules share. */
  async end(): Promise<void> {
    const own = [...this.#used.keys()].filter((process) => !this.#lane.isShared(process));
    await Promise.all(own.map((process) => process.stop()));
  }
}
