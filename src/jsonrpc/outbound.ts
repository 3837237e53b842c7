// Our requests to the other end: sent, awaited, timed out, cancelled, failed. Each settles exactly once.

import type { Clock } from '../base/clock.ts';
import { PeerError, RpcError, toError, UsageError } from '../base/errors.ts';
import { toJson } from '../base/to-json.ts';
import { type Channel, type InboundFault, SENT } from './channel.ts';
import type { Conventions, Progress } from './conventions.ts';
import { Deadlines } from './deadlines.ts';
import { InFlight } from './in-flight.ts';
import { lostRequest } from './lost-request.ts';
import type { JsonRpcErrorResponse, JsonRpcMessage, JsonRpcResponse, JsonRpcResult, RequestId } from './message.ts';
import { OpenQuestions, type Question } from './open-questions.ts';
import { numberInText } from './text-id.ts';

export interface RequestOptions {
  /**
   * How long the other end may be silent about this request. Progress starts the wait anew, and so does our answer to a
   * question that the other end asked because of it.
   */
  timeoutMs?: number;
  /** How long the request may take in all, progress or not. */
  totalTimeoutMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Whether giving up is told to the other end. MCP forbids it for `initialize`. */
  cancellable?: boolean;
}

interface PendingRequest {
  id: number;
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  /** False while the message waits in our own queue: it can then be said with certainty that it never ran. */
  sent: boolean;
  /** How many writes there had been when it was accepted. It is in the next one, unless that one is refused. */
  writesBefore: number;
  dueMs: number;
  timeoutMs: number;
  totalDueMs: number;
  options: RequestOptions | undefined;
  onAbort: (() => void) | undefined;
}

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

export class Outbound {
  /** Answers that came after we had given up. */
  lateAnswers = 0;
  #channel: Channel;
  #clock: Clock;
  #options: OutboundOptions;
  #pending = new InFlight<PendingRequest>();
  #deadlines: Deadlines<PendingRequest>;
  #questions = new OpenQuestions<PendingRequest>();
  #nextId = 1;
  #sawTextId = false;

  constructor(channel: Channel, options: OutboundOptions) {
    this.#channel = channel;
    this.#clock = options.clock;
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock, this.#pending, (request) => this.#timeOut(request));
  }

  get size(): number {
    return this.#pending.size;
  }

  request(method: string, params: Record<string, unknown> | undefined, options?: RequestOptions): Promise<unknown> {
    const signal = options?.signal;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const timeoutMs = options?.timeoutMs ?? this.#options.requestTimeoutMs;
      const nowMs = this.#clock.nowMs();
      const totalDueMs = nowMs + (options?.totalTimeoutMs ?? Number.POSITIVE_INFINITY);
      const dueMs = Math.min(nowMs + timeoutMs, totalDueMs);
      const request: PendingRequest = {
        id,
        method,
        resolve,
        reject,
        sent: false,
        writesBefore: this.#channel.writes ?? -1,
        dueMs,
        timeoutMs,
        totalDueMs,
        options,
        onAbort: undefined,
      };
      if (signal) {
        request.onAbort = () => this.#giveUp(request, signal.reason, describeReason(signal.reason));
        signal.addEventListener('abort', request.onAbort, { once: true });
      }
      this.#pending.add(id, request);
      this.#deadlines.added(request);
      const { progress } = this.#options;
      this.#send(request, options?.onProgress && progress ? progress.ask(params, id) : params);
    });
  }

  #send(request: PendingRequest, params: Record<string, unknown> | undefined): void {
    const { id, method } = request;
    const accepted = this.#handOver(params ? { jsonrpc: '2.0', id, method, params } : { jsonrpc: '2.0', id, method });
    if (accepted === SENT) {
      request.sent = true;
      return;
    }
    accepted.then(
      () => {
        request.sent = true;
      },
      (error: unknown) => {
        if (this.#pending.get(id) !== request) return;
        this.#take(request).reject(error instanceof UsageError ? error : this.#notSent(request, toError(error)));
      },
    );
  }

  /** Some transports throw where they should reject. */
  #handOver(message: JsonRpcMessage): Promise<void> {
    try {
      return this.#channel.send(message);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns false for an answer to nothing we ever asked. */
  answer(response: JsonRpcResponse): boolean {
    const request = this.#find(response.id);
    if (!request) return this.#isLate(response.id);
    this.#remove(request);
    // Some servers write `error: null` beside a result.
    if ('error' in response && response.error) request.reject(this.#toRpcError(response));
    else request.resolve((response as JsonRpcResult).result);
    return true;
  }

  progress(id: unknown, progress: Progress): void {
    const request = this.#find(id as RequestId);
    if (!request) return; // late, or a token that is not ours
    this.#extend(request);
    request.options?.onProgress?.(progress);
  }

  /** The answer to a request came, but could not be read. Returns false where no request of ours is meant. */
  answerUnreadable(fault: InboundFault): boolean {
    let request = this.#find(fault.id);
    if (!request && fault.id === undefined && fault.isResponse && this.#pending.size === 1) {
      // No id in what was kept of it, but only one request waits for an answer.
      request = this.#pending.values().next().value;
    }
    if (!request) return false;
    this.#take(request).reject(
      new PeerError(fault.code, `The answer to ${request.method} could not be read: ${fault.message}`, {
        hint: hintFor(fault.code),
        evidence: this.#channel.evidence?.(),
      }),
    );
    return true;
  }

  /** The channel is gone: whatever waits is told what is known. */
  failAll(closedByUs: boolean, cause: Error | undefined): void {
    this.#deadlines.stop();
    for (const request of this.#pending.takeAll()) {
      this.#unlisten(request);
      if (!this.#wasSent(request)) request.reject(this.#notSent(request, cause));
      else request.reject(lostRequest(request.method, { closedByUs, cause, evidence: this.#channel.evidence?.() }));
    }
  }

  /** The other end asks something, perhaps because of one of our requests. */
  asked(question: Question): void {
    this.#questions.open(question, this.#nextId);
  }

  /** The request that waited for it gets its whole time again. */
  answered(question: Question): void {
    const request = this.#questions.close(question, this.#pending);
    if (request) this.#extend(request);
  }

  /** Whether the other end waits for an answer of ours. */
  get isAsked(): boolean {
    return this.#questions.any;
  }

  /** Our ids are numbers, so that the text of one means that one. */
  #find(id: RequestId | null | undefined): PendingRequest | undefined {
    if (typeof id === 'number') return this.#pending.get(id);
    const number = numberInText(id);
    const request = number === undefined ? undefined : this.#pending.get(number);
    if (request && !this.#sawTextId) this.#options.onTextId?.(id as string);
    this.#sawTextId ||= request !== undefined;
    return request;
  }

  #extend(request: PendingRequest): void {
    request.dueMs = Math.min(this.#clock.nowMs() + request.timeoutMs, request.totalDueMs);
  }

  #wasSent({ sent, writesBefore }: PendingRequest): boolean {
    return sent && (this.#channel.writes ?? 0) > writesBefore;
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

  #timeOut(request: PendingRequest): void {
    const total = request.dueMs === request.totalDueMs;
    // The other end waits for an answer of ours, perhaps of a person: its silence is not its fault.
    if (!total && this.#questions.holdUp(request, this.#pending)) return this.#extend(request);
    const ms = total ? request.options?.totalTimeoutMs : request.timeoutMs;
    const error = this.#error(
      'REQUEST_TIMEOUT',
      `${request.method} was not answered within ${ms} ms${total ? ' in all' : ''}`,
      undefined,
      total ? 'Raise totalTimeoutMs for this call.' : 'Raise timeoutMs, or have the server report progress.',
    );
    this.#giveUp(request, error, `timed out after ${ms} ms`);
  }

  #giveUp(request: PendingRequest, error: unknown, reason: string): void {
    if (this.#pending.get(request.id) !== request) return;
    this.#questions.gaveUp(request);
    this.#take(request).reject(error);
    if (request.options?.cancellable !== false) this.#options.sendCancel(request.id, reason);
  }

  #take(request: PendingRequest): PendingRequest {
    this.#remove(request);
    return request;
  }

  #remove(request: PendingRequest): void {
    this.#pending.delete(request.id);
    if (this.#pending.size === 0) this.#deadlines.idle();
    if (request.onAbort) this.#unlisten(request);
  }

  #unlisten(request: PendingRequest): void {
    if (request.onAbort) request.options?.signal?.removeEventListener('abort', request.onAbort);
  }

  #isLate(id: RequestId | undefined | null): boolean {
    const number = typeof id === 'number' ? id : numberInText(id);
    const ours = number !== undefined && number > 0 && number < this.#nextId;
    if (ours) this.lateAnswers++;
    return ours;
  }

  #notSent(request: PendingRequest, cause: Error | undefined): PeerError {
    const why = cause ? `: ${cause.message}` : '';
    return this.#error(
      'NOT_SENT',
      `${request.method} was never sent${why}`,
      cause,
      'It did not run; sending it again is safe.',
    );
  }

  #error(code: PeerError['code'], message: string, cause?: Error, hint?: string): PeerError {
    return new PeerError(code, message, { cause, hint, evidence: this.#channel.evidence?.() });
  }
}

function hintFor(code: InboundFault['code']): string {
  const option = { FRAME_TOO_LONG: 'maxFrameBytes', TOO_MANY_VALUES: 'maxFrameValues' }[code as string];
  if (option) return `Raise ${option} (an option of connect(), a key of the server in a config), or ask for less.`;
  return 'The other end wrote a malformed message; see `prefix` of the fault for its first bytes.';
}

function describeReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
