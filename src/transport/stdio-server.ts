// This process as a server on its own stdin and stdout. A drop-in for the official transport of this name. It keeps count
// of the requests that are not answered yet, for any protocol stack on top, so that the end of stdin loses no answer.

import type { InboundFault } from '../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../jsonrpc/message.ts';
import { MessageTransport } from './message-transport.ts';
import { OwnWire, type OwnWireOptions } from './own-wire.ts';

export type StdioServerOptions = OwnWireOptions;

export class StdioServerTransport extends MessageTransport {
  readonly #wire: OwnWire;
  readonly #unanswered = new Set<RequestId>();

  constructor(options: StdioServerOptions = {}) {
    const wire = new OwnWire(options);
    super(wire, { maxFrameBytes: options.maxFrameBytes, toleratesNoise: false });
    this.#wire = wire;
  }

  override message(message: JsonRpcMessage): void {
    this.#countIn(message);
    super.message(message);
  }

  override batch(messages: JsonRpcMessage[], faults: InboundFault[]): void {
    for (const message of messages) this.#countIn(message);
    super.batch(messages, faults);
  }

  override send(message: JsonRpcMessage): Promise<void> {
    const sent = super.send(message);
    this.#countOut(message);
    return sent;
  }

  override sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    const sent = super.sendBatch(messages);
    for (const message of messages) this.#countOut(message);
    return sent;
  }

  #countIn(message: JsonRpcMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      if (this.#unanswered.has(message.id)) return;
      this.#unanswered.add(message.id);
      this.#wire.owe(1);
    } else if (message.method === 'notifications/cancelled') {
      this.#settle(message.params?.requestId as RequestId);
    }
  }

  #countOut(message: JsonRpcMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  #settle(id: RequestId): void {
    if (this.#unanswered.delete(id)) this.#wire.owe(-1);
  }
}
