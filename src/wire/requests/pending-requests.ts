// Requests sent to the other end, in any protocol. Each settles exactly once: with an answer, a timeout, an aborted
// signal, or a precise error when the connection ends. Ids are consecutive numbers. The protocol layer above writes the
// messages.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Clock } from '../../base/clock.ts';
import type { PeerErrorCode } from '../../base/error-codes.ts';
import { type Evidence, PeerError, toError, UsageError } from '../../base/errors.ts';
import { Deadlines } from './deadlines.ts';
import { InFlight } from './in-flight.ts';
import { lostRequest } from './lost-request.ts';

/**
 * The promise that `send` returns when a message was accepted at once. Comparing with it avoids attaching handlers to a
 * new promise for every message.
 */
export const SENT: Promise<void> = Promise.resolve();

export interface WaitOptions {
  /** The maximum time without an answer or progress for this request. */
  timeoutMs?: number | undefined;
  /** The maximum total time of the request, regardless of progress. */
  totalTimeoutMs?: number | undefined;
  signal?: CancelSignal | undefined;
}

export interface PendingRequest<Answer, Options> {
  readonly id: number;
  readonly method: string;
  readonly options: Options | undefined;
  readonly timeoutMs: number;
  readonly totalDueMs: number;
  /** The number of writes begun when the request was accepted. The request is part of the next write unless that is refused. */
  readonly writesBefore: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** False while the message is in our send queue: then it certainly did not run. */
  sent: boolean;
  dueMs: number;
  /**
   * Called when the signal aborts. The request is the listener itself, because a closure for each request kept all of
   * them alive for a long time.
   */
  handleEvent(): void;
}

/** Follows requests until the other end is done with them. */
export interface RequestWatcher<Request> {
  /** Called before `settled`. The other end may still be working on the request. */
  gaveUp(request: Request): void;
  /** Called when the request is no longer pending, except at the end of the connection. Its promise settles afterwards. */
  settled(request: Request): void;
  /** Called for an answer to a request that had been given up. */
  late(id: number, isResult: boolean): void;
}

/** An answer that arrived but could not be read. */
export interface UnreadableAnswer {
  code: PeerErrorCode;
  message: string;
}

export interface PendingRequestsOptions<Content, Answer, Options> {
  clock: Clock;
  requestTimeoutMs: number;
  /** Advice to the caller about a timeout. */
  timeoutHint: string;
  /** The connection: how many writes it has begun, and evidence about the other end. */
  connection: { readonly writes?: number | undefined; evidence?(): Evidence };
  send: (request: PendingRequest<Answer, Options>, content: Content) => Promise<void>;
  /** Called when a request times out. True restarts its timeout, because the other end waits for us. */
  waitsForUs?: (request: PendingRequest<Answer, Options>) => boolean;
  /** Called after a request timed out or was aborted. */
  gaveUp?: (request: PendingRequest<Answer, Options>, reason: string) => void;
}

export class PendingRequests<Content, Answer, Options extends WaitOptions = WaitOptions> {
  /** The number of answers to requests that had been given up or already answered. */
  lateAnswers = 0;
  watcher: RequestWatcher<PendingRequest<Answer, Options>> | undefined;
  readonly #options: PendingRequestsOptions<Content, Answer, Options>;
  readonly #byId = new InFlight<number, PendingRequest<Answer, Options>>();
  readonly #deadlines: Deadlines<PendingRequest<Answer, Options>>;
  #nextId = 1;
  #closed: { cause: Error | undefined } | undefined;

  constructor(options: PendingRequestsOptions<Content, Answer, Options>) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock, this.#byId, (request) => this.#timeOut(request));
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The id of the next request. Ids only increase. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Returns the requests in the order of their ids. */
  values(): IterableIterator<PendingRequest<Answer, Options>> {
    return this.#byId.values();
  }

  open(method: string, content: Content, options?: Options): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#closedBefore(method, this.#closed.cause));
    const signal = options?.signal;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const { clock, connection, requestTimeoutMs } = this.#options;
      const timeoutMs = options?.timeoutMs ?? requestTimeoutMs;
      const nowMs = clock.nowMs();
      const totalDueMs = nowMs + (options?.totalTimeoutMs ?? Number.POSITIVE_INFINITY);
      const request: OwnedRequest<Answer, Options> = {
        id: this.#nextId++,
        method,
        options,
        timeoutMs,
        totalDueMs,
        writesBefore: connection.writes ?? -1,
        resolve,
        reject,
        sent: false,
        dueMs: Math.min(nowMs + timeoutMs, totalDueMs),
        handleEvent: abortRequest,
        owner: this,
      };
      signal?.addEventListener('abort', request);
      this.#byId.add(request.id, request);
      this.#deadlines.added(request);
      this.#send(request, content);
    });
  }

  get(id: number | undefined): PendingRequest<Answer, Options> | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Call this before a request is resolved or rejected. */
  remove(request: PendingRequest<Answer, Options>): void {
    this.#byId.delete(request.id);
    if (this.#byId.size === 0) this.#deadlines.idle();
    request.options?.signal?.removeEventListener('abort', request);
    this.watcher?.settled(request);
  }

  /** Counts a late answer. Returns false for an id that was never used. */
  isLate(id: number | undefined, isResult = false): boolean {
    const ours = id !== undefined && id > 0 && id < this.#nextId;
    if (!ours) return false;
    this.lateAnswers++;
    this.watcher?.late(id, isResult);
    return true;
  }

  /** Restarts the timeout of the request; the total timeout still applies. */
  extend(request: PendingRequest<Answer, Options>): void {
    request.dueMs = Math.min(this.#options.clock.nowMs() + request.timeoutMs, request.totalDueMs);
  }

  /** An answer without an id is assigned to the only pending request. Returns false if it cannot be assigned. */
  failUnreadable(id: number | undefined, { code, message }: UnreadableAnswer): boolean {
    const request = id === undefined && this.size === 1 ? this.values().next().value : this.get(id);
    if (!request) return false;
    this.remove(request);
    const text = `The answer to ${request.method} could not be read: ${message}`;
    request.reject(this.#error(code, text, hintFor(code)));
    return true;
  }

  /** Ends the connection: every pending request fails with an error that says whether it was sent, and new ones are refused. */
  failAll(closedByUs: boolean, cause: Error | undefined): void {
    this.#closed = { cause };
    this.#deadlines.stop();
    const { connection } = this.#options;
    for (const request of this.#byId.takeAll()) {
      request.options?.signal?.removeEventListener('abort', request);
      const { sent, writesBefore, method } = request;
      if (!sent || (connection.writes ?? 0) <= writesBefore) request.reject(this.#notSent(request, cause));
      else request.reject(lostRequest(method, { closedByUs, cause, evidence: connection.evidence?.() }));
    }
  }

  #send(request: PendingRequest<Answer, Options>, content: Content): void {
    const accepted = this.#options.send(request, content);
    if (accepted === SENT) {
      request.sent = true;
      return;
    }
    accepted.then(
      () => {
        request.sent = true;
      },
      (error: unknown) => {
        if (this.#byId.get(request.id) !== request) return;
        this.remove(request);
        request.reject(error instanceof UsageError ? error : this.#notSent(request, toError(error)));
      },
    );
  }

  #timeOut(request: PendingRequest<Answer, Options>): void {
    const total = request.dueMs === request.totalDueMs;
    if (!total && this.#options.waitsForUs?.(request)) return this.extend(request);
    const ms = total ? request.options!.totalTimeoutMs! : request.timeoutMs;
    const message = `${request.method} was not answered within ${ms} ms${total ? ' in total' : ''}`;
    const hint = total ? 'Raise totalTimeoutMs for this call.' : this.#options.timeoutHint;
    const error = this.#error('REQUEST_TIMEOUT', message, hint);
    error.waitedInFull = ms >= this.#options.requestTimeoutMs;
    this.giveUp(request, error, `timed out after ${ms} ms`);
  }

  /** Rejects the request with the error, and passes the reason on to the other end. */
  giveUp(request: PendingRequest<Answer, Options>, error: unknown, reason: string): void {
    if (this.#byId.get(request.id) !== request) return;
    this.watcher?.gaveUp(request);
    this.remove(request);
    request.reject(error);
    this.#options.gaveUp?.(request, reason);
  }

  #notSent({ method }: PendingRequest<Answer, Options>, cause: Error | undefined): PeerError {
    const message = `${method} was never sent${cause ? `: ${cause.message}` : ''}`;
    return this.#error('NOT_SENT', message, 'The request did not run; sending it again is safe.', cause);
  }

  #closedBefore(method: string, cause: Error | undefined): PeerError {
    const message = `${method} was never sent: the connection is closed${cause ? ` (${cause.message})` : ''}`;
    return this.#error('NOT_SENT', message, 'Connect again.', cause);
  }

  #error(code: PeerErrorCode, message: string, hint: string, cause?: Error): PeerError {
    return new PeerError(code, message, { cause, hint, evidence: this.#options.connection.evidence?.() });
  }
}

interface OwnedRequest<Answer, Options extends WaitOptions> extends PendingRequest<Answer, Options> {
  owner: PendingRequests<never, Answer, Options>;
}

function abortRequest<Answer, Options extends WaitOptions>(this: OwnedRequest<Answer, Options>): void {
  const reason = this.options?.signal?.reason;
  this.owner.giveUp(this, reason, describeReason(reason));
}

function hintFor(code: PeerErrorCode): string {
  const option = { FRAME_TOO_LONG: 'maxFrameBytes', TOO_MANY_VALUES: 'maxFrameValues' }[code as string];
  if (option) return `Raise ${option} (an option of connect(), a key of the server in a config), or request less.`;
  return 'The other end wrote a malformed message; see `prefix` of the fault for its first bytes.';
}

function describeReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
