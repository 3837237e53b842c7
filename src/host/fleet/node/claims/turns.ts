import { toError } from '../../../../base/errors.ts';

/** Runs the operations of each key one at a time, in the order of the requests. A failure is reported and does not block later ones. */
export class Turns {
  readonly #onFailed: (error: Error) => void;
  /** Settles with the last operation of the key. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(onFailed: (error: Error) => void) {
    this.#onFailed = onFailed;
  }

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
