// What a peer needs of a transport: structurally the `Transport` of the official SDK, with optional members that our transports
// implement. A peer works over either.

import type { Evidence, RpcError } from '../base/errors.ts';
import type { JsonRpcMessage, RequestId } from './message.ts';

/** Bytes that reached us, were not a message, and belong to one: the request with that id fails, nothing else. */
export interface InboundFault {
  rpcCode: number;
  message: string;
  id: RequestId | undefined;
  isResponse: boolean;
  /** The error class's code: a bad frame or a bad message. */
  code: 'FRAME_TOO_LONG' | 'FRAME_TRUNCATED' | 'FRAME_LENGTH_INVALID' | 'MESSAGE_INVALID' | 'TOO_MANY_VALUES';
  offset: number;
  length: number;
  /** The first bytes, as text. */
  prefix: string;
}

/** What ours understand of the options of `send`, which are otherwise those of the official `Transport`. */
export interface SendOptions {
  /** Wait, however much waits already. Answers always do. */
  neverRefuse?: boolean;
  /** Others are under way: it may wait for those that follow in this turn of the event loop, to be written with them. */
  together?: boolean;
  /** Progress: the other end handles messages in their order, so the answer may follow at once. */
  inOrder?: boolean;
  /** The request of the other end that the message belongs to: a transport with a stream for each request sends it there. */
  relatedRequestId?: RequestId;
  /** HTTP: sent with the message, beside those that repeat its body. */
  headers?: Readonly<Record<string, string>>;
  /** HTTP: ends the stream of the request, which cancels it. */
  requestSignal?: AbortSignal;
  /** For a channel that carries callers: the client whose request it is. */
  sender?: RoutedClient | undefined;
}

/** A client of this process, for a channel that leads to several servers. */
export interface RoutedClient {
  readonly id: string;
  readonly principal: string | undefined;
  readonly affinity: string;
}

export interface Channel {
  start(): Promise<void>;
  send(message: JsonRpcMessage, options?: object): Promise<void>;
  close(): Promise<void>;
  /** Ours tell in addition how many bytes the frame had, as the third argument: the second is the official SDK's. */
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Called once the protocol revision is known. */
  setProtocolVersion?: ((version: string) => void) | undefined;

  /** Ours: messages leave as the text of `messageText`, never as objects. */
  readonly writesText?: boolean | undefined;
  /** HTTP: each request has a stream of its own, which `requestSignal` ends, and headers of `SendOptions` are sent with it. */
  readonly hasPerRequestStream?: boolean | undefined;
  /** To another node: requests name their client, and `SendOptions` has it too. */
  readonly carriesCaller?: boolean | undefined;
  /** To another node: the client sends no more requests. */
  gone?(client: RoutedClient): void;
  /** Ours: the request on whose stream the message came that is being delivered. */
  readonly receivedFor?: RequestId | undefined;
  /** Ours: forms of messages that are refused unless the protocol has them. */
  allow?(forms: { arrayParams: boolean; batches: boolean }): void;
  /**
   * Ours: too many answers wait for the other end to read, or a notification was refused; false when it has caught up. Nothing is
   * read meanwhile.
   */
  onfull?: ((isFull: boolean) => void) | undefined;
  /** HTTP: requests are read and served all the same. Each has a reply of its own, which is counted with it. */
  readonly servesWhenFull?: boolean | undefined;
  /** Ours: the input has ended; answers in flight can still be sent. */
  onending?: (() => void) | undefined;
  /** Ours, set by a peer: how many requests will still be answered. Read after the other end has stopped talking. */
  unanswered?: (() => number) | undefined;
  /** Ours: counts bytes of requests that are kept as long as it is open; negative: no longer. Returns why they cannot be kept. */
  hold?(bytes: number): RpcError | undefined;
  /** Ours: a request of the other end was cancelled, and gets no answer. */
  withdrawn?(id: RequestId): void;
  /** Ours: the messages of one batch, to be answered by one batch. */
  onbatch?: ((messages: JsonRpcMessage[], faults: InboundFault[], frameBytes?: number) => void) | undefined;
  sendBatch?(messages: JsonRpcMessage[]): Promise<void>;
  /** Ours: how many writes were begun. A message that no write has followed was certainly never sent. */
  readonly writes?: number | undefined;
  /** Ours: one request fails, and the connection goes on. Set by a peer. */
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  /** HTTP, set by a client: the server forgot the session, and this is what it answered to `initialize` in a new one. */
  onrenewed?: ((initialized: object) => void) | undefined;
  /** Ours: faults. If it is not set, they go to `onerror`. */
  onfault?: ((fault: InboundFault) => void) | undefined;
  /** Ours: why the channel closed, once it has. */
  readonly closeError?: Error | undefined;
  /** Ours: masks secrets in text of the other end that becomes part of an error. */
  mask?(text: string): string;
  /** Ours: what is known of the other end now. */
  evidence?(): Evidence;
}
