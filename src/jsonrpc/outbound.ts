// JSON-RPC on the table of pending requests: messages, progress, questions of the other end, ids that come back as text.

import type { Clock } from '../base/clock.ts';
import { PeerError, RpcError } from '../base/errors.ts';
import { toJson } from '../base/to-json.ts';
import { type PendingRequest, PendingRequests, type WaitOptions } from '../requests/pending-requests.ts';
import type { Channel, InboundFault, SendOptions } from './channel.ts';
import type { Conventions, Progress } from './conventions.ts';
import {
  type JsonRpcErrorResponse,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonRpcResult,
  numberInText,
  type RequestId,
} from './message.ts';
import { OwnRequest, type SharedMembers, SharingRequest } from './message-text.ts';
import { OpenQuestions, type Question } from './open-questions.ts';

/**
 * Progress that was asked for starts `timeoutMs` anew, and so does our answer to a question that the other end asked because of
 * the request. Neither moves the end of `totalTimeoutMs`.
 */
export interface RequestOptions extends WaitOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Whether a cancellation is sent when the request is given up. MCP forbids it for `initialize`. */
  cancellable?: boolean | undefined;
  /** The request of the other end because of which this one is sent. */
  relatedRequestId?: RequestId | undefined;
  /** Called with the id of the request, before it is sent. */
  numbered?: ((id: number) => void) | undefined;
  /** For a channel that sends them with the message. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** For a channel that carries callers. */
  sender?: SendOptions['sender'] | undefined;
  /** Goes into the parameters beside those that are given. */
  shared?: SharedMembers | undefined;
}

/** A request that waits for its answer. */
export type PendingCall = Pick<Pending, 'id' | 'method' | 'options'>;
type Pending = PendingRequest<unknown, RequestOptions>;
type Params = Record<string, unknown> | undefined;

export interface OutboundOptions {
  clock: Clock;
  requestTimeoutMs: number;
  /** Tells the other end that we no longer wait. */
  sendCancel: (id: RequestId, reason: string) => void;
  /** The other end answers with ids as text. Called once. */
  onTextId?: (id: string) => void;
  /** How progress is asked for, where the protocol has it. */
  progress?: Conventions['progress'];
}

const TOGETHER: SendOptions = { together: true };

export class Outbound {
  readonly pending: PendingRequests<Params, unknown, RequestOptions>;
  #channel: Channel;
  #options: OutboundOptions;
  #questions = new OpenQuestions<Pending>();
  #sawTextId = false;

  constructor(channel: Channel, options: OutboundOptions) {
    this.#channel = channel;
    this.#options = options;
    this.pending = new PendingRequests({
      clock: options.clock,
      requestTimeoutMs: options.requestTimeoutMs,
      timeoutHint: 'Raise timeoutMs, or have the server report progress.',
      connection: channel,
      send: (request, params) => this.#send(request, params),
      // The other end waits for an answer of ours, perhaps of a person: its silence is not its fault.
      waitsForUs: (request) => this.#questions.holdUp(request, this.pending),
      gaveUp: (request, reason) => this.#gaveUp(request, reason),
    });
  }

  /** Returns false for an answer to nothing we ever asked. */
  answer(response: JsonRpcResponse): boolean {
    const id = this.#numberOf(response.id);
    const request = this.pending.get(id);
    if (!request) return this.pending.isLate(id, !('error' in response && response.error));
    this.pending.remove(request);
    // Some servers write `error: null` beside a result.
    if ('error' in response && response.error) request.reject(this.#toRpcError(response));
    else request.resolve((response as JsonRpcResult).result);
    return true;
  }

  progress(id: unknown, progress: Progress): void {
    const request = this.pending.get(this.#numberOf(id));
    const onProgress = request?.options?.onProgress;
    if (!request || !onProgress) return; // late, or a token that was never sent: ids can be guessed
    this.pending.extend(request);
    onProgress(progress);
  }

  /** The answer to a request came, but could not be read. Returns false where no request of ours is meant. */
  answerUnreadable(fault: InboundFault): boolean {
    const id = this.#numberOf(fault.id);
    const mayBeOurs = fault.id === undefined ? fault.isResponse : id !== undefined;
    return mayBeOurs && this.pending.failUnreadable(id, fault);
  }

  /** No answer will come to this one. */
  lost(id: RequestId, error: Error): void {
    const request = this.pending.get(this.#numberOf(id));
    if (!request) return;
    this.pending.remove(request);
    request.reject(error);
  }

  /** The other end asks something, perhaps because of one of our requests. */
  asked(question: Question): void {
    this.#questions.open(question, this.pending.nextId);
  }

  /** The request that waited for it gets its whole time again. */
  answered(question: Question): void {
    const request = this.#questions.close(question, this.pending);
    if (request) this.pending.extend(request);
  }

  /** Whether the other end waits for an answer of ours. */
  get isAsked(): boolean {
    return this.#questions.any;
  }

  #send({ id, method, options }: Pending, given: Params): Promise<void> {
    const { progress } = this.#options;
    const params = options?.onProgress && progress ? progress.ask(given, id) : given;
    const message = this.#message(id, method, params, options?.shared);
    options?.numbered?.(id);
    try {
      if (this.#channel.carriesCaller) return this.#channel.send(message, options);
      const relatedRequestId = options?.relatedRequestId;
      if (relatedRequestId !== undefined) return this.#channel.send(message, { relatedRequestId });
      if (options?.headers) return this.#channel.send(message, { headers: options.headers });
      // A write wakes the other end, which costs more than the message. One that has other work loses nothing by the wait.
      return this.pending.size > 1 ? this.#channel.send(message, TOGETHER) : this.#channel.send(message);
    } catch (error) {
      return Promise.reject(error); // some transports throw where they should reject
    }
  }

  #message(id: number, method: string, params: Params, shared: SharedMembers | undefined): JsonRpcRequest {
    if (!params) return { jsonrpc: '2.0', id, method };
    if (!shared) return new OwnRequest(id, method, params);
    if (this.#channel.writesText) return new SharingRequest(id, method, params, shared);
    return new OwnRequest(id, method, { ...params, ...shared.value });
  }

  #gaveUp(request: Pending, reason: string): void {
    this.#questions.gaveUp(request);
    if (request.options?.cancellable !== false) this.#options.sendCancel(request.id, reason);
  }

  /** Our ids are numbers, so that the text of one means that one. */
  #numberOf(id: unknown): number | undefined {
    if (typeof id === 'number') return id;
    const number = numberInText(id);
    if (number === undefined || this.#sawTextId || !this.pending.get(number)) return number;
    this.#sawTextId = true;
    this.#options.onTextId?.(id as string);
    return number;
  }

  /** A server that quotes its key in a message must not bring it into our logs. */
  #toRpcError(response: JsonRpcErrorResponse): RpcError {
    const { code, message, data } = response.error;
    // A server may write anything there; whatever it is, the request has to settle.
    const text = typeof message === 'string' ? message : 'The error of the other end has no message';
    return new RpcError(code, this.#channel.mask?.(text) ?? text, this.#masked(data));
  }

  #masked(data: unknown): unknown {
    if (data === undefined || !this.#channel.mask) return data;
    const text = toJson(data);
    if (typeof text !== 'string') return undefined; // nested too deeply to be looked through, so not to be shown
    const masked = this.#channel.mask(text);
    return masked === text ? data : JSON.parse(masked);
  }
}

export function unexpectedAnswer(message: JsonRpcResponse): PeerError {
  const what = 'error' in message && message.error ? `error "${message.error.message}"` : 'result';
  const id =
    message.id === undefined || message.id === null ? 'without an id' : `with id ${JSON.stringify(message.id)}`;
  return new PeerError('MESSAGE_INVALID', `An answer (${what}) ${id} matches no pending request`);
}
