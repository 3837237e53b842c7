// Turns response bytes into messages. An answer settles only the POST that it belongs to.

import { PeerError, RpcError, toError } from '../../../base/errors.ts';
import { Delivery } from '../../framing/delivery.ts';
import type { InboundFault } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, JsonRpcResponse, RequestId } from '../../jsonrpc/message.ts';
import { MessageReader, type MessageSink } from '../../jsonrpc/message-reader.ts';
import type { HttpChannel } from './exchanges.ts';
import { DEFAULT_MAX_BYTES, type HttpClientOptions } from './http-client-options.ts';
import type { HttpConnection } from './http-connection.ts';
import type { Post } from './post.ts';

export interface IncomingOwner {
  readonly channel: HttpChannel;
  readonly connection: HttpConnection;
  /** The pending request with this id. */
  waiting(id: RequestId): Post | undefined;
  /** Called before the answer is delivered. */
  answered(post: Post): void;
  /** Called when the server sends a request on the stream of this POST. Returns false if it cannot be answered. */
  asked(post: Post): boolean;
}

const REVISION_WITH_BATCHES = '2025-03-26';

export class Incoming implements MessageSink {
  readonly #owner: IncomingOwner;
  readonly #reader: MessageReader;
  readonly #delivery: Delivery;
  readonly #maxBytes: number;
  #offset = 0;
  /** The POST whose response is being read. */
  #post: Post | undefined;

  constructor(owner: IncomingOwner, options: HttpClientOptions) {
    const { maxFrameBytes = DEFAULT_MAX_BYTES, maxFrameValues } = options;
    const limits = maxFrameValues === undefined ? { maxFrameBytes } : { maxFrameBytes, maxFrameValues };
    this.#owner = owner;
    this.#maxBytes = maxFrameBytes;
    this.#reader = new MessageReader({ ...limits, toleratesNoise: false }, this);
    this.#delivery = new Delivery(this.#reader, undefined, (thrown) => this.#owner.channel.onerror?.(toError(thrown)));
  }

  /** The id of the request whose response is being read. */
  get receivedFor(): RequestId | undefined {
    return this.#post?.id;
  }

  set version(version: string) {
    this.#reader.batches = version === REVISION_WITH_BATCHES;
  }

  /** Reads the message chunk[start, end). Without a POST, it arrived on the server's stream. */
  read(post: Post | undefined, chunk: Uint8Array, start: number, end: number): void {
    this.#post = post;
    this.#delivery.span(chunk, start, end, this.#offset);
    this.#offset += end - start;
    this.#post = undefined;
  }

  tooLong(post: Post | undefined, bytes: number): void {
    this.#post = post;
    const prefix = new Uint8Array();
    this.#delivery.fault({
      code: 'FRAME_TOO_LONG',
      offset: this.#offset,
      length: Math.max(bytes, this.#maxBytes + 1),
      prefix,
    });
    this.#post = undefined;
  }

  message(message: JsonRpcMessage, frameBytes: number): void {
    if (!('method' in message)) return this.#answer(message, frameBytes);
    if (this.#post && 'id' in message && !this.#owner.asked(this.#post)) return;
    this.#owner.channel.onmessage?.(message, undefined, frameBytes);
  }

  batch(messages: JsonRpcMessage[], faults: InboundFault[], frameBytes: number): void {
    for (const fault of faults) this.fault(fault);
    for (const message of messages) this.message(message, Math.ceil(frameBytes / messages.length));
  }

  fault(fault: InboundFault): void {
    const post = this.#post;
    const { channel } = this.#owner;
    // The only message in a JSON body is the answer, even if it is invalid.
    const isAnswer = !post?.isStream || fault.isResponse || fault.code === 'FRAME_TOO_LONG';
    if (post?.id === undefined || post.isSettled || !isAnswer) {
      if (channel.onfault) channel.onfault(fault);
      else channel.onerror?.(this.#error(fault.code, fault.message));
    } else if (channel.onfault) {
      this.#owner.answered(post);
      channel.onfault({ ...fault, id: post.id, isResponse: true });
    } else post.lose(this.#error(fault.code, `The answer to ${post.method} could not be read: ${fault.message}`));
  }

  noise(): void {
    // Non-protocol text is reported as a fault here.
  }

  #answer(message: JsonRpcResponse, frameBytes: number): void {
    const id = message.id ?? undefined;
    const post = this.#post ?? (id === undefined ? undefined : this.#owner.waiting(id));
    if (!this.#post && !post) return this.#owner.channel.onmessage?.(message, undefined, frameBytes);
    if (!post || post.id === undefined)
      return this.#unexpected('An answer arrived for a message that is not a request');
    if (id === undefined && 'error' in message) {
      // The server refused the request before it read the id.
      const { code, message: text, data } = message.error;
      return post.lose(new RpcError(code, String(text), data));
    }
    if (id !== post.id && String(id) !== String(post.id)) {
      return this.#unexpected(
        `The response to ${post.method} has an answer to another request, with id ${JSON.stringify(id)}`,
      );
    }
    if (post.isSettled) return this.#unexpected(`The server answered ${post.method} twice`);
    if (!post.isStarted) return this.#unexpected(`The server answered ${post.method} before it was sent`);
    this.#owner.answered(post);
    if (!this.#post) post.linger(); // the answer arrived on the server's stream
    if (this.#owner.channel.onlost) this.#owner.channel.onmessage?.(message, undefined, frameBytes);
    // The official client runs progress handlers in a microtask and drops them after the answer.
    else queueMicrotask(() => this.#owner.channel.onmessage?.(message, undefined, frameBytes));
  }

  #unexpected(message: string): void {
    this.#owner.channel.onerror?.(this.#error('MESSAGE_INVALID', message));
  }

  #error(code: InboundFault['code'], message: string): PeerError {
    return new PeerError(code, message, { evidence: this.#owner.connection.evidence() });
  }
}
