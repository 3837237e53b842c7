// The processes that one trial of a rule has used: what went over their pipes since, and the end of those that it started.

import type { ProcessUnderTest } from './process-under-test.ts';
import type { Entry } from './transcript.ts';

export class UsedProcesses<P extends ProcessUnderTest> {
  readonly #shared: { has(process: P): boolean };
  /** Where the transcript of each stood. */
  readonly #used = new Map<P, number>();

  constructor(shared: { has(process: P): boolean }) {
    this.#shared = shared;
  }

  add(process: P): P {
    const { entries } = process.transcript;
    if (!this.#used.has(process)) this.#used.set(process, this.#shared.has(process) ? entries.length : 0);
    return process;
  }

  /** Undefined if no process was used. */
  evidence(): Entry[] | undefined {
    if (this.#used.size === 0) return undefined;
    return [...this.#used].flatMap(([process, from]) => process.transcript.entries.slice(from));
  }

  get all(): P[] {
    return [...this.#used.keys()];
  }

  /** Stops all but the one that rules share, and returns them. */
  async end(): Promise<P[]> {
    const own = this.all.filter((process) => !this.#shared.has(process));
    await Promise.all(own.map((process) => process.stop()));
    return own;
  }
}
