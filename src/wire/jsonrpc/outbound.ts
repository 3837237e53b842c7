// Adds JSON-RPC to the table of pending requests: messages, progress, questions from the other end, and ids that return as text.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Clock } from '../../base/clock.ts';
import { PeerError, RpcError } from '../../base/errors.ts';
import { toJson } from '../../base/to-json.ts';
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
import { type OpenQuestion, OpenQuestions } from './open-questions.ts';

/**
 * Requested progress restarts `timeoutMs`, and so does our answer to a question that the other end asked because of the
 * request. Neither extends `totalTimeoutMs`.
 */
export interface RequestOptions extends WaitOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
  /** `onProgress` is called after the result too, until this signal aborts. */
  progressUntil?: CancelSignal | undefined;
  /** Whether a cancellation is sent when the request is given up. MCP forbids it for `initialize`. */
  cancellable?: boolean | undefined;
  /** The request from the other end that caused this one. */
  relatedRequestId?: RequestId | undefined;
  /** Called with the id of the request before it is sent. */
  numbered?: ((id: number) => void) | undefined;
  /** Headers to send with the message, for a channel that supports them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Members to add to the parameters. */
  shared?: SharedMembers | undefined;
}

/** A request that has not been answered yet. */
export type PendingCall = Pick<Pending, 'id' | 'method' | 'options'>;
type Pending = PendingRequest<unknown, RequestOptions>;
type Params = Record<string, unknown> | undefined;

export interface OutboundOptions {
  clock: Clock;
  requestTimeoutMs: number;
  /** Notifies the other end that the request was given up. */
  sendCancel: (id: RequestId, reason: string) => void;
  /** Called once, when the other end first sends an id back as text. */
  onTextId?: (id: string) => void;
  /** How to request progress, if the protocol supports it. */
  progress?: Conventions['progress'];
}

const TOGETHER: SendOptions = { together: true };

/** Limit of the answered requests whose progress is still delivered. Beyond it, progress of the oldest one is dropped. */
const MOST_CONTINUED = 10_000;

export class Outbound {
  readonly pending: PendingRequests<Params, unknown, RequestOptions>;
  #channel: Channel;
  #options: OutboundOptions;
  #questions = new OpenQuestions<Pending>();
  #sawTextId = false;
  /** The listeners of answered requests whose progress is still wanted, oldest first. */
  readonly #continued = new Map<number, (progress: Progress) => void>();

  constructor(channel: Channel, options: OutboundOptions) {
    this.#channel = channel;
    this.#options = options;
    this.pending = new PendingRequests({
      clock: options.clock,
      requestTimeoutMs: options.requestTimeoutMs,
      timeoutHint: 'Raise timeoutMs, or have the server report progress.',
      connection: channel,
      send: (request, params) => this.#send(request, params),
      // While the other end waits for our answer, perhaps from a person, its silence does not count.
      waitsForUs: (request) => this.#questions.holdUp(request, this.pending),
      gaveUp: (request, reason) => this.#gaveUp(request, reason),
    });
  }

  /** Returns false for an answer whose id was never used. */
  answer(response: JsonRpcResponse): boolean {
    const id = this.#numberOf(response.id);
    const request = this.pending.get(id);
    if (!request) return this.pending.isLate(id, !('error' in response && response.error));
    this.pending.remove(request);
    // Some servers write `error: null` beside a result.
    if ('error' in response && response.error) request.reject(this.#toRpcError(response));
    else {
      if (request.options?.progressUntil) this.#continue(request);
      request.resolve((response as JsonRpcResult).result);
    }
    return true;
  }

  progress(id: unknown, progress: Progress): void {
    const number = this.#numberOf(id);
    const request = this.pending.get(number);
    if (!request) return this.#continued.get(number!)?.(progress); // other progress is late, or its token was never sent
    const { onProgress } = request.options ?? {};
    if (!onProgress) return; // ids can be guessed
    this.pending.extend(request);
    onProgress(progress);
  }

  /** Handles an answer that could not be read. Returns false if it cannot be assigned to one of our requests. */
  answerUnreadable(fault: InboundFault): boolean {
    const id = this.#numberOf(fault.id);
    const mayBeOurs = fault.id === undefined ? fault.isResponse : id !== undefined;
    return mayBeOurs && this.pending.failUnreadable(id, fault);
  }

  /** Fails a request that will not be answered. */
  lost(id: RequestId, error: Error): void {
    const request = this.pending.get(this.#numberOf(id));
    if (!request) return;
    this.pending.remove(request);
    request.reject(error);
  }

  /** Records a question from the other end, which may be caused by one of our requests. */
  asked(question: OpenQuestion): void {
    this.#questions.open(question, this.pending.nextId);
  }

  /** Restarts the timeout of the request that waited for this answer. */
  answered(question: OpenQuestion): void {
    const request = this.#questions.close(question, this.pending);
    if (request) this.pending.extend(request);
  }

  /** Whether the other end waits for an answer from us. */
  get isAsked(): boolean {
    return this.#questions.any;
  }

  #continue({ id, options }: Pending): void {
    const { onProgress, progressUntil } = options!;
    if (!onProgress || progressUntil!.aborted) return;
    if (this.#continued.size === MOST_CONTINUED) this.#continued.delete(this.#continued.keys().next().value!);
    this.#continued.set(id, onProgress);
    progressUntil!.addEventListener('abort', () => this.#continued.delete(id), { once: true });
  }

  #send({ id, method, options }: Pending, given: Params): Promise<void> {
    const { progress } = this.#options;
    const params = options?.onProgress && progress ? progress.ask(given, id) : given;
    const message = this.#message(id, method, params, options?.shared);
    options?.numbered?.(id);
    try {
      const relatedRequestId = options?.relatedRequestId;
      if (relatedRequestId !== undefined) return this.#channel.send(message, { relatedRequestId });
      if (options?.headers) return this.#channel.send(message, { headers: options.headers });
      // A write wakes the other end, which costs more than the message. Waiting costs nothing if the other end has
      // other requests to handle.
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

  /** All our ids are numbers, so decimal text identifies the number. */
  #numberOf(id: unknown): number | undefined {
    if (typeof id === 'number') return id;
    const number = numberInText(id);
    if (number === undefined || this.#sawTextId || !this.pending.get(number)) return number;
    this.#sawTextId = true;
    this.#options.onTextId?.(id as string);
    return number;
  }

  /** Masks the error, so that a secret quoted by a server does not reach our logs. */
  #toRpcError(response: JsonRpcErrorResponse): RpcError {
    const { code, message, data } = response.error;
    // The message may have any type; the request must settle regardless.
    const text = typeof message === 'string' ? message : 'The other end answered with an error without a message';
    return new RpcError(code, this.#channel.mask?.(text) ?? text, this.#masked(data));
  }

  #masked(data: unknown): unknown {
    if (data === undefined || !this.#channel.mask) return data;
    const mask = (text: string) => this.#channel.mask!(text);
    const text = toJson(data);
    if (typeof text !== 'string') return undefined; // data that is nested too deeply to be masked is left out
    const masked = mask(text);
    if (masked === text) return data;
    try {
      return JSON.parse(masked);
    } catch {
      // A masked number is not JSON. Therefore values are masked one by one.
      return JSON.parse(text, (_key, value) => {
        if (typeof value !== 'string' && typeof value !== 'number') return value;
        const shown = mask(String(value));
        return shown === String(value) ? value : shown;
      });
    }
  }
}

export function unexpectedAnswer(message: JsonRpcResponse): PeerError {
  const what = 'error' in message && message.error ? `error "${message.error.message}"` : 'result';
  const id =
    message.id === undefined || message.id === null ? 'without an id' : `with id ${JSON.stringify(message.id)}`;
  return new PeerError('MESSAGE_INVALID', `An answer (${what}) ${id} matches no pending request`);
}
