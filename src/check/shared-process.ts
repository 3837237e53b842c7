// The process that several rules use, one after the other. Invariant: what one rule left behind does not count for the next. Answers that are
// still to come are waited for between two rules, and a violation counts only in a process that no other rule has used.

import type { ProcessUnderTest } from './process-under-test.ts';

export interface Shareable<P extends ProcessUnderTest = ProcessUnderTest> {
  readonly probe: P;
  /** Waits until answers to what was sent before have come. False if the process does not answer. */
  settled(): Promise<boolean>;
}

export class SharedProcess<T extends Shareable<P>, P extends ProcessUnderTest = T['probe']> {
  readonly #open: () => Promise<T>;
  readonly #users = new Set<object>();
  #current: T | undefined;
  /** Without it the process is replaced after each rule. */
  #canSettle = true;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** A new process if the last one has ended. */
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

  /** After a rule. False if it was violated in a process that another rule had used before: then it has to be tested again. */
  async leave(user: object, isViolated: boolean): Promise<boolean> {
    if (!this.#users.has(user)) return true;
    const isCertain = !isViolated || this.#users.size === 1;
    if (isViolated || !this.#canSettle || !(await this.#current?.settled())) await this.#renew();
    else this.#current?.probe.forget();
    return isCertain;
  }

  has(probe: P): boolean {
    return this.#current?.probe === probe;
  }

  async #renew(): Promise<void> {
    const { probe } = this.#current ?? {};
    this.#current = undefined;
    this.#users.clear();
    await probe?.stop();
    probe?.release();
  }
}
