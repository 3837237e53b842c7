// The transport interface that a peer needs: structurally the `Transport` of the official SDK, with optional members
// that our transports implement. A peer works over either.

import type { Evidence, RpcError } from '../../base/errors.ts';
import type { JsonRpcMessage, RequestId } from './message.ts';

/** Received bytes that are not a valid message. Only the request with this id fails. */
export interface InboundFault {
  rpcCode: number;
  message: string;
  id: RequestId | undefined;
  isResponse: boolean;
  /** The stable error code: a bad frame or a bad message. */
  code: 'FRAME_TOO_LONG' | 'FRAME_TRUNCATED' | 'FRAME_LENGTH_INVALID' | 'MESSAGE_INVALID' | 'TOO_MANY_VALUES';
  offset: number;
  length: number;
  /** The first bytes, as text. */
  prefix: string;
}

/** Options of `send` that our transports support, in addition to those of the official `Transport`. */
export interface SendOptions {
  /** Queue the message even if the queue is full. Answers are always queued. */
  neverRefuse?: boolean;
  /**
   * Other requests are in flight: the message may wait for more messages of this turn of the event loop and be written
   * with them.
   */
  together?: boolean;
  /** Set for progress: the other end handles messages in order, so the answer may follow at once. */
  inOrder?: boolean;
  /** The request from the other end that the message belongs to. A transport with one stream per request sends it there. */
  relatedRequestId?: RequestId;
  /** HTTP: headers to send with the message, besides those that repeat parts of its body. */
  headers?: Readonly<Record<string, string>>;
  /** HTTP: ends the stream of the request, which cancels the request. */
  requestSignal?: AbortSignal;
}

export interface Channel {
  start(): Promise<void>;
  send(message: JsonRpcMessage, options?: object): Promise<void>;
  close(): Promise<void>;
  /** Our transports pass the byte length of the frame as the third argument; the second is that of the official SDK. */
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Called once the protocol revision is known. */
  setProtocolVersion?: ((version: string) => void) | undefined;

  // Members from here on are optional. The transports of the official SDK do not have them.

  /** Messages are sent as the text of `messageText`, never as objects. */
  readonly writesText?: boolean | undefined;
  /** HTTP: each request has a separate stream, which `requestSignal` ends, and the headers of `SendOptions` are sent with it. */
  readonly hasPerRequestStream?: boolean | undefined;
  /** The request whose stream a message arrived on, while the message is being delivered. */
  readonly receivedFor?: RequestId | undefined;
  /** Enables message forms that are otherwise refused. */
  allow?(forms: { arrayParams: boolean; batches: boolean }): void;
  /**
   * Called with true when too many answers are unread by the other end or a notification was refused, and with
   * false when the other end has caught up. Input is not read in the meantime.
   */
  onfull?: ((isFull: boolean) => void) | undefined;
  /** HTTP: requests are read and served even after `onfull(true)`. Each has a separate reply, which is counted with its request. */
  readonly servesWhenFull?: boolean | undefined;
  /** Called when the input has ended; answers in flight can still be sent. */
  onending?: (() => void) | undefined;
  /** Set by a peer: the number of requests that will still be answered. Read after the input has ended. */
  unanswered?: (() => number) | undefined;
  /**
   * Counts the bytes of requests that are kept while the channel is open; a negative number releases them.
   * Returns an error if they cannot be kept.
   */
  hold?(bytes: number): RpcError | undefined;
  /** Reads no further input until the promise has resolved. Messages that have been read are still delivered. */
  holdInput?(until: Promise<void>): void;
  /** Called when a request from the other end was cancelled and will not be answered. */
  withdrawn?(id: RequestId): void;
  /** Called with the messages of one batch, to be answered with one batch. */
  onbatch?: ((messages: JsonRpcMessage[], faults: InboundFault[], frameBytes?: number) => void) | undefined;
  sendBatch?(messages: JsonRpcMessage[]): Promise<void>;
  /** The number of writes begun. If no write began after a message was queued, the message was certainly not sent. */
  readonly writes?: number | undefined;
  /** Set by a peer. Called when one request has failed and the connection stays open. */
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  /** HTTP, set by a client: the server dropped the session. The argument is its result for `initialize` in a new session. */
  onrenewed?: ((initialized: object) => void) | undefined;
  /** Called with each fault. If unset, faults go to `onerror`. */
  onfault?: ((fault: InboundFault) => void) | undefined;
  /** The reason why the channel closed, once it has closed. */
  readonly closeError?: Error | undefined;
  /** Masks secrets in text from the other end that becomes part of an error. */
  mask?(text: string): string;
  /** Current evidence about the other end. */
  evidence?(): Evidence;
}
