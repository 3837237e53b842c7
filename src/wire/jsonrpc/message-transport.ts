// JSON-RPC messages over a wire: structurally the `Transport` of the official SDK, so that our transports work under
// the official `Client` and `McpServer`, and the official ones under our peer.

import { systemClock } from '../../base/clock.ts';
import { type Evidence, PeerError, toError, UsageError } from '../../base/errors.ts';
import type { Noise } from '../../base/noise.ts';
import type { Symptoms } from '../diagnosis/symptoms.ts';
import type { Wire, WireOptions } from '../wire.ts';
import type { Channel, InboundFault, SendOptions } from './channel.ts';
import type { JsonRpcMessage, JsonRpcResponse, RequestId } from './message.ts';
import { MessageReader } from './message-reader.ts';
import { messageText } from './message-text.ts';
import { EMPTY_BATCH } from './parse.ts';
import { ProgressGap } from './progress-gap.ts';

type DeliveredKind = 'answer' | 'notification' | 'other';

type OnMessage = <T extends JsonRpcMessage>(message: T, extra?: object, frameBytes?: number) => void;

export interface Transport extends Channel {
  onmessage?: OnMessage | undefined;
  /** Receives stray output: a line on a child's stdout that is not a message. */
  onnoise?: ((noise: Noise) => void) | undefined;
  sessionId?: string | undefined;
}

export interface MessageTransportOptions extends Pick<WireOptions, 'maxFrameValues' | 'clock'> {
  toleratesNoise: boolean;
}

const NO_OPTIONS: SendOptions = {};
const REVISION_WITH_BATCHES = '2025-03-26';

export class MessageTransport implements Transport {
  onmessage?: OnMessage | undefined;
  onbatch?: ((messages: JsonRpcMessage[], faults: InboundFault[], frameBytes?: number) => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onnoise?: ((noise: Noise) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  unanswered?: (() => number) | undefined;
  onfull?: ((isFull: boolean) => void) | undefined;
  onending?: (() => void) | undefined;
  onclose?: (() => void) | undefined;
  /** The number of stray lines. */
  noiseCount = 0;
  readonly writesText = true;
  readonly #wire: Wire;
  readonly #reader: MessageReader;
  readonly #gap: ProgressGap;
  /** Orders deliveries to the official SDK. Unused if one of our peers is attached. */
  readonly #deliveries = new AnswersAfterNotifications();
  /** True between the start and the end. */
  #isOpen = false;

  constructor(wire: Wire, options: MessageTransportOptions) {
    const { maxFrameValues, toleratesNoise } = options;
    this.#wire = wire;
    this.#gap = new ProgressGap(options.clock ?? systemClock, wire);
    this.#reader = new MessageReader(
      { maxFrameBytes: wire.maxFrameBytes, maxFrameValues, toleratesNoise },
      {
        message: (message, frameBytes) => this.#message(message, frameBytes),
        batch: (messages, faults, frameBytes) => this.#batch(messages, faults, frameBytes),
        fault: (fault) => this.#fault(fault),
        noise: (noise) => this.#noise(noise),
      },
    );
  }

  get closeError(): Error | undefined {
    return this.#wire.closeError;
  }

  get writes(): number {
    return this.#wire.writes;
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
    return this.#wire.start({
      frames: this.#reader,
      error: (error) => this.onerror?.(error),
      full: (isFull) => this.onfull?.(isFull),
      ending: () => {
        this.#gap.stop();
        this.onending?.();
      },
      unanswered: () => this.answersDue,
      closed: () => {
        this.#isOpen = false;
        this.#gap.stop();
        this.#deliveries.deliver('other', () => this.onclose?.());
      },
    });
  }

  /** An answer is never refused, because the other end waits for it. */
  send(message: JsonRpcMessage, options?: object): Promise<void> {
    const { neverRefuse = false, together, inOrder } = (options ?? NO_OPTIONS) as SendOptions;
    const json = messageText(message);
    if (typeof json !== 'string') return Promise.reject(json);
    if (!('method' in message)) return this.#sendAnswer(message.id, json, together);
    const accepted = this.#wire.send(json, neverRefuse, together);
    if (!inOrder) this.#gap.sent(message, accepted);
    return accepted;
  }

  sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    const json = messageText(messages);
    if (typeof json !== 'string') return Promise.reject(json);
    const held = messages.find((message) => 'id' in message && this.#gap.concerns(message.id));
    return this.#sendAnswer((held as JsonRpcResponse | undefined)?.id, json);
  }

  holdInput(until: Promise<void>): void {
    this.#wire.holdInput?.(until);
  }

  close(): Promise<void> {
    this.#gap.stop();
    return this.#wire.close();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Batches are accepted only in the one revision that has them. */
  setProtocolVersion(version: string): void {
    this.#reader.batches = version === REVISION_WITH_BATCHES;
  }

  allow({ arrayParams, batches }: { arrayParams: boolean; batches: boolean }): void {
    this.#reader.arrayParams = arrayParams;
    this.#reader.batches = batches;
  }

  #sendAnswer(id: RequestId | undefined, json: string, together?: boolean): Promise<void> {
    if (!this.#gap.concerns(id)) return this.#wire.send(json, true, together);
    return this.#gap.hold(id, () => this.#wire.send(json, true, together));
  }

  /** Called with every message before it is delivered. */
  protected arrived?(message: JsonRpcMessage): void;

  /** Called with a batch before its messages are delivered one by one, because the protocol has no `onbatch`. */
  protected batchArrived?(messages: JsonRpcMessage[], faults: InboundFault[]): void;

  /** Called with an empty batch, if the protocol has no `onfault`. */
  protected emptyBatchArrived?(fault: InboundFault): void;

  /** The number of requests that will still be answered, if known. */
  protected get answersDue(): number {
    return this.unanswered?.() ?? 0;
  }

  /** Errors thrown by a handler are caught where the frame left the wire. */
  #message(message: JsonRpcMessage, frameBytes: number): void {
    this.#wire.phase = 'running';
    this.arrived?.(message);
    if (this.unanswered) return this.onmessage?.(message, undefined, frameBytes);
    const kind = !('method' in message) ? 'answer' : 'id' in message ? 'other' : 'notification';
    this.#deliveries.deliver(kind, () => this.#guard(() => this.onmessage?.(message, undefined, frameBytes)));
  }

  #batch(messages: JsonRpcMessage[], faults: InboundFault[], frameBytes: number): void {
    if (this.onbatch) {
      for (const message of messages) this.arrived?.(message);
      this.onbatch(messages, faults, frameBytes);
      return;
    }
    this.batchArrived?.(messages, faults);
    for (const fault of faults) this.#guard(() => this.#fault(fault));
    for (const message of messages) this.#guard(() => this.#message(message, Math.ceil(frameBytes / messages.length)));
  }

  #fault(fault: InboundFault): void {
    if (this.onfault) this.onfault(fault);
    else {
      const message = `${fault.message} (at byte ${fault.offset})`;
      this.onerror?.(new PeerError(fault.code, message, { evidence: this.evidence() }));
      if (fault.message === EMPTY_BATCH) this.emptyBatchArrived?.(fault);
    }
  }

  #noise(noise: Noise): void {
    this.#wire.firstNoise ??= noise.text;
    this.noiseCount++;
    this.#guard(() => this.onnoise?.(noise)); // a message may follow in the same frame
  }

  /** Runs one of several calls that a frame causes: an error in one call must not prevent the others. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.onerror?.(toError(error));
    }
  }
}

/** Uses the wording of the official transports, which programs and tests search for. */
function alreadyStarted(transport: string): UsageError {
  return new UsageError('ALREADY_STARTED', `${transport} already started`, {
    hint: 'connect() of a client or server calls start() itself. A new connection needs a new transport.',
  });
}

/**
 * Delivers messages to a protocol that handles a notification in a promise and an answer at once, as the official SDK
 * does. An answer is delivered after the handlers of the notifications before it, which would otherwise find their
 * request finished. The order of messages is kept. Our peer handles every message at once and does not need this.
 */
export class AnswersAfterNotifications {
  /** Whether a notification was delivered since the last answer. */
  #notified = false;
  #waiting: { kind: DeliveredKind; call: () => void }[] = [];
  /** A call is running or scheduled. */
  #isBusy = false;

  /** Calls at once, or after the pending calls have been made. */
  deliver(kind: DeliveredKind, call: () => void): void {
    this.#waiting.push({ kind, call });
    if (!this.#isBusy) this.#run();
  }

  #run = (): void => {
    this.#isBusy = true;
    let isLater = false;
    try {
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        if (next.kind === 'answer' && this.#notified) {
          this.#notified = false;
          isLater = true;
          return queueMicrotask(this.#run); // runs after the promises that handle the notifications
        }
        if (next.kind === 'notification') this.#notified = true;
        this.#waiting.shift();
        next.call();
      }
    } finally {
      this.#isBusy = isLater;
    }
  };
}
