// How long a server that has opened before takes to start now. It distinguishes a server that does not answer from one that starts slowly, for
// example because the machine is busy.

import type { ProcessUnderTest } from './process-under-test.ts';

export interface StartupSteps<P> {
  start(): Promise<P>;
  /** Sends a request, and returns a function that finds its answer. */
  ask(process: P): () => object | undefined;
  drop(process: P): void;
}

export class StartupTime<P extends ProcessUnderTest> {
  readonly #steps: StartupSteps<P>;
  #running: Promise<number> | undefined;

  constructor(steps: StartupSteps<P>) {
    this.#steps = steps;
  }

  /**
   * Starts a process, unless one is being started, and resolves to the time until its first answer: infinity after twice
   * the timeout, or 0 if the process ends before.
   */
  measure(): Promise<number> {
    this.#running ??= this.#measure().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #measure(): Promise<number> {
    const { start, ask, drop } = this.#steps;
    const process = await start();
    const answer = await process.maybe(ask(process), 2 * process.timeoutMs);
    const { ageMs } = process;
    void process.stop().then(() => drop(process));
    if (answer) return ageMs;
    return process.ended ? 0 : Number.POSITIVE_INFINITY;
  }
}
