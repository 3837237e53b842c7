// Server transport on this process's stdin and stdout. A drop-in for the official transport of this name. It tracks the number of
// unanswered requests, so that the end of stdin does not lose answers: our peer provides the number; with any other stack, the ids are kept
// here. A stack without batches gets the messages of a batch one by one, and its answers are sent as one array.

import type { Readable, Writable } from 'node:stream';
import { toError } from '../../base/errors.ts';
import { BatchAnswers } from '../jsonrpc/batch-answer.ts';
import type { InboundFault } from '../jsonrpc/channel.ts';
import { refusalAnswer } from '../jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, RequestId } from '../jsonrpc/message.ts';
import { messageText } from '../jsonrpc/message-text.ts';
import { MessageTransport } from '../jsonrpc/message-transport.ts';
import { OwnWire, type OwnWireOptions } from './own-wire.ts';

export interface StdioServerOptions extends OwnWireOptions {
  /** The official transport's name for `maxFrameBytes`. */
  maxBufferSize?: number | undefined;
}

export class StdioServerTransport extends MessageTransport {
  /** Ids of unanswered requests; empty if our peer provides the number. */
  readonly #unanswered = new Set<RequestId>();
  readonly #batches = new BatchAnswers();
  /** Unanswered requests of batches. Empty if our peer collects the answers. */
  readonly #inBatches = new Map<RequestId, JsonRpcRequest>();

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
    else if (message.method === 'notifications/cancelled') this.#cancelled(message.params?.requestId as RequestId);
  }

  protected override batchArrived(messages: JsonRpcMessage[], faults: InboundFault[]): void {
    const requests = messages.filter((message): message is JsonRpcRequest => {
      if (!('method' in message && 'id' in message) || this.#inBatches.has(message.id)) return false;
      this.#inBatches.set(message.id, message);
      return true;
    });
    const refusals = faults.filter(({ isResponse }) => !isResponse).map((fault) => refusalAnswer(fault.id, fault));
    this.#batches.open(requests, refusals, (answers) => this.#report(super.sendBatch(answers)));
  }

  protected override emptyBatchArrived(fault: InboundFault): void {
    this.#report(super.send(refusalAnswer(fault.id, fault)));
  }

  protected override get answersDue(): number {
    return this.unanswered?.() ?? this.#unanswered.size;
  }

  override send(message: JsonRpcMessage, options?: object): Promise<void> {
    this.#answered(message);
    return this.#collected(message) ?? super.send(message, options);
  }

  override sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    for (const message of messages) this.#answered(message);
    return super.sendBatch(messages);
  }

  /** Returns undefined for a message that is not an answer to a request of a batch. */
  #collected(message: JsonRpcMessage): Promise<void> | undefined {
    if (this.#inBatches.size === 0 || 'method' in message || message.id === undefined) return undefined;
    const request = this.#inBatches.get(message.id);
    if (!request) return undefined;
    const json = messageText(message);
    this.#leaveBatch(request, typeof json === 'string' ? message : undefined);
    return typeof json === 'string' ? Promise.resolve() : Promise.reject(json);
  }

  /** A cancelled request is not answered, and its batch does not wait for it. */
  #cancelled(id: RequestId): void {
    this.#unanswered.delete(id);
    const request = this.#inBatches.get(id);
    if (request) this.#leaveBatch(request, undefined);
  }

  #leaveBatch(request: JsonRpcRequest, answer: JsonRpcResponse | undefined): void {
    this.#inBatches.delete(request.id);
    this.#batches.add(request, answer);
  }

  #report(sent: Promise<void>): void {
    sent.catch((error: unknown) => this.onerror?.(toError(error)));
  }

  #answered(message: JsonRpcMessage): void {
    if (this.#unanswered.size === 0 || 'method' in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
  }
}

function isStream(value: object | undefined): value is Readable {
  return typeof (value as Partial<Readable> | undefined)?.on === 'function';
}
