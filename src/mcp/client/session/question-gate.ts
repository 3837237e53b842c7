// Finds the client of a question from a legacy server when several clients share one process, because the question does not name a
// request. It is routed only if all requests that it may belong to are from one client. Otherwise it is held while requests end: a
// request that is answered before its question did not ask it. A question that stays ambiguous is refused.
//
// A request never waits because of a question of another principal. Only requests that are known to ask wait, for those of other
// clients of the same principal: running at the same time, they would make their questions ambiguous.
//
// A question may name an id that a request is about, in a way that an extension defines: it belongs to that request.
//
// A request that its client gave up stays a possible owner until the server answers it, or for `ABANDONED_MS`. A request that was
// sent after a question had arrived does not own it.

import type { Clock } from '../../../base/clock.ts';
import type { RpcError } from '../../../base/errors.ts';
import { unlessAborted } from '../../../base/wait.ts';
import type { PendingCall } from '../../../wire/jsonrpc/outbound.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import type { RequestWatcher } from '../../../wire/requests/pending-requests.ts';
import type { Caller } from '../../service.ts';
import type { Warn } from '../warnings.ts';
import { AbandonedRequests } from './abandoned-requests.ts';
import {
  ANSWER_MS,
  AskedQuestion,
  givenUp,
  HELD_MS,
  MOST_HELD,
  namesOf,
  notAnswered,
  perhapsGivenUp,
  questionRefusal,
  TIE_MS,
  tooManyHeld,
  unclear,
} from './asked-question.ts';
import type { AskingTools } from './asking-tools.ts';
import { type ClientKey, GatedRequest, isOwner, type OwnerRequest } from './gated-request.ts';
import { QuestionOwners } from './question-owners.ts';
import { WaitingRequests } from './waiting-requests.ts';

type Peers = Pick<Peer, 'requests' | 'nextId' | 'notify'> & { requestWatcher: RequestWatcher<PendingCall> | undefined };

export interface QuestionGateOptions {
  tools: AskingTools;
  requestTimeoutMs: number;
  clock: Clock;
  warn: Warn;
}

export class QuestionGate implements RequestWatcher<PendingCall> {
  /** Set when the session is legacy and `notifications/initialized` is sent. */
  mayAsk = false;
  readonly clock: Clock;
  readonly warn: Warn;
  readonly #peer: Peers;
  readonly #tools: AskingTools;
  readonly #held = new Set<AskedQuestion>();
  readonly #routed = new Set<AskedQuestion>();
  readonly #waiting: WaitingRequests;
  readonly #abandoned: AbandonedRequests;
  readonly #owners: QuestionOwners;
  /** The first client that sent a request. `#isShared`: another client has sent one, too. */
  #client: ClientKey | undefined;
  #isShared = false;
  /** Whether the server has answered a request since the session was opened. */
  #hasAnswered = false;
  /** The time of the last decision about questions. Time limits that end later have not been acted on. */
  #decidedMs = 0;
  #timer: { cancel(): void } | undefined;

  constructor(peer: Peers, { tools, requestTimeoutMs, clock, warn }: QuestionGateOptions) {
    this.clock = clock;
    this.warn = warn;
    this.#peer = peer;
    this.#tools = tools;
    this.#waiting = new WaitingRequests(clock, requestTimeoutMs, () => this.#advance());
    this.#abandoned = new AbandonedRequests(clock);
    this.#owners = new QuestionOwners(peer, this.#abandoned);
    peer.requestWatcher = this;
  }

  /** Whether the request may be sent at once. Usually it may, because it is not known to ask. */
  passes(request: GatedRequest): boolean {
    if (!this.#isShared) {
      this.#client ??= request.client;
      this.#isShared = request.client !== this.#client;
    }
    if (this.#tools.isEmpty || request.usesId) return true;
    const { principal } = request;
    request.asks = this.#tools.has(request.tool, principal);
    if (!request.asks || this.#mayNest(request)) return true;
    if (this.#waiting.sinceMs(principal) !== Number.POSITIVE_INFINITY) return false;
    this.#forgetAbandoned();
    return this.#mayStart(request);
  }

  /** Whether a question could not belong to a running request from another client. */
  isFreeFor(client: ClientKey): boolean {
    this.#forgetAbandoned();
    return this.#owners.areOfOne(Number.POSITIVE_INFINITY, client);
  }

  /** Sends the request when it may run. */
  wait<T>(request: GatedRequest, send: () => Promise<T>): Promise<T> {
    const result = this.#waiting.add(request, send);
    this.#arm();
    return result;
  }

  /** Runs `answer` with the caller that owns the question, or with undefined if it is unrelated to a request. `id`: the id that it names. */
  async answer<T>(
    method: string,
    signal: AbortSignal,
    answer: (caller: Caller | undefined, signal: AbortSignal) => Promise<T>,
    id?: string,
  ): Promise<T> {
    // A server requests the roots when its session opens. The question is unrelated to any request, even if one is sent
    // at the same time.
    const beforeId = method === 'roots/list' && !this.#hasAnswered ? 0 : this.#peer.nextId;
    const question = new AskedQuestion(method, this.clock.nowMs(), beforeId);
    this.#forgetAbandoned();
    this.#held.add(question);
    const named = id === undefined ? undefined : this.#owners.about(id, beforeId);
    if (named) this.#route(question, named);
    else if (id !== undefined && this.#isShared) this.#refuse(question, unclear(method));
    else this.#advance();
    if (this.#held.size > MOST_HELD) this.#refuse(question, tooManyHeld(method));
    try {
      const caller = question.owner ? question.owner.caller : await unlessAborted(question.decided, signal);
      const ended = question.ended.signal;
      return await unlessAborted(answer(caller, AbortSignal.any([signal, ended])), ended);
    } finally {
      this.#held.delete(question);
      this.#routed.delete(question);
      this.#advance();
    }
  }

  /** Call this when the connection has ended. Unsent requests fail; the signals of questions abort separately. */
  close(cause: Error | undefined): void {
    this.#timer?.cancel();
    this.#waiting.close(cause);
  }

  gaveUp({ id, options }: PendingCall): void {
    if (!isOwner(options)) return;
    this.#abandoned.add(id, options);
    if (options instanceof GatedRequest && this.#isShared && this.#waitsForAnswer(options))
      this.#cancelLater(id, options);
  }

  settled({ id, options }: PendingCall): void {
    this.#hasAnswered ||= this.mayAsk;
    if (!isOwner(options)) return;
    if (this.#abandoned.has(id)) this.#endQuestionsOf(options);
    else if (options.asks && !options.asked) this.#tools.ranSilently(options.tool, options.principal);
    if (this.#held.size > 0 || this.#waiting.size > 0) this.#advance();
  }

  late(id: number, isResult: boolean): void {
    this.#abandoned.answered(id, isResult);
    if (this.#held.size > 0 || this.#waiting.size > 0) this.#advance();
  }

  /** Skipped while a question is held, because the passing of time does not reveal its owner. */
  #forgetAbandoned(): void {
    if (this.#held.size === 0) this.#abandoned.forgetOld();
  }

  #advance(): void {
    const nowMs = this.clock.nowMs();
    this.#decidedMs = nowMs;
    this.#forgetAbandoned();
    // Later questions have the owners of earlier ones and perhaps more: if one stays ambiguous, so do those after it.
    for (const question of [...this.#held]) if (this.#decide(question, nowMs)) break;
    this.#breakTie(nowMs);
    if (this.#waiting.size > 0) {
      for (const question of this.#routed) {
        if (this.#answerDueMs(question) <= nowMs) question.ended.abort(notAnswered(question.method));
      }
      this.#waiting.start((request) => this.#mayStart(request));
    }
    this.#arm();
  }

  /** Returns whether the question stays held. */
  #decide(question: AskedQuestion, nowMs: number): boolean | undefined {
    const { method, askedMs, beforeId } = question;
    const first = this.#owners.first(beforeId);
    if (first && !this.#owners.areOfOne(beforeId)) {
      const isGivenUp = askedMs + TIE_MS <= nowMs && this.#owners.openAreOfOne(beforeId);
      if (askedMs + HELD_MS <= nowMs) return this.#refuseUnclear([question], this.#owners.before(beforeId).open);
      return isGivenUp ? this.#refuse(question, perhapsGivenUp(method)) : true;
    }
    const { open, abandoned } = this.#owners.before(beforeId);
    // Roots are also requested in reply to a notification: without a pending request, those of this connection are meant.
    if (!first && abandoned.size > 0 && method !== 'roots/list') return this.#refuse(question, givenUp(method));
    const owner = this.#route(question, first);
    if (!owner) return;
    // With several tools it is unknown which one asked. A client could implicate any tool with a request that it gave up.
    const isCertain = abandoned.size === 0 && open.every(({ tool }) => tool === owner.tool);
    if (isCertain && owner.mayAsk) this.#tools.asked(owner.tool, owner.principal);
    for (const request of open) {
      request.asks = request.mayAsk;
      request.asked = true;
    }
  }

  /** Returns the request whose client is asked. */
  #route(question: AskedQuestion, first: OwnerRequest | undefined): OwnerRequest | undefined {
    const refusal = questionRefusal(question, first, this.#routed);
    if (refusal) return this.#refuse(question, refusal);
    const owner = first?.isAskable ? first : undefined;
    this.#held.delete(question);
    this.#routed.add(question);
    question.decide(owner?.caller);
    if (owner) {
      const { client, identity, principal } = owner;
      Object.assign(question, { client, identity, principal, routedMs: this.clock.nowMs() });
    }
    return owner;
  }

  /** Every request may wait for an answer. If the others fail and end, the owner of the oldest question is known. */
  #breakTie(nowMs: number): void {
    const [, ...newer] = this.#held;
    const newest = newer.at(-1);
    if (!newest || newest.askedMs + TIE_MS > nowMs) return;
    if (this.#owners.hasMoreOpen(newest.beforeId, this.#held.size)) return;
    const { open } = this.#owners.before(newest.beforeId);
    this.#refuseUnclear(newer, open);
  }

  #refuseUnclear(questions: readonly AskedQuestion[], open: readonly OwnerRequest[]): undefined {
    for (const request of open) {
      request.asked = true;
      if (request.mayAsk) this.#tools.suspected(request.tool, request.principal);
    }
    const calls = namesOf(open);
    for (const question of questions) this.#refuse(question, unclear(question.method), calls);
  }

  /** `calls` is for the operator only. */
  #refuse(question: AskedQuestion, error: RpcError, calls = ''): undefined {
    this.#held.delete(question);
    this.#tools.refused++;
    this.warn('question-refused', `The server sent ${question.method}, which was refused: ${error.message}${calls}`);
    question.refuse(error);
  }

  /** Ends questions whose client gave up the last request that they may belong to. */
  #endQuestionsOf(request: OwnerRequest): void {
    for (const question of this.#routed) {
      if (question.client !== request.client || !request.asked) continue;
      const { open } = this.#owners.before(question.beforeId);
      if (!open.some(({ client }) => client === request.client)) question.ended.abort(givenUp(question.method));
    }
  }

  #waitsForAnswer(request: GatedRequest): boolean {
    for (const { options } of this.#peer.requests) {
      if (options instanceof GatedRequest && options !== request && options.client === request.client) return false;
    }
    return [...this.#routed].some(({ client }) => client === request.client);
  }

  /** Delays the cancellation: a cancelled request is not answered and would stay a possible owner of questions for a long time. */
  #cancelLater(requestId: number, request: GatedRequest): void {
    request.cancellable = false;
    const params = { requestId, reason: 'given up by its client' };
    this.#abandoned.unlessAnswered(requestId, () => {
      this.#peer.notify('notifications/cancelled', params).catch(() => undefined); // the connection has ended
    });
  }

  #mayStart(request: GatedRequest): boolean {
    if (this.#abandoned.hasBeside(request)) return false;
    for (const { options } of this.#peer.requests) {
      if (!(options instanceof GatedRequest) || !options.asks || options.client === request.client) continue;
      if (options.principal === request.principal) return false;
    }
    return true;
  }

  /** A client may need another call to answer a question. It is sent ahead of others if one of the client's own calls is pending. */
  #mayNest(request: GatedRequest): boolean {
    if (![...this.#routed].some(({ identity }) => identity === request.identity)) return false;
    for (const { options } of this.#peer.requests) {
      if (!(options instanceof GatedRequest) || !options.asks || options.principal !== request.principal) continue;
      if (options.identity !== request.identity) return false;
      if (!options.nested) request.nested = true;
    }
    return request.nested;
  }

  /** Returns Infinity unless another request of the principal waits. */
  #answerDueMs({ routedMs, principal }: AskedQuestion): number {
    return Math.max(routedMs, this.#waiting.sinceMs(principal)) + ANSWER_MS;
  }

  #arm(): void {
    this.#timer?.cancel();
    let dueMs = this.#held.size === 0 && this.#waiting.size > 0 ? this.#abandoned.nextMs : Number.POSITIVE_INFINITY;
    for (const { askedMs } of this.#held) {
      dueMs = Math.min(dueMs, askedMs + (askedMs + TIE_MS > this.#decidedMs ? TIE_MS : HELD_MS));
    }
    if (this.#waiting.size > 0) {
      for (const question of this.#routed) {
        if (!question.ended.signal.aborted) dueMs = Math.min(dueMs, this.#answerDueMs(question));
      }
    }
    const waitMs = Math.max(0, dueMs - this.clock.nowMs());
    if (waitMs !== Number.POSITIVE_INFINITY) this.#timer = this.clock.after(waitMs, () => this.#advance());
  }
}
