// 2026-07-28 has no requests from server to client: a call that asks its client is suspended here while an
// `input_required` result carries its questions to the client; the client's retry brings the answers and resumes it.
// The service runs the call once, however many rounds it takes. Suspended calls are limited in number and in bytes. The
// client holds only a key: random, valid for one use, and refused with an error if it is altered.
//
// A suspended call belongs to the connection on which its last request arrived. It ends when that connection closes,
// unless a request on another one resumes it within `orphanedMs`; when its client does not answer within `suspendedMs`;
// and when newer calls need its slot: then the oldest call of the principal with the most calls ends. A call that has
// ended is never suspended again.

import type { Clock } from '../../base/clock.ts';
import { heldBytes, valuesOf } from '../../base/count-json-values.ts';
import { RpcError, toError } from '../../base/errors.ts';
import { toJson } from '../../base/to-json.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import { Deadlines } from '../../wire/requests/deadlines.ts';
import { InFlight } from '../../wire/requests/in-flight.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { ClientFacts, Params, Result } from '../service.ts';
import type { InputResponse } from '../types.ts';
import type { ClientObserver } from './client-observer.ts';
import { type ModernCaller, mustAnswer } from './modern-caller.ts';
import type { Notifier } from './notifier.ts';

export interface SuspendedCallsOptions {
  clock: Clock;
  maxSuspended: number;
  /** The maximum bytes of suspended requests and their questions together. */
  maxSuspendedBytes: number;
  suspendedMs: number;
  /** How long suspended requests can be resumed after their connection has closed. */
  orphanedMs: number;
}

export class SuspendedCalls {
  readonly #options: SuspendedCallsOptions;
  readonly #calls = new InFlight<string, ModernCaller>();
  readonly #deadlines: Deadlines<ModernCaller>;
  readonly #run = randomText(6);
  #heldBytes = 0;

  constructor(options: SuspendedCallsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock, this.#calls, (call) =>
      this.#drop(call, `its client did not answer within ${options.suspendedMs} ms`),
    );
  }

  /**
   * `outcome` is the value that the service returned for the call. Resolves with the result, or with the questions of
   * the call.
   */
  run(call: ModernCaller, outcome: Result | Promise<Result>): Result | Promise<Result> {
    if (!(outcome instanceof Promise)) {
      call.done();
      return outcome;
    }
    call.result = outcome;
    // If the call ends while it is suspended, its outcome is kept for the request that resumes it.
    const done = (given: unknown) => {
      call.done();
      call.onGrown?.(outcomeBytes(given));
    };
    outcome.then(done, done);
    return this.#untilNextStop(call, call.first);
  }

  /** Continues a call whose client has sent the request again, with answers. */
  resume(
    inbound: InboundCall,
    client: ClientFacts,
    notifier: Notifier,
    observer: ClientObserver | undefined,
  ): Promise<Result> {
    const params = inbound.request.params ?? {};
    const call = this.#find(params.requestState);
    // The error equals that for an unknown key, so that it reveals nothing about calls of others.
    if (call.client.identity.principal !== client.identity.principal) throw this.#unknown(params.requestState);
    if (call.identity !== identityOf(inbound)) {
      throw invalidParams('requestState belongs to another request: send the same method and parameters again');
    }
    const responses = (params.inputResponses ?? {}) as Params;
    const answered = [...call.questions].filter(([name]) => Object.hasOwn(responses, name));
    for (const [name, { request }] of answered) mustAnswer(name, request, responses[name]);
    this.#take(call);
    if (this.#calls.size === 0) this.#deadlines.idle();
    call.continueUnder(inbound, client, notifier, observer);
    for (const [name, { resolve }] of answered) {
      call.withdraw(name);
      resolve(responses[name] as InputResponse);
    }
    return this.#untilNextStop(call, inbound);
  }

  /** Call this when a connection has closed: its suspended calls end now, or after `orphanedMs` if they are not resumed. */
  connectionClosed(notifier: Notifier): void {
    if (this.#calls.size === 0) return;
    const { clock, orphanedMs } = this.#options;
    for (const call of [...this.#calls.values()].filter((each) => each.notifier === notifier)) {
      if (orphanedMs === 0) this.#drop(call, 'its client closed the connection');
      else {
        call.dueMs = Math.min(call.dueMs, clock.nowMs() + orphanedMs);
        this.#deadlines.added(call);
      }
    }
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Whether a request with this `requestState` resumes a suspended call. */
  has(state: unknown): boolean {
    return this.#byState(state) !== undefined;
  }

  /** Call this when a client has ended, whichever connection its requests used. */
  clientEnded(id: string): void {
    for (const call of [...this.#calls.values()]) {
      if (call.client.identity.id === id) this.#drop(call, 'its client has ended');
    }
  }

  dropAll(why: string): void {
    for (const call of [...this.#calls.values()]) this.#drop(call, why);
    this.#deadlines.stop();
  }

  #untilNextStop(call: ModernCaller, inbound: InboundCall): Promise<Result> {
    return new Promise((resolve, reject) => {
      call.onAsked = () => {
        if (call.isDone || call.questions.size === 0) return; // all questions were withdrawn
        call.onAsked = undefined;
        try {
          resolve(this.#suspend(call, inbound));
        } catch (error) {
          call.rejectQuestions(toError(error));
          reject(error);
        }
      };
      call.result?.then(resolve, reject);
      // Unanswered questions are sent again, together with those that the handler may ask now.
      const isLeft = inbound !== call.first && call.questions.size > 0;
      if (isLeft) queueMicrotask(() => queueMicrotask(() => call.onAsked?.()));
    });
  }

  #suspend(call: ModernCaller, inbound: InboundCall): Result {
    call.identity ||= identityOf(inbound);
    call.bytes =
      call.identity.length + call.first.bytes + (inbound === call.first ? 0 : inbound.bytes) + call.heldBytes;
    this.#makeRoom(call.bytes);
    call.key = randomText(16);
    call.dueMs = this.#options.clock.nowMs() + this.#options.suspendedMs;
    this.#calls.add(call.key, call);
    this.#heldBytes += call.bytes;
    call.onGrown = (bytes) => {
      call.bytes += bytes;
      this.#heldBytes += bytes;
      this.#makeRoom(0, 0);
    };
    this.#deadlines.added(call);
    const inputRequests = Object.fromEntries([...call.questions].map(([name, { request }]) => [name, request]));
    return { resultType: 'input_required', inputRequests, requestState: `${this.#run}.${call.key}` };
  }

  /** Ends the oldest calls of the principal that uses the most until there is enough space. */
  #makeRoom(bytes: number, calls = 1): void {
    const { maxSuspended, maxSuspendedBytes } = this.#options;
    if (bytes > maxSuspendedBytes) {
      const message = `keeping them takes ${bytes} bytes, and the limit is ${maxSuspendedBytes}`;
      throw invalidParams(`The request and its questions are too long: ${message}`);
    }
    for (;;) {
      const isTooLong = this.#heldBytes + bytes > maxSuspendedBytes;
      if (this.#calls.size + calls <= maxSuspended && !isTooLong) return;
      const oldest = oldestOfLargest(this.#calls.values(), isTooLong ? (call) => call.bytes : () => 1);
      if (!oldest) return;
      this.#drop(oldest, 'too many other calls wait for their clients');
    }
  }

  #find(state: unknown): ModernCaller {
    const call = this.#byState(state);
    if (call) return call;
    throw this.#unknown(state);
  }

  #byState(state: unknown): ModernCaller | undefined {
    const prefix = `${this.#run}.`;
    const isOfThisRun = typeof state === 'string' && state.startsWith(prefix);
    return isOfThisRun ? this.#calls.get(state.slice(prefix.length)) : undefined;
  }

  #unknown(state: unknown): RpcError {
    const isOfThisRun = typeof state === 'string' && state.startsWith(`${this.#run}.`);
    const why = isOfThisRun
      ? 'it was used before, has expired, or was altered'
      : 'it was altered, or belongs to an earlier run of this server';
    return invalidParams(`Unknown requestState: ${why}. Send the request again without it.`, {
      requestState: 'unknown',
    });
  }

  #take(call: ModernCaller): void {
    call.onGrown = undefined;
    if (this.#calls.take(call.key)) this.#heldBytes -= call.bytes;
  }

  #drop(call: ModernCaller, why: string): void {
    this.#take(call);
    call.abandon(why);
  }
}

/** The oldest call of the principal whose calls have the largest total size. */
function oldestOfLargest(calls: Iterable<ModernCaller>, sizeOf: (call: ModernCaller) => number) {
  const sums = new Map<string | undefined, { oldest: ModernCaller; size: number }>();
  for (const call of calls) {
    const { principal } = call.client.identity;
    const sum = sums.get(principal);
    if (sum) sum.size += sizeOf(call);
    else sums.set(principal, { oldest: call, size: sizeOf(call) });
  }
  let largest: { oldest: ModernCaller; size: number } | undefined;
  for (const sum of sums.values()) if (!largest || sum.size > largest.size) largest = sum;
  return largest?.oldest;
}

function outcomeBytes(given: unknown): number {
  const json = toJson(given instanceof RpcError ? [given.message, given.data] : given);
  return typeof json === 'string' ? heldBytes(json.length, valuesOf(json)) : 0; // not serializable: the answer is a short error
}

/** Identifies the request, because a retry must be the same request. */
function identityOf(inbound: InboundCall): string {
  const { inputResponses: _responses, requestState: _state, _meta, ...params } = inbound.request.params ?? {};
  const json = toJson([inbound.request.method, params]);
  if (typeof json === 'string') return json;
  throw invalidParams(`No question can be asked about this request: ${json.message}`);
}

/** Random hexadecimal text, two characters per byte. */
export function randomText(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(values, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
