// Collects the parts of a payload until it is complete. Large chunks are held by reference and copied once, when they are joined. Small
// chunks are copied into blocks, so that a message that arrives byte by byte needs a few objects rather than one per byte. A large payload
// moves into one buffer that grows in place: its chunks can be freed as they arrive, and joining is not needed.
// Invariant: heldBytes ≤ limitBytes + the size of the first chunk held, as long as length ≤ limitBytes.

/** Smaller parts are copied: a separate object would take more memory than the bytes. */
const REFERENCE_MIN_BYTES = 4096;
const FIRST_BLOCK_BYTES = 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;

/** From this size on, the parts are collected in one growing buffer. */
const GROWING_MIN_BYTES = 1024 * 1024;

const nothing = new Uint8Array(0);

export class PartList {
  readonly #limitBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Memory kept alive by the closed parts, which may be more than their length. */
  #closedBytes = 0;
  /** The block being filled, or `nothing`. */
  #block: Uint8Array = nothing;
  #blockUsed = 0;
  #nextBlockBytes = FIRST_BLOCK_BYTES;
  /** Holds all bytes of a large payload. */
  #growing: Uint8Array<ArrayBuffer> | undefined;

  /** `limitBytes` is the maximum that will be appended. A block is never larger than the remainder. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory kept alive, including whole buffers behind views and whole blocks. */
  get heldBytes(): number {
    return this.#growing?.length ?? this.#closedBytes + this.#block.length;
  }

  get partCount(): number {
    return this.#growing ? 1 : this.#parts.length + (this.#block === nothing ? 0 : 1);
  }

  /** Adds chunk[from, to). The chunk may be kept by reference and must not be modified afterwards. */
  append(chunk: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    if (this.#growing || (this.#length > 0 && this.#length + to - from >= GROWING_MIN_BYTES)) {
      this.#grow(chunk, from, to);
    } else if (this.#mayReference(chunk, to - from)) {
      this.#closeBlock();
      this.#parts.push(chunk.subarray(from, to));
      this.#closedBytes += chunk.buffer.byteLength;
    } else {
      this.#copy(chunk, from, to);
    }
    this.#length += to - from;
  }

  /** The first `length` bytes of all appended parts and chunk[from, to), joined; a view if one part contains them. */
  join(length: number, chunk: Uint8Array, from: number, to: number): Uint8Array {
    if (this.#length === 0) return chunk.subarray(from, from + length);
    if (this.#growing) {
      const missing = length - this.#length;
      if (missing > 0) this.append(chunk, from, from + missing);
      return this.#growing.subarray(0, length);
    }
    const first = this.#parts[0] ?? this.#block;
    if (length <= first.length && (this.#parts.length > 0 || length <= this.#blockUsed))
      return first.subarray(0, length);
    const whole = new Uint8Array(length);
    const copied = this.copyTo(whole);
    if (copied < length) whole.set(chunk.subarray(from, Math.min(to, from + length - copied)), copied);
    return whole;
  }

  /** Fills `target` with the first bytes held; returns their number. */
  copyTo(target: Uint8Array): number {
    if (this.#growing) {
      const wanted = Math.min(this.#length, target.length);
      target.set(this.#growing.subarray(0, wanted));
      return wanted;
    }
    let at = 0;
    for (const part of this.#parts) {
      const wanted = Math.min(part.length, target.length - at);
      if (wanted === 0) return at;
      target.set(wanted === part.length ? part : part.subarray(0, wanted), at);
      at += wanted;
    }
    const wanted = Math.min(this.#blockUsed, target.length - at);
    target.set(this.#block.subarray(0, wanted), at);
    return at + wanted;
  }

  clear(): void {
    if (this.#length === 0) return;
    this.#parts = [];
    this.#length = 0;
    this.#closedBytes = 0;
    this.#block = nothing;
    this.#blockUsed = 0;
    this.#nextBlockBytes = FIRST_BLOCK_BYTES;
    this.#growing = undefined;
  }

  #grow(chunk: Uint8Array, from: number, to: number): void {
    const end = this.#length + to - from;
    this.#growing ??= this.#gathered(end);
    const { length } = this.#growing;
    if (end > length) this.#growing.buffer.resize(Math.min(Math.max(end, length * 2), this.#limitBytes));
    if (to - from === 1) this.#growing[this.#length] = chunk[from]!;
    else this.#growing.set(chunk.subarray(from, to), this.#length);
  }

  /** Moves all parts into a buffer that can grow in place up to the limit. */
  #gathered(firstBytes: number): Uint8Array<ArrayBuffer> {
    const growing = new Uint8Array(new ArrayBuffer(firstBytes, { maxByteLength: this.#limitBytes }));
    this.copyTo(growing);
    this.#parts = [];
    this.#block = nothing;
    return growing;
  }

  /**
   * A reference keeps the whole underlying buffer alive. A chunk without slack is always kept by reference; with slack, only the
   * first part is (the end of a chunk whose beginning was consumed), and only if it is at least half of the chunk.
   */
  #mayReference(chunk: Uint8Array, wantedBytes: number): boolean {
    if (wantedBytes < REFERENCE_MIN_BYTES || chunk.byteLength !== chunk.buffer.byteLength) return false;
    return wantedBytes === chunk.byteLength || (this.#length === 0 && wantedBytes * 2 >= chunk.byteLength);
  }

  #copy(chunk: Uint8Array, from: number, to: number): void {
    const fits = Math.min(to - from, this.#block.length - this.#blockUsed);
    if (fits === 1) this.#block[this.#blockUsed] = chunk[from]!;
    else if (fits > 0) this.#block.set(chunk.subarray(from, from + fits), this.#blockUsed);
    this.#blockUsed += fits;
    const rest = to - from - fits;
    if (rest === 0) return;
    this.#closeBlock();
    const left = this.#limitBytes - this.#length - fits;
    this.#block = new Uint8Array(Math.max(rest, Math.min(this.#nextBlockBytes, left)));
    this.#block.set(chunk.subarray(from + fits, to));
    this.#blockUsed = rest;
    this.#nextBlockBytes = Math.min(this.#nextBlockBytes * 2, LARGEST_BLOCK_BYTES);
  }

  /** Trims the block, because the slack of many half-filled blocks would add up. */
  #closeBlock(): void {
    if (this.#block === nothing) return;
    const full = this.#blockUsed === this.#block.length;
    const part = full ? this.#block : this.#block.slice(0, this.#blockUsed);
    this.#parts.push(part);
    this.#closedBytes += part.buffer.byteLength;
    this.#block = nothing;
    this.#blockUsed = 0;
  }
}

/** Collects a body of chunks, up to a limit. A body of one chunk, the usual case, is not copied. */
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
      if (!this.#parts) {
        this.#parts = new PartList(this.#maxBytes);
        this.#parts.append(this.#first, 0, this.#first.length);
      }
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
}
