// Chunked messages: those too long for one NATS message are sent in parts. The parts are published one after another at one subject,
// so they arrive in order or not at all. A message that fits is neither changed nor copied. Memory is bounded per message, per
// sender and in total. It grows with the parts that arrive, because the announced length costs its sender nothing. A missing part fails
// the message. This file must not know what the messages mean.

import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { decodeText } from '../../base/decode-text.ts';
import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { PART } from './call-protocol.ts';
import type { NodeMessaging } from './cluster-network.ts';

export type Payload = string | Uint8Array;

/** Limit in characters: a shorter text stays a string, because off-heap memory would cost more. */
const LONG_CHARS = 4 * 1024;

const encoder = new TextEncoder();

export function payloadOf(text: string): Payload {
  return text.length < LONG_CHARS ? text : encoder.encode(text);
}

export function textOfPayload(payload: Payload): string {
  return typeof payload === 'string' ? payload : decodeText(payload);
}

/** The payload with a protocol prefix (`call-protocol.ts`). */
export function withWord(word: string, payload: Payload): Payload {
  return typeof payload === 'string' ? word + payload : Buffer.concat([encoder.encode(word), payload]);
}

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
  routes: Pick<NodeMessaging, 'publish' | 'maxBytes'>,
  subject: string,
  message: Payload,
  reply?: string,
): Promise<void> | undefined {
  const { maxBytes } = routes;
  // UTF-8 has at most three bytes for each UTF-16 code unit.
  const isShort = message.length * 3 <= maxBytes || Buffer.byteLength(message) <= maxBytes;
  if (isShort) return routes.publish(subject, message, reply);
  const publishParts = async () => {
    for (const part of messageParts(message, maxBytes)) await routes.publish(subject, part, reply);
  };
  return publishParts();
}

/** `part <message> <index from 0> <count> <bytes of the whole>\n` and a section of the message, each at most `maxBytes` long. */
export function* messageParts(message: Payload, maxBytes: number): Generator<Uint8Array> {
  const whole = typeof message === 'string' ? new TextEncoder().encode(message) : message;
  const section = maxBytes - MAX_HEADER_BYTES;
  if (section < 1) throw new RangeError(`A limit of ${maxBytes} bytes leaves no room for a part`);
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
  bytes: number;
  next: number;
  /** The parts that have arrived, in a buffer of at most twice their length. Undefined after a failure: the remaining parts are ignored. */
  whole: Uint8Array | undefined;
  filled: number;
  lastMs: number;
  sender: string;
}

type Announced = Pick<Unfinished, 'id' | 'count' | 'bytes' | 'sender'>;

interface PartsLimits {
  /** Limit of all unfinished messages together. Default: 256 MB. A sender with several messages has half of it. */
  maxTotalBytes?: number | undefined;
  /** Limit of the number of unfinished messages. Default: 10,000. */
  maxMessages?: number;
  /** Default: a tenth of `maxMessages`. */
  maxSenderMessages?: number;
  /** A message without a new part for this time is dropped. Default: 30 s. */
  idleMs?: number;
  clock?: Clock;
}

export class PartsAssembler {
  readonly #limits: { [L in Exclude<keyof PartsLimits, 'clock'>]-?: number };
  readonly #clock: Clock;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #senders = new Map<string, { messages: number; bytes: number }>();
  #bytes = 0;
  #sweep: Timer | undefined;

  constructor({ maxTotalBytes = 256 << 20, maxMessages = 10_000, clock = systemClock, ...more }: PartsLimits = {}) {
    const { maxSenderMessages = maxMessages / 10, idleMs = 30_000 } = more;
    this.#limits = { maxTotalBytes, maxMessages, maxSenderMessages, idleMs };
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#unfinished.size;
  }

  /**
   * Returns the whole message with its last part, and undefined before. Throws once per message: FRAME_TOO_LONG above
   * `maxMessageBytes`, SERVER_BUSY if a limit of the sender or in total is reached, FRAME_TRUNCATED if a part is missing, FRAME_LENGTH_INVALID for a part
   * with an invalid header. `key` identifies consecutive messages of one sender, for example by a reply subject.
   */
  add(key: string, data: Uint8Array, maxMessageBytes: number, sender = key): Uint8Array | undefined {
    const end = data.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
    const match = header.exec(String.fromCharCode(...data.subarray(0, Math.max(end, 0))));
    if (!match) throw new PeerError('FRAME_LENGTH_INVALID', 'A part of a message has an invalid header');
    const [id, index, count, bytes] = match.slice(1).map(Number) as [number, number, number, number];
    let message = this.#unfinished.get(key);
    if (index === 0) message = this.#begin(key, { id, count, bytes, sender }, maxMessageBytes);
    else if (message?.id !== id) {
      message = this.#remember(key, { id, count, bytes, sender });
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
    const { sender } = message;
    const known = this.#senders.get(sender)!;
    known.messages -= 1;
    if (known.messages === 0) this.#senders.delete(sender);
  }

  clear(): void {
    for (const key of [...this.#unfinished.keys()]) this.forget(key);
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #begin(key: string, announced: Announced, maxBytes: number): Unfinished {
    const message = this.#remember(key, announced);
    const { bytes } = announced;
    if (bytes > maxBytes) {
      throw new PeerError(
        'FRAME_TOO_LONG',
        `A message of ${bytes} bytes in parts is longer than the limit of ${maxBytes}`,
      );
    }
    if (this.#unfinished.get(key) !== message) throw this.#full();
    message.whole = nothing;
    return message;
  }

  /** If a limit of the number is reached, the message is not recorded, and all of its parts fail. */
  #remember(key: string, { id, count, bytes, sender }: Announced): Unfinished {
    this.forget(key);
    const lastMs = this.#clock.nowMs();
    const message: Unfinished = { id, count, bytes, next: 0, whole: undefined, filled: 0, lastMs, sender };
    const known = this.#senders.get(sender) ?? { messages: 0, bytes: 0 };
    if (this.#unfinished.size < this.#limits.maxMessages && known.messages < this.#limits.maxSenderMessages) {
      known.messages += 1;
      this.#senders.set(sender, known);
      this.#unfinished.set(key, message);
    }
    this.#sweepLater();
    return message;
  }

  #append(key: string, message: Unfinished, index: number, section: Uint8Array): Uint8Array | undefined {
    const isLast = index === message.count - 1;
    const filled = message.filled + section.length;
    if (!message.whole || index !== message.next || (isLast ? filled !== message.bytes : filled > message.bytes)) {
      this.#fail(key, message, isLast);
      throw new PeerError('FRAME_TRUNCATED', `Part ${message.next + 1} of ${message.count} of a message is missing`);
    }
    if (filled > message.whole.length && !this.#grow(message, filled)) {
      const error = this.#full();
      this.#fail(key, message, isLast);
      throw error;
    }
    message.whole.set(section, message.filled);
    message.filled = filled;
    message.next += 1;
    message.lastMs = this.#clock.nowMs();
    if (!isLast) return undefined;
    const { whole } = message;
    this.forget(key);
    return whole;
  }

  /** Returns false if a limit is reached. A single message of a sender may have more than the limit of the sender. */
  #grow(message: Unfinished, filled: number): boolean {
    const before = message.whole!;
    const length = Math.min(message.bytes, 2 * filled);
    const sender = this.#senders.get(message.sender)!;
    const others = sender.bytes - before.length;
    if (this.#bytes - before.length + length > this.#limits.maxTotalBytes) return false;
    if (others > 0 && others + length > this.#limits.maxTotalBytes / 2) return false;
    this.#count(message, length - before.length);
    message.whole = new Uint8Array(length);
    message.whole.set(before.subarray(0, message.filled));
    return true;
  }

  #fail(key: string, message: Unfinished, isLast: boolean): void {
    if (isLast && this.#unfinished.get(key) === message) this.forget(key);
    else this.#drop(message);
  }

  #full(): RpcError {
    const message = `Too many long messages arrive at once: ${this.#unfinished.size} with ${this.#bytes} bytes`;
    return new RpcError(RpcCode.serverBusy, message, undefined, { hint: 'Send it again later' });
  }

  #drop(message: Unfinished): void {
    if (message.whole && message.whole.length > 0) this.#count(message, -message.whole.length);
    message.whole = undefined;
  }

  #count({ sender }: Unfinished, bytes: number): void {
    this.#bytes += bytes;
    this.#senders.get(sender)!.bytes += bytes;
  }

  #sweepLater(): void {
    if (this.#sweep || this.#unfinished.size === 0) return;
    this.#sweep = this.#clock.after(this.#limits.idleMs, () => {
      this.#sweep = undefined;
      const untilMs = this.#clock.nowMs() - this.#limits.idleMs;
      for (const [key, { lastMs }] of this.#unfinished) if (lastMs <= untilMs) this.forget(key);
      this.#sweepLater();
    });
    this.#sweep.keepAlive(false);
  }
}
