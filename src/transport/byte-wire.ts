// What all wires share: a decoder on one stream, a batching writer on the other, and a life that starts once and ends
// once. Subclasses provide the streams and end the connection.

import type { Readable } from 'node:stream';
import { type Clock, systemClock } from '../base/clock.ts';
import { decodeText } from '../base/decode-text.ts';
import { type Evidence, PeerError, type Phase, toError, UsageError } from '../base/errors.ts';
import { within } from '../base/wait.ts';
import { Delivery } from '../framing/delivery.ts';
import { DEFAULT_MAX_FRAME_BYTES, type FrameDecoder, type Framing } from '../framing/framing.ts';
import { newline } from '../framing/newline.ts';
import type { ByteSink } from '../process/streams/reserve-stdout.ts';
import { BatchWriter } from './batch-writer.ts';
import { lastOutput } from './last-output.ts';
import type { SendBudget } from './send-budget.ts';
import { TurnReader } from './turn-reader.ts';
import type { Wire, WireEvents, WireObserver, WireOptions } from './wire.ts';

export abstract class ByteWire implements Wire {
  phase: Phase = 'spawn';
  firstNoise: string | undefined;
  readonly maxFrameBytes: number;
  protected readonly clock: Clock;
  protected events: WireEvents | undefined;
  protected readonly framingName: string;
  readonly #observer: WireObserver | undefined;
  readonly #framing: Framing;
  readonly #decoder: FrameDecoder;
  readonly #maxQueuedChars: number | undefined;
  readonly #budget: SendBudget | undefined;
  #writer: BatchWriter | undefined;
  #reader: TurnReader | undefined;
  /** Too many answers wait for the other end: no more requests are read before it has taken some. */
  #isFull = false;
  #readsNoMore = false;
  #closed = false;
  #closeError: Error | undefined;
  #detach: (() => void) | undefined;

  constructor(options: WireOptions) {
    const { framing = newline(), maxFrameBytes = DEFAULT_MAX_FRAME_BYTES } = options;
    this.maxFrameBytes = maxFrameBytes;
    this.clock = options.clock ?? systemClock;
    this.#observer = options.observer;
    this.framingName = framing.name;
    this.#framing = framing;
    this.#decoder = framing.decoder({ maxFrameBytes });
    this.#maxQueuedChars = options.maxQueuedChars;
    this.#budget = options.budget;
  }

  abstract start(events: WireEvents): Promise<void>;
  abstract close(): Promise<void>;

  get closeError(): Error | undefined {
    return this.#closeError;
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  evidence(): Evidence {
    const { phase, firstNoise } = this;
    return firstNoise === undefined ? { phase } : { phase, firstNoise };
  }

  get writes(): number {
    return this.#writer?.writes ?? 0;
  }

  send(text: string, neverRefuse = false, together = false): Promise<void> {
    if (!this.#writer) {
      return Promise.reject(
        this.#closed ? this.#closedUsage() : new UsageError('NOT_STARTED', 'Nothing can be sent before start()'),
      );
    }
    return this.#writer.send(text, neverRefuse, together);
  }

  /** To be called first in `start`. */
  protected begin(events: WireEvents): void {
    if (this.#closed) throw this.#closedUsage();
    if (this.events) throw new UsageError('ALREADY_STARTED', 'Already started; create a new one');
    this.events = events;
  }

  /** Connects the streams. `onEnd` is called when nothing more can be read. */
  protected attach(input: Readable, output: ByteSink, onEnd: (error?: Error) => void): void {
    const observer = this.#observer;
    const delivery = new Delivery(this.events!.frames, observer, (thrown) => this.report(toError(thrown)));
    this.#writer = new BatchWriter(output, this.#framing, {
      maxQueuedChars: this.#maxQueuedChars,
      budget: this.#budget,
      onWrite:
        observer && (observer.sent || observer.sentSpans) && ((chunk, places) => this.#observeSent(chunk, places)),
      onFull: (isFull) => this.#full(isFull),
    });
    this.phase = 'startup';
    this.#reader = new TurnReader(input, this.clock, {
      decoder: this.#decoder,
      sink: delivery,
      arrived: this.arrived,
      onEnd: () => {
        this.#decoder.end(delivery);
        onEnd();
      },
    });
    const inputFailed = (error: Error) => onEnd(streamFailed('reading from', error));
    // EPIPE and its kind. What was written may still be answered: each wire decides how long it reads on.
    const outputFailed = (error: Error) => {
      const failure = streamFailed('writing to', error);
      this.#writer?.end(failure);
      this.report(failure);
      if (!this.#closed) this.writeFailed?.(failure);
    };
    // What waits can no longer be taken, so it is no reason to leave unread what has come.
    const outputClosed = () => this.#full(false);
    input.on('error', inputFailed);
    output.on('error', outputFailed);
    output.once('close', outputClosed);
    this.#detach = () => {
      this.#reader?.detach();
      this.#writer?.detach();
      input.off('error', inputFailed);
      output.off('close', outputClosed);
      // Something still waits to be written: its failure must not become an uncaught exception.
      if (this.#writer?.blocked !== true) output.off('error', outputFailed);
    };
  }

  /** For streams that belong to the caller: they stay open, and all listeners are removed from them. */
  protected detach(): void {
    this.#detach?.();
  }

  /** Called with everything that is read, before it is decoded. */
  protected arrived?: (chunk: Uint8Array) => void;

  /** Nothing more can be written, so the wire is of no more use: ends it once what is on its way has been read. */
  protected writeFailed?(error: Error): void;

  protected stopReading(): void {
    this.#readsNoMore = true;
    this.#reader?.hold();
  }

  #full(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#reader?.hold();
    else if (!this.#readsNoMore) this.#reader?.release();
    this.tell((events) => events.full?.(isFull));
  }

  /** What was sent goes out, however long that takes; but an end that reads nothing for `stallMs` is not waited for. */
  protected async flush(stallMs: number): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    let isFlushed = false;
    const flushed = writer.flush().then(() => {
      isFlushed = true;
    });
    for (let before = -1; !isFlushed && before !== writer.progress; ) {
      before = writer.progress;
      await within(this.clock, stallMs, flushed);
    }
  }

  /** How much the other end has taken, and whether it has to take more before anything can be written. */
  protected get output(): { progress: number; blocked: boolean } {
    return this.#writer ?? { progress: 0, blocked: false };
  }

  /** Resolves when the last of what the other end wrote was read. */
  protected lastInput(input: Readable): Promise<void> {
    return lastOutput(input, this.clock, () => this.#reader?.hasRest ?? false);
  }

  /** Nothing more is accepted. Messages of this tick are still written; those that wait for a full pipe are rejected. */
  protected stopSending(): void {
    this.#writer?.end(new PeerError('CONNECTION_CLOSED', 'The connection was closed by this side'));
  }

  /** The end of this wire's life, for whatever reason. Only the first call counts. */
  protected finish(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.stop();
    this.#closeError = error;
    this.#writer?.end(error ?? new PeerError('CONNECTION_CLOSED', 'The connection was closed'));
    this.tell((events) => events.closed(error));
  }

  /** What the protocol throws is reported. */
  protected tell(call: (events: WireEvents) => void): void {
    try {
      if (this.events) call(this.events);
    } catch (error) {
      this.report(toError(error));
    }
  }

  /** Never throws. A handler of errors that throws is an uncaught exception, as with any listener of an event. */
  protected report(error: Error): void {
    try {
      this.events?.error(error);
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  /** For what is rare. An observer that throws is reported. */
  protected observe(tell: (observer: WireObserver) => void): void {
    if (!this.#observer) return;
    try {
      tell(this.#observer);
    } catch (error) {
      this.report(toError(error));
    }
  }

  #observeSent(chunk: Uint8Array, places: number[]): void {
    this.observe((observer) => {
      if (observer.sentSpans) return observer.sentSpans(chunk, places);
      for (let at = 0; at < places.length; at += 2) {
        const text = decodeText(chunk, places[at], places[at + 1]);
        this.observe(() => observer.sent?.(text));
      }
    });
  }

  #closedUsage(): UsageError {
    return new UsageError('TRANSPORT_CLOSED', 'Already closed; create a new one', { cause: this.#closeError });
  }
}

function streamFailed(doing: string, error: Error): PeerError {
  return new PeerError('STREAM_FAILED', `Failed ${doing} the other end: ${error.message}`, { cause: error });
}
