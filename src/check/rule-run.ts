// One run of one rule on a server, in any protocol: the processes that the rule used, their transcripts since then, and their end. The
// class of the protocol adds what its rules may send.

import type { ProcessUnderTest } from './process-under-test.ts';
import type { Entry } from './transcript.ts';
import { violation } from './verdict.ts';

/** Where a rule gets its processes. */
interface Processes<P> {
  readonly shared: { has(process: P): boolean; leave(user: object, isViolated: boolean): Promise<boolean> };
  /** The processes that are observed, for rules that only read. */
  readonly observed: readonly P[];
  start(stragglersMs?: number): Promise<P>;
  drop(process: P): void;
}

export abstract class RuleRun<P extends ProcessUnderTest> {
  /** The processes that are observed, for rules that only read. */
  readonly seen: readonly P[];
  readonly #processes: Processes<P>;
  /** The length of each transcript when the rule began to use the process. */
  readonly #used = new Map<P, number>();
  #isOver = false;
  #isKept = false;

  constructor(processes: Processes<P>) {
    this.#processes = processes;
    this.seen = processes.observed;
  }

  /** A process of its own, to which nothing has been sent. `stragglersMs`: how long its tree may outlive it before it is stopped. */
  async start(stragglersMs?: number): Promise<P> {
    this.mustRun();
    return this.used(await this.#processes.start(stragglersMs));
  }

  /** What went over the pipes in this run. */
  evidence(): Entry[] {
    if (this.#used.size === 0) return this.seen.flatMap(({ transcript }) => transcript.entries);
    return [...this.#used].flatMap(([process, from]) => process.transcript.entries.slice(from));
  }

  /** False if the rule has to be tested again, because others had used the shared process before. */
  leave(isViolated: boolean): Promise<boolean> {
    return this.#processes.shared.leave(this, isViolated);
  }

  /** Others refer to what went over the pipes. */
  keep(): void {
    this.#isKept = true;
  }

  /** When its processes wrote last, by `performance.now()`. */
  get lastOutputMs(): number {
    return Math.max(...[...this.#used.keys()].map((process) => process.lastOutputMs));
  }

  /** It is a violation if the check had to stop a process: the rule was not tested to its end. */
  mustBeWhole(processes: readonly P[] = [...this.#used.keys()]): void {
    for (const { stopped } of processes) if (stopped) violation(`The rule was not tested to its end: ${stopped}.`);
  }

  /** Stops all processes that it used but the one that rules share. */
  async end(): Promise<void> {
    this.#isOver = true;
    const own = [...this.#used.keys()].filter((process) => !this.#processes.shared.has(process));
    await Promise.all(own.map((process) => process.stop()));
    if (!this.#isKept) for (const process of own) this.#processes.drop(process);
  }

  protected used(process: P): P {
    const { entries } = process.transcript;
    const from = this.#processes.shared.has(process) ? entries.length : 0;
    if (!this.#used.has(process)) this.#used.set(process, from);
    return process;
  }

  /** A rule that took too long is still running when its run has ended. */
  protected mustRun(): void {
    if (this.#isOver) violation('The rule has ended.');
  }
}
