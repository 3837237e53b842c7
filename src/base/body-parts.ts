// Collects a body that arrives in chunks, up to a limit. A body of one chunk, the usual case, is not copied. A body of
// many small chunks takes little more memory than its bytes.

import { PartList } from './part-list.ts';

const nothing = new Uint8Array(0);

export class BodyParts {
  readonly #maxBytes: number;
  #bytes = 0;
  #first: Uint8Array | undefined;
  #parts: PartList | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns false once the body exceeds the limit; the chunks collected so far are then dropped. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.clear();
    else if (this.#first === undefined) this.#first = chunk;
    else {
      this.#parts ??= this.#begun(this.#first);
      this.#parts.append(chunk, 0, chunk.length);
    }
    return this.#bytes <= this.#maxBytes;
  }

  whole(): Uint8Array {
    return this.#parts ? this.#parts.join(this.#bytes, nothing, 0, 0) : (this.#first ?? nothing);
  }

  clear(): void {
    this.#first = undefined;
    this.#parts = undefined;
  }

  #begun(first: Uint8Array): PartList {
    const parts = new PartList(this.#maxBytes);
    parts.append(first, 0, first.length);
    return parts;
  }
}
