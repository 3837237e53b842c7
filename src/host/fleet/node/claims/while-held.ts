// Requests to the cluster network on behalf of a lease. They must never delay the work that is due when the lease is lost.

import type { Clock } from '../../../../base/clock.ts';
import { toError } from '../../../../base/errors.ts';
import type { NodeLease } from '../node-lease.ts';

const RETRY_MS = 100;

export class WhileHeld {
  readonly #lease: NodeLease;
  readonly #clock: Clock;
  readonly #onProblem: (error: Error) => void;
  readonly #waiting = new Set<() => void>();

  constructor(lease: NodeLease, clock: Clock, onProblem: (error: Error) => void) {
    this.#lease = lease;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  /** Undefined without the lease. */
  get session(): string | undefined {
    return this.#lease.isHeld ? this.#lease.session : undefined;
  }

  /** Ends all waits. */
  lost(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Repeats a failing operation. Undefined if the session loses its lease first. */
  async sure<T>(session: string, attempt: () => Promise<T>): Promise<T | undefined> {
    while (this.session === session) {
      try {
        return await this.unlessLost(attempt());
      } catch (thrown) {
        this.#onProblem(toError(thrown));
        await this.unlessLost(new Promise<void>((resolve) => this.#clock.after(RETRY_MS, resolve).keepAlive(false)));
      }
    }
    return undefined;
  }

  /** Resolves to undefined as soon as the lease is lost. */
  unlessLost<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const wake = () => resolve(undefined);
      this.#waiting.add(wake);
      void promise.then(resolve, reject).finally(() => this.#waiting.delete(wake));
    });
  }
}
