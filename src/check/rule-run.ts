// One run of one rule on a server, in any protocol: the processes that the rule used, and their transcripts from then on. A subclass adds what
// the rules of its protocol may send.

import type { ProcessEnd, ProcessUnderTest } from './process-under-test.ts';
import type { Entry } from './transcript.ts';
import { violation } from './verdict.ts';

/** The source of the processes of a rule. */
interface Processes<P> {
  readonly shared: {
    has(process: P): boolean;
    leave(user: object, isViolated: boolean): Promise<boolean>;
    rest(): Promise<void>;
  };
  /** Processes that rules read without sending anything. */
  readonly observed: readonly P[];
  start(stragglersMs?: number): Promise<P>;
  drop(process: P): void;
}

export abstract class RuleRun<P extends ProcessUnderTest> {
  readonly seen: readonly P[];
  readonly #processes: Processes<P>;
  /** The length of each transcript when the rule began to use the process. */
  readonly #used = new Map<P, number>();
  /** Processes that must outlive the rule. */
  readonly #lasting = new Set<P>();
  #isOver = false;
  #isKept = false;

  constructor(processes: Processes<P>) {
    this.#processes = processes;
    this.seen = processes.observed;
  }

  /** A new process. `stragglersMs`: how long the rest of its process tree may outlive it before it is stopped. */
  async start(stragglersMs?: number): Promise<P> {
    this.mustRun();
    return this.used(await this.#processes.start(stragglersMs));
  }

  /** The traffic of this run. */
  evidence(): Entry[] {
    if (this.#used.size === 0) return this.seen.flatMap(({ transcript }) => transcript.entries);
    return [...this.#used].flatMap(([process, from]) => process.transcript.entries.slice(from));
  }

  /** Resolves to false if the rule must run again because other rules had used the shared process before. */
  leave(isViolated: boolean): Promise<boolean> {
    return this.#processes.shared.leave(this, isViolated);
  }

  /** The ends of the processes that must outlive the rule. */
  get lastingEnds(): ProcessEnd[] {
    return [...this.#lasting].map(({ end }) => end);
  }

  /** Whether a process of this run has ended by itself. If the run has no process, the observed processes are tested. */
  get hasEnded(): boolean {
    const processes = this.#used.size > 0 ? [...this.#used.keys()] : this.seen;
    return processes.some(({ endedByItself }) => endedByItself);
  }

  /** Waits at most `laterMs` for exits. Resolves to the first process that must outlive the rule and has ended by itself. */
  async endedLater(): Promise<P | undefined> {
    const lasting = [...this.#lasting];
    await Promise.all(lasting.map((process) => process.exitLater()));
    return lasting.find(({ endedByItself }) => endedByItself);
  }

  /** Called after the last rule of the shared process. */
  rest(): Promise<void> {
    return this.#processes.shared.rest();
  }

  /** Keeps the transcripts after the run, because other rules refer to them. */
  keep(): void {
    this.#isKept = true;
  }

  /** Time of the last output of its processes, by `performance.now()`. */
  get lastOutputMs(): number {
    return Math.max(...[...this.#used.keys()].map((process) => process.lastOutputMs));
  }

  /** Reports a violation if the check had to stop a process because of its output. */
  mustBeWhole(processes: readonly P[] = [...this.#used.keys()]): void {
    for (const { stopped } of processes) if (stopped) violation(`The rule was not tested completely: ${stopped}.`);
  }

  /** Stops all processes that the rule used, except for the shared one. */
  async end(): Promise<void> {
    this.#isOver = true;
    const own = [...this.#used.keys()].filter((process) => !this.#processes.shared.has(process));
    await Promise.all(own.map((process) => process.stop()));
    if (!this.#isKept) for (const process of own) this.#processes.drop(process);
  }

  protected used(process: P): P {
    if (!this.#used.has(process)) this.#used.set(process, 0);
    return process;
  }

  /** Marks a process that must outlive the rule. Its earlier traffic is not evidence. */
  protected lasting(process: P): P {
    if (!this.#lasting.has(process)) this.#used.set(process, process.transcript.entries.length);
    this.#lasting.add(process);
    return process;
  }

  /** A rule that exceeded its time limit may still be running. */
  protected mustRun(): void {
    if (this.#isOver) violation('The rule has ended.');
  }
}

/** One observation for several rules: `observe` runs at most once per revision. Its result must not depend on a running process. */
export function perRevision<T, Of extends { readonly facts: object; keep(): void }>(
  observe: (ruleRun: Of) => Promise<T>,
): (ruleRun: Of) => Promise<T> {
  const observed = new WeakMap<object, Promise<T>>();
  return (ruleRun) => {
    const before = observed.get(ruleRun.facts);
    if (before) return before;
    ruleRun.keep();
    const now = observe(ruleRun);
    observed.set(ruleRun.facts, now);
    return now;
  };
}
