// This process as a server on its own stdin and stdout. A drop-in for the official transport of this name. It knows which
// requests are not answered yet, so that the end of stdin loses no answer: a peer of ours is asked for the number when that
// moment comes; under any other stack every message is counted.

import type { Readable, Writable } from 'node:stream';
import type { InboundFault } from '../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../jsonrpc/message.ts';
import { MessageTransport } from './message-transport.ts';
import { OwnWire, type OwnWireOptions } from './own-wire.ts';

export interface StdioServerOptions extends OwnWireOptions {
  /** The official transport's name for `maxFrameBytes`. */
  maxBufferSize?: number | undefined;
}

export class StdioServerTransport extends MessageTransport {
  readonly #wire: OwnWire;
  readonly #unanswered = new Set<RequestId>();
  /** After the end of stdin: each answer is one less to wait for. */
  #draining = false;

  constructor(options?: StdioServerOptions);
  /** Other streams than those of this process. They stay open when the transport closes. */
  constructor(input?: Readable, output?: Writable, options?: StdioServerOptions);
  constructor(first?: Readable | StdioServerOptions, output?: Writable, last: StdioServerOptions = {}) {
    const input = isStream(first) ? first : undefined;
    const given = first === undefined || isStream(first) ? last : first;
    const options = { ...given, maxFrameBytes: given.maxFrameBytes ?? given.maxBufferSize };
    const wire = new OwnWire(options, { input, output });
    super(wire, { ...options, toleratesNoise: false });
    this.#wire = wire;
  }

  override message(message: JsonRpcMessage): void {
    if (!this.unanswered) this.#countIn(message);
    super.message(message);
  }

  override batch(messages: JsonRpcMessage[], faults: InboundFault[]): void {
    if (!this.unanswered) for (const message of messages) this.#countIn(message);
    super.batch(messages, faults);
  }

  override send(message: JsonRpcMessage, options?: object): Promise<void> {
    const sent = super.send(message, options);
    if (!this.unanswered || this.#draining) this.#countOut(message);
    return sent;
  }

  override sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    const sent = super.sendBatch(messages);
    if (!this.unanswered || this.#draining) for (const message of messages) this.#countOut(message);
    return sent;
  }

  override ending(): void {
    super.ending();
    this.#draining = true;
    this.#wire.owe(this.unanswered?.() ?? this.#unanswered.size);
  }

  #countIn(message: JsonRpcMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#unanswered.add(message.id);
    else if (message.method === 'notifications/cancelled')
      this.#unanswered.delete(message.params?.requestId as RequestId);
  }

  #countOut(message: JsonRpcMessage): void {
    if ('method' in message || message.id === undefined) return;
    const counted = this.#unanswered.delete(message.id) || this.unanswered !== undefined;
    if (this.#draining && counted) this.#wire.owe(-1);
  }
}

function isStream(value: object | undefined): value is Readable {
  return typeof (value as Partial<Readable> | undefined)?.on === 'function';
}
