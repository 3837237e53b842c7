// What all transports over bytes share: a reader on one stream, a batching writer on the other, and a life that starts
// once and ends once. Subclasses say where the streams come from and how the other end is told goodbye.

import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { type Evidence, PeerError, type Phase, toError, UsageError } from '../base/errors.ts';
import { DEFAULT_MAX_FRAME_BYTES, type Framing } from '../framing/framing.ts';
import { newline } from '../framing/newline.ts';
import type { InboundFault, Noise } from '../jsonrpc/channel.ts';
import type { JsonRpcMessage } from '../jsonrpc/message.ts';
import { MessageReader, type MessageSink } from '../jsonrpc/message-reader.ts';
import { BatchWriter, toJson } from './batch-writer.ts';
import type { Transport, TransportOptions } from './transport.ts';

const REVISION_WITH_BATCHES = '2025-03-26';

export abstract class ByteTransport implements Transport {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object) => void) | undefined;
  onbatch?: ((messages: JsonRpcMessage[], faults: InboundFault[]) => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onnoise?: ((noise: Noise) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;

  /** How many lines of noise there were. */
  noiseCount = 0;
  protected readonly clock: Clock;
  protected phase: Phase = 'spawn';
  protected firstNoise: Noise | undefined;
  readonly #framing: Framing;
  readonly #options: TransportOptions;
  readonly #reader: MessageReader;
  #writer: BatchWriter | undefined;
  #started = false;
  #closed = false;
  #closeError: Error | undefined;

  constructor(options: TransportOptions, toleratesNoise: boolean) {
    const { framing = newline(), maxFrameBytes = DEFAULT_MAX_FRAME_BYTES } = options;
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.#framing = framing;
    const decoder = framing.decoder({ maxFrameBytes });
    this.#reader = new MessageReader({ decoder, maxFrameBytes, toleratesNoise, decodeText }, this.#sink());
  }

  get closeError(): Error | undefined {
    return this.#closeError;
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  abstract start(): Promise<void>;
  abstract close(): Promise<void>;

  evidence(): Evidence {
    const evidence: Evidence = { phase: this.phase };
    if (this.firstNoise) evidence.firstNoise = this.firstNoise.text;
    return evidence;
  }

  setProtocolVersion(version: string): void {
    this.#reader.batches = version === REVISION_WITH_BATCHES;
  }

  send(message: JsonRpcMessage): Promise<void> {
    return this.#sendJson(message);
  }

  sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    return this.#sendJson(messages);
  }

  #sendJson(message: unknown): Promise<void> {
    if (!this.#writer) return Promise.reject(this.#closed ? this.#closedUsage() : notStarted());
    const json = toJson(message);
    return typeof json === 'string' ? this.#writer.send(json) : Promise.reject(json);
  }

  protected claimStart(): void {
    if (this.#closed) throw this.#closedUsage();
    if (this.#started) throw new UsageError('ALREADY_STARTED', 'This transport was started before; make a new one');
    this.#started = true;
  }

  /** Connects the streams. `onEnd` is called when nothing more can be read. */
  protected attach(input: Readable, output: Writable, onEnd: (error?: Error) => void): void {
    this.#writer = new BatchWriter(output, this.#framing, this.#options.maxQueuedChars);
    this.phase = 'startup';
    input.on('data', (chunk: Buffer) => this.#reader.push(chunk));
    input.once('end', () => {
      this.#reader.end();
      onEnd();
    });
    input.on('error', (error) => onEnd(streamFailed('reading from', error)));
    // EPIPE and its kind: an event. What was written may still be answered, so reading goes on until its own end.
    output.on('error', (error) => {
      const failure = streamFailed('writing to', error);
      this.#writer?.end(failure);
      this.reportError(failure);
    });
  }

  /** What was sent goes out, unless the other end does not read: then the wait is over after `withinMs`. */
  protected async flush(withinMs: number): Promise<void> {
    if (!this.#writer) return;
    let timer: Timer | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = this.clock.after(withinMs, resolve);
    });
    await Promise.race([this.#writer.flush(), timeUp]);
    timer?.cancel();
  }

  /** Nothing more is accepted. What this tick sent still goes out; what waits for a full pipe is told that it never will. */
  protected stopSending(): void {
    this.#writer?.end(new PeerError('CONNECTION_CLOSED', 'The connection was closed by this side'));
  }

  /** The end of this transport's life, for whatever reason. Only the first call counts. */
  protected finish(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closeError = error;
    this.#writer?.end(error ?? new PeerError('CONNECTION_CLOSED', 'The connection was closed'));
    this.#guard(() => this.onclose?.());
  }

  protected reportError(error: Error): void {
    this.onerror?.(error);
  }

  /** Everything that a message passes on its way in; kept in one object so that it costs no closure a message. */
  #sink(): MessageSink {
    return {
      message: (message) => {
        this.phase = 'running';
        this.received(message);
        try {
          this.onmessage?.(message);
        } catch (error) {
          this.reportError(toError(error));
        }
      },
      batch: (messages, faults) => {
        for (const message of messages) this.received(message);
        if (this.onbatch) return this.#guard(() => this.onbatch?.(messages, faults));
        for (const fault of faults) this.#fault(fault);
        for (const message of messages) this.#guard(() => this.onmessage?.(message));
      },
      fault: (fault) => this.#fault(fault),
      noise: (noise) => {
        this.firstNoise ??= noise;
        this.noiseCount++;
        this.#guard(() => this.onnoise?.(noise));
      },
    };
  }

  /** For subclasses that keep count of what comes in. */
  protected received(_message: JsonRpcMessage): void {
    return;
  }

  #fault(fault: InboundFault): void {
    if (this.onfault) return this.#guard(() => this.onfault?.(fault));
    this.reportError(new PeerError(fault.code, `${fault.message} (at byte ${fault.offset})`));
  }

  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.reportError(toError(error));
    }
  }

  #closedUsage(): UsageError {
    return new UsageError('TRANSPORT_CLOSED', 'This transport is closed; make a new one', { cause: this.#closeError });
  }
}

function notStarted(): UsageError {
  return new UsageError('NOT_STARTED', 'Nothing can be sent before start()');
}

export function streamFailed(doing: string, error: Error): PeerError {
  return new PeerError('STREAM_FAILED', `Failed ${doing} the other end: ${error.message}`, { cause: error });
}

function decodeText(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString();
}
