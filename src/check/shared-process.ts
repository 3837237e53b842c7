// The process that rules use sequentially. Invariant: a rule is not judged by effects of an earlier one. Pending answers are awaited between
// two rules, and a violation counts only in a process that no other rule has used. A rule may end the process after it has passed: each
// process is watched for `laterMs` before it is stopped.

import type { ProcessUnderTest } from './process-under-test.ts';

export interface Shareable<P extends ProcessUnderTest = ProcessUnderTest> {
  readonly probe: P;
  /** Waits for the answers to earlier requests. False if the process does not answer. */
  settled(): Promise<boolean>;
}

export class SharedProcess<T extends Shareable<P>, P extends ProcessUnderTest = T['probe']> {
  readonly #open: () => Promise<T>;
  readonly #drop: (process: P) => void;
  /** Processes that were replaced and still run. */
  readonly #retired = new Map<P, Promise<void>>();
  readonly #users = new Set<object>();
  #current: T | undefined;
  /** If false, the process is replaced after each rule. */
  #canSettle = true;

  /** `drop`: called for a process that was replaced, after its end. */
  constructor(open: () => Promise<T>, drop: (process: P) => void) {
    this.#open = open;
    this.#drop = drop;
  }

  async use(user: object): Promise<T> {
    if (!this.#current || this.#current.probe.ended || this.#current.probe.stopped) {
      this.#current = undefined;
      this.#users.clear();
      const opened = await this.#open();
      if (this.#canSettle) this.#canSettle = await opened.settled();
      this.#current = opened;
    }
    this.#users.add(user);
    return this.#current;
  }

  /** Called after a rule. False if it was violated in a process that another rule had used: then it must be tested again. */
  async leave(user: object, isViolated: boolean): Promise<boolean> {
    if (!this.#users.has(user)) return true;
    const isCertain = !isViolated || this.#users.size === 1;
    if (isViolated || !this.#canSettle || !(await this.#current?.settled())) this.#renew();
    else this.#current?.probe.forget();
    return isCertain;
  }

  has(probe: P): boolean {
    return this.#current?.probe === probe || this.#retired.has(probe);
  }

  /** After the last rule: waits until rules can no longer have ended a process. */
  async rest(): Promise<void> {
    await Promise.all([this.#current?.probe.exitLater(), ...this.#retired.values()]);
  }

  #renew(): void {
    const { probe } = this.#current ?? {};
    this.#current = undefined;
    this.#users.clear();
    if (probe) this.#retired.set(probe, this.#retire(probe));
  }

  /** Runs beside the next rule, because the rule before the last one may end the process too. */
  async #retire(probe: P): Promise<void> {
    if (!probe.ended && probe.stopped === undefined) await probe.exitLater();
    await probe.stop();
    this.#retired.delete(probe);
    this.#drop(probe);
  }
}
