// Chunked messages: those too long for one NATS message are sent in parts. The parts are published one after another at one subject,
// so they arrive in order or not at all. A message that fits is neither changed nor copied. Memory is bounded per message and in
// total: a message's memory is reserved with its first part, and a missing part fails the message. This file must not know what the
// messages mean.

import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { PeerError, RpcCode, RpcError } from '../base/errors.ts';
import { PART } from './call-protocol.ts';
import type { Routes } from './fabric.ts';

/** Length of `part`, four numbers and their separators. */
const MAX_HEADER_BYTES = 80;
const NEWLINE = 10;
const header = /^part (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/;
const prefix = new TextEncoder().encode(PART);
const nothing = new Uint8Array(0);

/** Distinguishes messages: parts of two messages are never combined, even if two processes send to one subject. */
let lastId = Math.floor(Math.random() * 2 ** 40);

/** Publishes a message, in parts if necessary. Messages to one subject keep their order if each call waits for the previous one. */
export function publishMessage(
  routes: Pick<Routes, 'publish' | 'maxBytes'>,
  subject: string,
  message: string | Uint8Array,
  reply?: string,
): Promise<void> | undefined {
  const { maxBytes } = routes;
  // UTF-8 has at most three bytes for each UTF-16 code unit.
  if (message.length * 3 <= maxBytes || bytesOf(message) <= maxBytes) return routes.publish(subject, message, reply);
  return publishParts(routes, subject, message, reply);
}

async function publishParts(
  routes: Pick<Routes, 'publish' | 'maxBytes'>,
  subject: string,
  message: string | Uint8Array,
  reply: string | undefined,
): Promise<void> {
  for (const part of partsOf(message, routes.maxBytes)) await routes.publish(subject, part, reply);
}

/** `part <message> <index from 0> <count> <bytes of the whole>\n` and a section of the message, each at most `maxBytes` long. */
export function* partsOf(message: string | Uint8Array, maxBytes: number): Generator<Uint8Array> {
  const whole = typeof message === 'string' ? new TextEncoder().encode(message) : message;
  const section = maxBytes - MAX_HEADER_BYTES;
  if (section < 1) throw new RangeError(`Parts of ${maxBytes} bytes have no place for a message`);
  const count = Math.ceil(whole.length / section);
  lastId += 1;
  const id = lastId;
  for (let index = 0; index < count; index += 1) {
    const head = `${PART}${id} ${index} ${count} ${whole.length}\n`;
    const body = whole.subarray(index * section, (index + 1) * section);
    const part = new Uint8Array(head.length + body.length);
    new TextEncoder().encodeInto(head, part);
    part.set(body, head.length);
    yield part;
  }
}

export function isPart(data: Uint8Array): boolean {
  return data.length > prefix.length && data[0] === prefix[0] && prefix.every((byte, i) => data[i] === byte);
}

interface Unfinished {
  id: number;
  count: number;
  next: number;
  /** Undefined after a failure: the remaining parts are ignored. */
  whole: Uint8Array | undefined;
  filled: number;
  lastMs: number;
}

export interface PartsLimits {
  /** Limit of all unfinished messages together. Default: 256 MB. */
  maxTotalBytes?: number | undefined;
  /** Limit of the number of unfinished messages. Default: 1,000. */
  maxMessages?: number;
  /** A message without a new part for this time is dropped. Default: 30 s. */
  idleMs?: number;
  clock?: Clock;
}

export class PartsAssembler {
  readonly #maxTotalBytes: number;
  readonly #maxMessages: number;
  readonly #idleMs: number;
  readonly #clock: Clock;
  readonly #unfinished = new Map<string, Unfinished>();
  #bytes = 0;
  #sweep: Timer | undefined;

  constructor({
    maxTotalBytes = 256 << 20,
    maxMessages = 1000,
    idleMs = 30_000,
    clock = systemClock,
  }: PartsLimits = {}) {
    this.#maxTotalBytes = maxTotalBytes;
    this.#maxMessages = maxMessages;
    this.#idleMs = idleMs;
    this.#clock = clock;
  }

  /** Bytes reserved for unfinished messages. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#unfinished.size;
  }

  /**
   * Returns the whole message with its last part, and undefined before. Throws once per message: FRAME_TOO_LONG above
   * `maxMessageBytes`, SERVER_BUSY if a total limit is reached, FRAME_TRUNCATED if a part is missing, FRAME_LENGTH_INVALID for a part
   * with an invalid header. `key` identifies consecutive messages of one sender, for example by a reply subject.
   */
  add(key: string, data: Uint8Array, maxMessageBytes: number): Uint8Array | undefined {
    const end = data.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
    const match = header.exec(String.fromCharCode(...data.subarray(0, Math.max(end, 0))));
    if (!match) throw new PeerError('FRAME_LENGTH_INVALID', 'A part of a message has an invalid header');
    const [id, index, count, bytes] = match.slice(1).map(Number) as [number, number, number, number];
    let message = this.#unfinished.get(key);
    if (index === 0) message = this.#begin(key, { id, count, bytes }, maxMessageBytes);
    else if (message?.id !== id) {
      message = this.#remember(key, id, count);
    } else if (message.whole === undefined) {
      if (index === count - 1) this.forget(key);
      return undefined;
    }
    return this.#append(key, message, index, data.subarray(end + 1));
  }

  forget(key: string): void {
    const message = this.#unfinished.get(key);
    if (!message) return;
    this.#drop(message);
    this.#unfinished.delete(key);
  }

  clear(): void {
    for (const key of [...this.#unfinished.keys()]) this.forget(key);
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #begin(
    key: string,
    { id, count, bytes }: { id: number; count: number; bytes: number },
    maxBytes: number,
  ): Unfinished {
    const message = this.#remember(key, id, count);
    const isFull = this.#unfinished.get(key) !== message;
    if (bytes > maxBytes) {
      throw new PeerError(
        'FRAME_TOO_LONG',
        `A message of ${bytes} bytes in parts is longer than the limit of ${maxBytes}`,
      );
    }
    if (isFull || this.#bytes + bytes > this.#maxTotalBytes) {
      throw new RpcError(
        RpcCode.serverBusy,
        `Too many long messages arrive at once: ${this.#unfinished.size} with ${this.#bytes} bytes`,
        undefined,
        { hint: 'Send it again later' },
      );
    }
    message.whole = new Uint8Array(bytes);
    this.#bytes += bytes;
    return message;
  }

  /** If the limit is reached, the message is not recorded, and all of its parts fail. */
  #remember(key: string, id: number, count: number): Unfinished {
    this.forget(key);
    const message: Unfinished = { id, count, next: 0, whole: undefined, filled: 0, lastMs: this.#clock.nowMs() };
    if (this.#unfinished.size < this.#maxMessages) this.#unfinished.set(key, message);
    this.#sweepLater();
    return message;
  }

  #append(key: string, message: Unfinished, index: number, section: Uint8Array): Uint8Array | undefined {
    const { whole = nothing } = message;
    const isLast = index === message.count - 1;
    const filled = message.filled + section.length;
    if (index !== message.next || filled > whole.length || (isLast && filled !== whole.length)) {
      this.#drop(message);
      if (isLast) this.#unfinished.delete(key);
      throw new PeerError('FRAME_TRUNCATED', `Part ${message.next + 1} of ${message.count} of a message is missing`);
    }
    whole.set(section, message.filled);
    message.filled = filled;
    message.next += 1;
    message.lastMs = this.#clock.nowMs();
    if (!isLast) return undefined;
    this.forget(key);
    return whole;
  }

  #drop(message: Unfinished): void {
    this.#bytes -= message.whole?.length ?? 0;
    message.whole = undefined;
  }

  #sweepLater(): void {
    if (this.#sweep || this.#unfinished.size === 0) return;
    this.#sweep = this.#clock.after(this.#idleMs, () => {
      this.#sweep = undefined;
      const untilMs = this.#clock.nowMs() - this.#idleMs;
      for (const [key, { lastMs }] of this.#unfinished) if (lastMs <= untilMs) this.forget(key);
      this.#sweepLater();
    });
    this.#sweep.keepAlive(false);
  }
}

function bytesOf(message: string | Uint8Array): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.length;
}
