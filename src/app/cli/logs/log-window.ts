// Which lines of a log are shown: `--since` and `--tail`. Earlier lines are held back until the end of what is stored is known; later
// ones are printed at once.

export interface LogWindow {
  /** Only the last so many of the stored lines. */
  tail?: number | undefined;
  /** Only lines that are at most so old. */
  since?: number | undefined;
}

export class WindowedLines<T extends { atMs: number }> {
  readonly #tail: number;
  readonly #fromMs: number;
  readonly #print: (line: T) => void;
  #held: T[] = [];
  #isStored = true;

  constructor({ tail, since }: LogWindow, nowMs: number, print: (line: T) => void) {
    this.#tail = tail ?? Number.POSITIVE_INFINITY;
    this.#fromMs = since === undefined ? Number.NEGATIVE_INFINITY : nowMs - since;
    this.#print = print;
  }

  add(line: T): void {
    if (line.atMs < this.#fromMs) return;
    if (!this.#isStored || this.#tail === Number.POSITIVE_INFINITY) return this.#print(line);
    this.#held.push(line);
    if (this.#held.length > 2 * this.#tail) this.#held = this.#held.slice(-this.#tail);
  }

  /** All stored lines were added. */
  storedEnd(): void {
    if (!this.#isStored) return;
    this.#isStored = false;
    for (const line of this.#held.slice(-this.#tail)) this.#print(line);
    this.#held = [];
  }
}
