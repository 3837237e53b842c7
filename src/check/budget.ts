// Bounds the memory for output of the program under test: transcripts, parsed messages, and the evidence in the report.

import { BYTES_OF_A_VALUE } from '../base/count-json-values.ts';

/** Limit of the output kept per process or client run. */
export const MOST_PROCESS_BYTES = 64 * 1024 * 1024;
/** Limit of the output kept for all processes of a check. */
export const MOST_CHECK_BYTES = 192 * 1024 * 1024;
/** Limit of the evidence of all rules. */
const MOST_EVIDENCE_CHARS = 16 * 1024 * 1024;

/** Memory of the objects of a transcript entry or chunk, in addition to its bytes. */
export const ENTRY_BYTES = 1024;

export class Budget {
  heldBytes = 0;
  peakBytes = 0;
  #evidenceChars = 0;

  share(): Share {
    return new Share(this);
  }

  /** The last lines that fit into the limit. */
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

/** The part of the budget that one process uses. */
export class Share {
  readonly #budget: Budget;
  #bytes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Returns false over the limit. The bytes are counted in any case. */
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

/** An upper bound of the memory of the parsed values: a text of `{},` counts as 85 times its length. */
export function parsedBytes(json: Uint8Array): number {
  let values = 1;
  for (const byte of json) if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values++;
  return values * BYTES_OF_A_VALUE;
}
