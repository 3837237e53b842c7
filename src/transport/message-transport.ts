// JSON-RPC messages over a wire: structurally the official SDK's `Transport`, so that ours work under the official
// `Client` and `McpServer` and theirs under our peer.

import { decodeText } from '../base/decode-text.ts';
import { type Evidence, PeerError, toError, UsageError } from '../base/errors.ts';
import { toJson } from '../base/to-json.ts';
import type { Symptoms } from '../diagnosis/symptoms.ts';
import { DEFAULT_MAX_FRAME_BYTES, type FrameFault } from '../framing/framing.ts';
import type { Channel, InboundFault, Noise, SendOptions } from '../jsonrpc/channel.ts';
import type { JsonRpcMessage } from '../jsonrpc/message.ts';
import { MessageReader, type MessageSink } from '../jsonrpc/message-reader.ts';
import type { Wire, WireEvents, WireOptions } from './wire.ts';

export interface Transport extends Channel {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object) => void) | undefined;
  /** A line on a child's stdout that is no message. */
  onnoise?: ((noise: Noise) => void) | undefined;
  sessionId?: string | undefined;
}

export interface MessageTransportOptions extends Pick<WireOptions, 'maxFrameBytes' | 'maxFrameValues'> {
  toleratesNoise: boolean;
}

const REVISION_WITH_BATCHES = '2025-03-26';

export class MessageTransport implements Transport, MessageSink, WireEvents {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object) => void) | undefined;
  onbatch?: ((messages: JsonRpcMessage[], faults: InboundFault[]) => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onnoise?: ((noise: Noise) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  unanswered?: (() => number) | undefined;
  onfull?: ((isFull: boolean) => void) | undefined;
  onending?: (() => void) | undefined;
  onclose?: (() => void) | undefined;
  /** How many lines of noise there were. */
  noiseCount = 0;
  readonly #wire: Wire;
  readonly #reader: MessageReader;
  /** Between the start and the end. */
  #isOpen = false;

  constructor(wire: Wire, options: MessageTransportOptions) {
    const { maxFrameBytes = DEFAULT_MAX_FRAME_BYTES, maxFrameValues, toleratesNoise } = options;
    this.#wire = wire;
    this.#reader = new MessageReader({ maxFrameBytes, maxFrameValues, toleratesNoise, decodeText }, this);
  }

  get closeError(): Error | undefined {
    return this.#wire.closeError;
  }

  get writes(): number {
    return this.#wire.writes;
  }

  get frameBytes(): number {
    return this.#reader.frameBytes;
  }

  evidence(): Evidence {
    return this.#wire.evidence();
  }

  symptoms(): Symptoms | undefined {
    return this.#wire.symptoms?.();
  }

  mask(text: string): string {
    return this.#wire.mask?.(text) ?? text;
  }

  start(): Promise<void> {
    if (this.#isOpen) return Promise.reject(alreadyStarted(this.constructor.name));
    this.#isOpen = true;
    return this.#wire.start(this);
  }

  /** An answer is never refused: the other end waits for it. */
  send(message: JsonRpcMessage, options?: object): Promise<void> {
    return this.#sendJson(message, !('method' in message) || (options as SendOptions)?.neverRefuse === true);
  }

  sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    return this.#sendJson(messages, true);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Batches are read only in the one revision that has them. */
  setProtocolVersion(version: string): void {
    this.#reader.batches = version === REVISION_WITH_BATCHES;
  }

  allow({ arrayParams, batches }: { arrayParams: boolean; batches: boolean }): void {
    this.#reader.arrayParams = arrayParams;
    this.#reader.batches = batches;
  }

  #sendJson(message: unknown, neverRefuse: boolean): Promise<void> {
    const json = toJson(message);
    return typeof json === 'string' ? this.#wire.send(json, neverRefuse) : Promise.reject(json);
  }

  // What follows is called by the wire and by the reader, not by users.

  /** @internal */
  frame(bytes: Uint8Array, offset: number): void {
    this.#reader.frame(bytes, offset);
  }

  /** @internal */
  span(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#reader.span(chunk, start, end, offset);
  }

  /** @internal */
  fault(fault: FrameFault): void {
    this.#reader.fault(fault);
  }

  /** @internal */
  message(message: JsonRpcMessage): void {
    this.#wire.phase = 'running';
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.error(toError(error));
    }
  }

  /** @internal */
  batch(messages: JsonRpcMessage[], faults: InboundFault[]): void {
    if (this.onbatch) return this.#guard(() => this.onbatch?.(messages, faults));
    for (const fault of faults) this.messageFault(fault);
    for (const message of messages) this.message(message);
  }

  /** @internal */
  messageFault(fault: InboundFault): void {
    if (this.onfault) return this.#guard(() => this.onfault?.(fault));
    this.error(new PeerError(fault.code, `${fault.message} (at byte ${fault.offset})`, { evidence: this.evidence() }));
  }

  /** @internal */
  noise(noise: Noise): void {
    this.#wire.firstNoise ??= noise.text;
    this.noiseCount++;
    this.#guard(() => this.onnoise?.(noise));
  }

  /** @internal */
  error(error: Error): void {
    this.onerror?.(error);
  }

  /** @internal */
  full(isFull: boolean): void {
    this.#guard(() => this.onfull?.(isFull));
  }

  /** @internal */
  ending(): void {
    this.#guard(() => this.onending?.());
  }

  /** @internal */
  closed(): void {
    this.#isOpen = false;
    this.onclose?.();
  }

  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.error(toError(error));
    }
  }
}

/** In the words of the official transports, which programs and tests look for. */
function alreadyStarted(transport: string): UsageError {
  return new UsageError('ALREADY_STARTED', `${transport} already started`, {
    hint: 'connect() of a client or server calls start() itself. A new connection needs a new transport.',
  });
}
