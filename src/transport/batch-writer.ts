// Outbound messages, in order, one write a tick. While the stream is full, messages wait here, where it is certain that
// they were never sent; they go out together when it drains. Whatever waits settles when the stream ends or fails.

import { PeerError } from '../base/errors.ts';
import type { Framing } from '../framing/framing.ts';
import { SENT } from '../jsonrpc/channel.ts';
import type { ByteSink } from '../process/own-streams.ts';

interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** What a waiting message costs beside its text: many small ones count too. */
const OVERHEAD_CHARS = 256;

export const DEFAULT_MAX_QUEUED_CHARS = 64 * 1024 * 1024;

export interface BatchWriterOptions {
  maxQueuedChars?: number | undefined;
  /** Told of the messages that were written together: what was refused or still waits is not among them. */
  onWrite?: ((chunk: Uint8Array, places: number[]) => void) | undefined;
}

export class BatchWriter {
  /** How many writes the stream has taken. A message that no write has followed was never sent, not even in part. */
  writes = 0;
  #stream: ByteSink;
  #framing: Framing;
  #maxQueuedChars: number;
  #onWrite: BatchWriterOptions['onWrite'];
  /** Frames of this tick, joined as text where the framing can be written as text. */
  #text = '';
  #frames: Uint8Array[] = [];
  /** Where in the text each message begins and ends; only if somebody is to be told, who then shares its bytes. */
  #places: number[] = [];
  #queuedChars = 0;
  #waiters: Waiter[] = [];
  #scheduled = false;
  #blocked = false;
  #ended: Error | undefined;

  constructor(stream: ByteSink, framing: Framing, options: BatchWriterOptions = {}) {
    this.#stream = stream;
    this.#framing = framing;
    this.#maxQueuedChars = options.maxQueuedChars ?? DEFAULT_MAX_QUEUED_CHARS;
    this.#onWrite = options.onWrite;
    stream.on('drain', () => this.#drained());
  }

  /** Resolves once the message is handed to the stream; at once unless the other end reads too slowly. */
  send(json: string): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#queuedChars > 0 && this.#queuedChars + json.length > this.#maxQueuedChars) {
      return Promise.reject(this.#full());
    }
    const start = this.#text.length;
    try {
      if (this.#framing.encodeJson) this.#text += this.#framing.encodeJson(json);
      else this.#pushFrame(json);
    } catch (error) {
      return Promise.reject(error); // a payload that this framing cannot carry
    }
    if (this.#onWrite) this.#places.push(start, start + json.length);
    this.#queuedChars += json.length + OVERHEAD_CHARS;
    if (this.#blocked) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.#flushTick);
    }
    return SENT;
  }

  /** Resolves when everything sent so far has been handed to the operating system, or the stream has failed. */
  flush(): Promise<void> {
    this.#flush();
    if (this.#ended || !this.#stream.writable) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.once('close', done);
      // While blocked the queue goes out at the drain; an empty write behind it completes when all before it has.
      if (this.#blocked && this.#queuedChars > 0)
        this.#waiters.push({ resolve: () => this.#stream.write('', done), reject: done });
      else this.#stream.write('', done);
    });
  }

  /** No more messages: those that wait are told why. */
  end(reason: Error): void {
    if (this.#ended) return;
    if (this.#stream.writable) this.#flush();
    this.#ended = reason;
    this.#text = '';
    this.#frames = [];
    this.#places = [];
    this.#queuedChars = 0;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
  }

  #flushTick = (): void => {
    this.#scheduled = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#blocked || this.#queuedChars === 0 || this.#ended) return;
    const text = this.#text;
    this.#text = '';
    this.#queuedChars = 0;
    const chunk = this.#onWrite ? Buffer.from(text) : text;
    this.#blocked = !this.#stream.write(this.#framing.encodeJson ? chunk : this.#takeFrames());
    // A write that the system refuses as a whole fails within the call; one that fails later may have gone out in part.
    if (this.#stream.errored) return;
    this.writes++;
    // Not before: the other end is at work meanwhile.
    if (typeof chunk !== 'string') this.#tell(chunk, text);
  }

  #tell(chunk: Uint8Array, text: string): void {
    const places = this.#places;
    this.#places = [];
    this.#onWrite?.(chunk, chunk.length === text.length ? places : inBytes(places, text));
  }

  #pushFrame(json: string): void {
    this.#frames.push(this.#framing.encode(Buffer.from(json)));
    if (this.#onWrite) this.#text += json;
  }

  #takeFrames(): Uint8Array {
    const frames = this.#frames;
    this.#frames = [];
    return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
  }

  #drained(): void {
    this.#blocked = false;
    const waiters = this.#waiters.splice(0);
    this.#flush();
    for (const waiter of waiters) waiter.resolve();
  }

  #full(): PeerError {
    return new PeerError(
      'SEND_QUEUE_FULL',
      `${this.#blocked ? 'The other end does not read' : 'Too much was sent at once'}: ${this.#queuedChars} characters wait already (limit ${this.#maxQueuedChars})`,
      { hint: 'Await `send` before sending more, or raise maxQueuedChars.' },
    );
  }
}

/** Places in a text as places in its UTF-8. */
function inBytes(places: readonly number[], text: string): number[] {
  let chars = 0;
  let bytes = 0;
  return places.map((place) => {
    bytes += Buffer.byteLength(text.slice(chars, place));
    chars = place;
    return bytes;
  });
}
