// 2026-07-28 has no requests from server to client: a call that asks its client is kept here, suspended, while an
// `input_required` result carries its questions out; the client's retry brings the answers and resumes it. The service runs
// it once, however many rounds that takes. Suspended calls are bounded in number and in bytes. The client holds only a key:
// random, good for one use, and refused with an error if it is altered.
//
// A sleeping call belongs to the connection that its last request came on. It ends when that connection is closed, unless
// a request on another one resumes it within `orphanedMs`; when its client does not answer within `suspendedMs`; and when
// it has to make room. A call that has ended, or is given up, never sleeps again.

import type { Clock } from '../../base/clock.ts';
import { toError, UsageError } from '../../base/errors.ts';
import { toJson } from '../../base/to-json.ts';
import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { Deadlines } from '../../requests/deadlines.ts';
import { InFlight } from '../../requests/in-flight.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { ClientFacts, Result } from '../service.ts';
import type { InputRequest, InputRequiredResult, InputResponse } from '../types.ts';
import type { Notifier } from './notifier.ts';
import type { Work } from './suspended-work.ts';

export interface SuspendedCallsOptions {
  clock: Clock;
  maxSuspended: number;
  /** The requests of those asleep, all together. */
  maxSuspendedBytes: number;
  suspendedMs: number;
  /** How long they wait for a resume when their connection is closed. */
  orphanedMs: number;
}

export class SuspendedCalls {
  readonly #options: SuspendedCallsOptions;
  readonly #asleep = new InFlight<string, Work>();
  readonly #deadlines: Deadlines<Work>;
  readonly #run = randomText(6);
  #heldBytes = 0;

  constructor(options: SuspendedCallsOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock, this.#asleep, (work) =>
      this.#drop(work, `its client did not answer within ${options.suspendedMs} ms`),
    );
  }

  get size(): number {
    return this.#asleep.size;
  }

  /** `outcome`: what the service returned for this work. Resolves when that is there, or when it asks. */
  run(work: Work, outcome: Result | Promise<Result>): Result | Promise<Result> {
    if (!(outcome instanceof Promise)) {
      work.done();
      return outcome;
    }
    work.result = outcome;
    // What it fails with while it sleeps is for the request that wakes it.
    const done = () => work.done();
    outcome.then(done, done);
    return this.#untilNextStop(work, work.first);
  }

  /** The client has sent the request again, with answers. */
  resume(inbound: InboundCall, client: ClientFacts, notifier: Notifier): Promise<Result> {
    const params = inbound.request.params ?? {};
    const work = this.#find(params.requestState);
    if (work.identity !== identityOf(inbound)) {
      throw invalidParams('requestState belongs to another request: send the same method and parameters again');
    }
    const answers = (params.inputResponses ?? {}) as Record<string, unknown>;
    const read = new Map(
      [...work.questions].flatMap(([key, { request }]) =>
        !Object.hasOwn(answers, key) ? [] : [[key, readResponse(key, request, answers[key])] as const],
      ),
    );
    this.#wake(work);
    if (this.#asleep.size === 0) this.#deadlines.idle();
    work.continueUnder(inbound, client, notifier);
    for (const [key, response] of read) {
      work.questions.get(key)?.resolve(response);
      work.questions.delete(key);
    }
    return this.#untilNextStop(work, inbound);
  }

  /** The connection is closed: what sleeps for it is given up now, or when nothing has resumed it in time. */
  ownerClosed(notifier: Notifier): void {
    const { clock, orphanedMs } = this.#options;
    for (const work of [...this.#asleep.values()].filter((each) => each.notifier === notifier)) {
      if (orphanedMs === 0) this.#drop(work, 'its client closed the connection');
      else {
        work.dueMs = Math.min(work.dueMs, clock.nowMs() + orphanedMs);
        this.#deadlines.added(work);
      }
    }
  }

  /** Everybody asleep is woken with the bad news. */
  dropAll(why: string): void {
    for (const work of [...this.#asleep.values()]) this.#drop(work, why);
    this.#deadlines.stop();
  }

  ask(work: Work, request: InputRequest, name = work.nextName(), signal?: AbortSignal): Promise<InputResponse> {
    if (work.isDone || work.signal.aborted) return Promise.reject(notGiven('it has ended already'));
    if (work.questions.has(name)) return Promise.reject(sameName(name));
    return new Promise((resolve, reject) => {
      const question = { request, resolve, reject };
      work.questions.set(name, question);
      signal?.addEventListener('abort', () => {
        if (work.questions.get(name) === question) work.questions.delete(name);
        reject(signal.reason);
      });
      // Questions of one turn travel together.
      if (work.questions.size === 1) queueMicrotask(() => work.onAsked?.());
    });
  }

  #untilNextStop(work: Work, inbound: InboundCall): Promise<Result> {
    return new Promise((resolve, reject) => {
      work.onAsked = () => {
        if (work.isDone || work.questions.size === 0) return; // all were taken back
        work.onAsked = undefined;
        try {
          resolve(this.#suspend(work, inbound) as Result & InputRequiredResult);
        } catch (error) {
          work.rejectQuestions(toError(error));
          reject(error);
        }
      };
      work.result?.then(resolve, reject);
      // Not all questions were answered: those left go out again, with what the handler may ask now.
      if (inbound !== work.first && work.questions.size > 0)
        queueMicrotask(() => queueMicrotask(() => work.onAsked?.()));
    });
  }

  #suspend(work: Work, inbound: InboundCall): InputRequiredResult {
    work.identity ||= identityOf(inbound);
    work.bytes = work.identity.length + work.first.bytes + (inbound === work.first ? 0 : inbound.bytes);
    this.#makeRoom(work.bytes);
    work.key = randomText(16);
    work.dueMs = this.#options.clock.nowMs() + this.#options.suspendedMs;
    this.#asleep.add(work.key, work);
    this.#heldBytes += work.bytes;
    this.#deadlines.added(work);
    const inputRequests = Object.fromEntries([...work.questions].map(([key, { request }]) => [key, request]));
    return { resultType: 'input_required', inputRequests, requestState: `${this.#run}.${work.key}` };
  }

  /** The oldest give way. */
  #makeRoom(bytes: number): void {
    const { maxSuspended, maxSuspendedBytes } = this.#options;
    if (bytes > maxSuspendedBytes) {
      const message = `it takes ${bytes} bytes to keep, and ${maxSuspendedBytes} may be held`;
      throw invalidParams(`The request is too long for a question to be asked about it: ${message}`);
    }
    while (this.#asleep.size >= maxSuspended || this.#heldBytes + bytes > maxSuspendedBytes) {
      const oldest = this.#asleep.values().next().value;
      if (!oldest) return;
      this.#drop(oldest, 'too many other calls wait for their clients');
    }
  }

  #find(state: unknown): Work {
    const [run, key] = typeof state === 'string' ? state.split('.', 2) : [];
    const work = run === this.#run && key !== undefined ? this.#asleep.get(key) : undefined;
    if (work) return work;
    const why =
      run === this.#run
        ? 'it was used before, has expired, or was altered'
        : 'it was altered, or comes from an earlier run of this server';
    throw invalidParams(`Unknown requestState: ${why}. Send the request again without it.`, {
      requestState: 'unknown',
    });
  }

  #wake(work: Work): void {
    if (this.#asleep.take(work.key)) this.#heldBytes -= work.bytes;
  }

  #drop(work: Work, why: string): void {
    this.#wake(work);
    const reason = notGiven(why);
    work.first.cancel(reason);
    work.rejectQuestions(reason);
  }
}

function sameName(name: string): UsageError {
  return new UsageError('DUPLICATE_NAME', `A question named ${JSON.stringify(name)} is still unanswered`, {
    hint: 'Questions that are asked together need different names.',
  });
}

function notGiven(why: string): UsageError {
  return new UsageError('INPUT_NOT_GIVEN', `The call was abandoned: ${why}`);
}

function identityOf(inbound: InboundCall): string {
  const { inputResponses: _responses, requestState: _state, _meta, ...params } = inbound.request.params ?? {};
  const json = toJson([inbound.request.method, params]);
  if (typeof json === 'string') return json;
  throw invalidParams(`No question can be asked about this request: ${json.message}`);
}

function readResponse(key: string, request: InputRequest, response: unknown): InputResponse {
  const fields = {
    'elicitation/create': 'action',
    'sampling/createMessage': 'content',
    'roots/list': 'roots',
  } as const;
  const field = fields[request.method];
  if (typeof response !== 'object' || response === null || !(field in response)) {
    throw invalidParams(`inputResponses.${key} must be the result of ${request.method}, with "${field}"`);
  }
  return response as InputResponse;
}

function randomText(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
