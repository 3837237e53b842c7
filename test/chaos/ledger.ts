// Calls and their outcomes: one row per call, in memory of a fixed size.

import { readFileSync } from 'node:fs';

export const codes = [
  'under way',
  'done',
  'OUTCOME_UNKNOWN',
  'REQUEST_TIMEOUT',
  /** The call ran, and its answer was cut off. */
  'FRAME_TRUNCATED',
  'NOT_SENT',
  'SEND_QUEUE_FULL',
  'SERVER_FAILED',
  'another answer',
  'another error',
] as const;
export type Code = (typeof codes)[number];

export class Ledger {
  readonly #outcome: Uint8Array;
  readonly #harmless: Uint8Array;
  #issued = 0;
  settledTwice = 0;
  /** Texts of unexpected errors. */
  readonly surprises = new Set<string>();

  constructor(mostCalls: number) {
    this.#outcome = new Uint8Array(mostCalls);
    this.#harmless = new Uint8Array(mostCalls);
  }

  get issued(): number {
    return this.#issued;
  }

  issue(isHarmless: boolean): number {
    this.#harmless[this.#issued] = isHarmless ? 1 : 0;
    return this.#issued++;
  }

  settle(id: number, code: Code): void {
    if (this.#outcome[id] !== 0) this.settledTwice++;
    this.#outcome[id] = codes.indexOf(code);
  }

  count(code: Code): number {
    return this.#outcome.subarray(0, this.#issued).filter((each) => codes[each] === code).length;
  }

  /** Compares the outcomes with the actual runs. */
  audit(journals: readonly string[]): { lost: number; ranTwice: number; ranThoughNotSent: number; runs: number } {
    const ran = new Uint8Array(this.#issued);
    let runs = 0;
    for (const journal of journals) {
      for (const line of readFileSync(journal, 'utf8').split('\n')) {
        if (line === '') continue;
        ran[Number(line)]!++;
        runs++;
      }
    }
    const found = { lost: 0, ranTwice: 0, ranThoughNotSent: 0, runs };
    for (let id = 0; id < this.#issued; id++) {
      const code = codes[this.#outcome[id]!];
      if (code === 'done' && ran[id] === 0) found.lost++;
      if (this.#harmless[id] === 0 && ran[id]! > 1) found.ranTwice++;
      if (code === 'NOT_SENT' && ran[id]! > 0) found.ranThoughNotSent++;
    }
    return found;
  }
}
