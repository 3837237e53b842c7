// Base class of the wires: a decoder on the input stream, a batching writer on the output stream, and a lifetime that
// starts and ends once. Subclasses provide the streams and end the connection.

import type { Readable } from 'node:stream';
import { type Clock, systemClock } from '../../base/clock.ts';
import { decodeText } from '../../base/decode-text.ts';
import { type Evidence, PeerError, type Phase, toError, UsageError } from '../../base/errors.ts';
import { within } from '../../base/wait.ts';
import { Delivery } from '../framing/delivery.ts';
import { DEFAULT_MAX_FRAME_BYTES, type FrameDecoder, type Framing } from '../framing/framing.ts';
import { newline } from '../framing/newline.ts';
import type { ByteSink } from '../process/streams/reserve-stdout.ts';
import type { SendBudget } from '../send-budget.ts';
import type { Wire, WireEvents, WireObserver, WireOptions } from '../wire.ts';
import { BatchWriter } from './batch-writer.ts';
import { lastOutput } from './last-output.ts';
import { TurnReader } from './turn-reader.ts';

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
  /** True while too many answers are queued. Further requests are not read until the other end takes some. */
  #isFull = false;
  #readsNoMore = false;
  #closed = false;
  /** Calls of `holdInput` that are in force. */
  #holds = 0;
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

  /** Subclasses call this first in `start`. */
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
    // Handles errors such as EPIPE. Requests already written may still be answered; each wire decides how long it keeps
    // reading.
    const outputFailed = (error: Error) => {
      const failure = streamFailed('writing to', error);
      this.#writer?.end(failure);
      this.report(failure);
      if (!this.#closed) this.writeFailed?.(failure);
    };
    // Queued messages can no longer be sent, so they must not keep received input unread.
    const outputClosed = () => this.#full(false);
    input.on('error', inputFailed);
    output.on('error', outputFailed);
    output.once('close', outputClosed);
    this.#detach = () => {
      this.#reader?.detach();
      this.#writer?.detach();
      input.off('error', inputFailed);
      output.off('close', outputClosed);
      // Data is still being written. Keep the listener, so that a failure does not become an uncaught exception.
      if (this.#writer?.blocked !== true) output.off('error', outputFailed);
    };
  }

  /** Removes all listeners from streams that belong to the caller. The streams stay open. */
  protected detach(): void {
    this.#detach?.();
  }

  /** Called with each input chunk before it is decoded. */
  protected arrived?: (chunk: Uint8Array) => void;

  /** Called when writing has failed. Ends the wire after pending input is read. */
  protected writeFailed?(error: Error): void;

  protected stopReading(): void {
    this.#readsNoMore = true;
    this.#reader?.hold();
  }

  holdInput(until: Promise<void>): void {
    this.#holds++;
    this.#reader?.hold();
    void until.then(() => {
      this.#holds--;
      if (!this.#closed) this.#readOn();
    });
  }

  #full(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#reader?.hold();
    else this.#readOn();
    this.tell((events) => events.full?.(isFull));
  }

  #readOn(): void {
    if (!this.#isFull && this.#holds === 0 && !this.#readsNoMore) this.#reader?.release();
  }

  /**
   * Waits until sent data is written, without a total limit, but only up to `stallMs` without progress of the reader.
   */
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

  /** `progress` changes when the other end takes data. `blocked`: it must take data before more can be written. */
  protected get output(): { progress: number; blocked: boolean } {
    return this.#writer ?? { progress: 0, blocked: false };
  }

  /** Resolves when everything that the other end wrote has been read. */
  protected lastInput(input: Readable): Promise<void> {
    return lastOutput(input, this.clock, () => this.#reader?.hasRest ?? false);
  }

  /**
   * Refuses further messages. Messages of this tick are still written; messages queued behind a full pipe are rejected.
   */
  protected stopSending(): void {
    this.#writer?.end(new PeerError('CONNECTION_CLOSED', 'The connection was closed by this side'));
  }

  /** Closes the wire. Only the first call has an effect. */
  protected finish(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.stop();
    this.#closeError = error;
    this.#writer?.end(error ?? new PeerError('CONNECTION_CLOSED', 'The connection was closed'));
    this.tell((events) => events.closed(error));
  }

  /** Exceptions from the protocol handlers are reported. */
  protected tell(call: (events: WireEvents) => void): void {
    try {
      if (this.events) call(this.events);
    } catch (error) {
      this.report(toError(error));
    }
  }

  /** Never throws. If the error handler throws, the exception is uncaught, as with any event listener. */
  protected report(error: Error): void {
    try {
      this.events?.error(error);
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  /** Reports an infrequent event to the observer. Exceptions from the observer are reported. */
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
