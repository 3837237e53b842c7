// What a check holds of the output of the program under test: transcripts of all processes together, parsed messages, and the evidence in its
// report. Invariant: whatever the program writes, the memory of a check is bounded by these limits.

import { BYTES_OF_A_VALUE } from '../base/count-json-values.ts';

/** Output that is kept of one process, or of one client run. */
export const MOST_PROCESS_BYTES = 64 * 1024 * 1024;
/** Output that is kept of all processes of a check together. */
export const MOST_CHECK_BYTES = 192 * 1024 * 1024;
/** Evidence of all rules together. */
const MOST_EVIDENCE_CHARS = 16 * 1024 * 1024;

/** Beside its bytes: the objects that an entry of a transcript, and a chunk that was read, consist of. */
export const ENTRY_BYTES = 1024;

export class Budget {
  heldBytes = 0;
  /** The most that was ever held. */
  peakBytes = 0;
  #evidenceChars = 0;

  share(): Share {
    return new Share(this);
  }

  /** The last of them, as many as the report has room for. */
  evidence<T extends { readonly text: string }>(lines: readonly T[]): T[] {
    const kept: T[] = [];
    for (const line of lines.toReversed()) {
      if (this.#evidenceChars + line.text.length > MOST_EVIDENCE_CHARS) break;
      this.#evidenceChars += line.text.length;
      kept.unshift(line);
    }
    return kept;
  }
}

/** What one process has of the budget. */
export class Share {
  readonly #budget: Budget;
  #bytes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** False if it is too much. It counts all the same. */
  hold(bytes: number): boolean {
    this.#bytes += bytes;
    this.#budget.heldBytes += bytes;
    const isTooMuch = this.#bytes > MOST_PROCESS_BYTES || this.#budget.heldBytes > MOST_CHECK_BYTES;
    if (!isTooMuch) this.#budget.peakBytes = Math.max(this.#budget.peakBytes, this.#budget.heldBytes);
    return !isTooMuch;
  }

  release(): void {
    this.#budget.heldBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** An upper bound of what its values take when it is parsed: a text of `{},` counts as 85 times its length. */
export function parsedBytes(json: Uint8Array): number {
  let values = 1;
  for (const byte of json) if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values++;
  return values * BYTES_OF_A_VALUE;
}
