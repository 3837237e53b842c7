// Server transport on this process's stdin and stdout. A drop-in for the official transport of this name. It tracks the number of
// unanswered requests, so that the end of stdin does not lose answers: our peer provides the number; with any other stack, the ids are kept
// here.

import type { Readable, Writable } from 'node:stream';
import type { JsonRpcMessage, RequestId } from '../jsonrpc/message.ts';
import { MessageTransport } from '../jsonrpc/message-transport.ts';
import { OwnWire, type OwnWireOptions } from './own-wire.ts';

export interface StdioServerOptions extends OwnWireOptions {
  /** The official transport's name for `maxFrameBytes`. */
  maxBufferSize?: number | undefined;
}

export class StdioServerTransport extends MessageTransport {
  /** Empty if our peer provides the number. */
  readonly #unanswered = new Set<RequestId>();

  constructor(options?: StdioServerOptions);
  /** Uses streams other than those of this process. They stay open when the transport closes. */
  constructor(input?: Readable, output?: Writable, options?: StdioServerOptions);
  constructor(first?: Readable | StdioServerOptions, output?: Writable, last: StdioServerOptions = {}) {
    const input = isStream(first) ? first : undefined;
    const given = first === undefined || isStream(first) ? last : first;
    const options = { ...given, maxFrameBytes: given.maxFrameBytes ?? given.maxBufferSize };
    super(new OwnWire(options, { input, output }), { ...options, toleratesNoise: false });
  }

  protected override arrived(message: JsonRpcMessage): void {
    if (this.unanswered || !('method' in message)) return;
    if ('id' in message) this.#unanswered.add(message.id);
    else if (message.method === 'notifications/cancelled')
      this.#unanswered.delete(message.params?.requestId as RequestId);
  }

  protected override get answersDue(): number {
    return this.unanswered?.() ?? this.#unanswered.size;
  }

  override send(message: JsonRpcMessage, options?: object): Promise<void> {
    this.#answered(message);
    return super.send(message, options);
  }

  override sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    for (const message of messages) this.#answered(message);
    return super.sendBatch(messages);
  }

  #answered(message: JsonRpcMessage): void {
    if (this.#unanswered.size === 0 || 'method' in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
  }
}

function isStream(value: object | undefined): value is Readable {
  return typeof (value as Partial<Readable> | undefined)?.on === 'function';
}
