// Work by key: one thing at a time for each, in the order of the requests. What fails is reported, and does not hold up what follows.

import { toError } from '../../../base/errors.ts';

export class Turns {
  readonly #onFailed: (error: Error) => void;
  /** By key: the end of the last thing that was asked for. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(onFailed: (error: Error) => void) {
    this.#onFailed = onFailed;
  }

  /** Those that have something to do. */
  keys(): Iterable<string> {
    return this.#tails.keys();
  }

  take<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(work);
    const reported = turn.then(
      () => undefined,
      (error: unknown) => this.#onFailed(toError(error)),
    );
    const tail = reported.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return turn;
  }
}
