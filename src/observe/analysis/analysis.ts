// Interprets the events of one store, for MCP and LiteMCP: frames, requests, processes, clients and problems. Each event is passed in
// once, in order. Memory is bounded, whatever a peer sends.

import { type FlowEvent, type FrameEvent, isOfClient } from '../flow/event.ts';
import { Clients } from './clients.ts';
import { Descriptions, type FrameDescription, type MessageDescription } from './describe-frame.ts';
import { type Exchange, isFailure, type Origin } from './exchange.ts';
import { Exchanges } from './exchanges.ts';
import { HttpExchanges } from './http-problems.ts';
import type { Latency } from './latency.ts';
import { Lives } from './lives.ts';
import { isRefusal, type Problem, Problems } from './problems.ts';
import { RecordedLists } from './recorded-lists.ts';
import { type Task, Tasks } from './tasks.ts';

export interface AnalysisChange {
  /** Requests that were answered, cancelled or lost, and the first messages of tasks that changed, by sequence number. */
  updated: Set<number>;
  tasks: ReadonlySet<Task>;
  servers: boolean;
  clients: boolean;
  problems: boolean;
}

const MOST_EXCHANGES = 150_000;
const MOST_VIOLATIONS = 10_000;
/** An answer may still be in the pipe for this long after the process has exited. */
const LATE_ANSWER_MS = 100;
/** Requests that stay pending by design. */
const staysOpen = new Set(['subscriptions/listen']);

const ID_AS_TEXT =
  'The id of a response is a string, but the id of its request is a number ("1" instead of 1). Most clients cannot match such a response. Copy the id with its type.';

export class Analysis {
  readonly lives = new Lives();
  readonly clients = new Clients();
  readonly http = new HttpExchanges();
  readonly tasks = new Tasks();
  readonly lists = new RecordedLists();
  readonly #descriptions = new Descriptions();
  readonly describe = (frame: FrameEvent): FrameDescription => this.#descriptions.of(frame);
  readonly #exchanges: Exchanges;
  readonly #problems = new Problems(this.describe);
  readonly #violations = new Set<number>();
  #unanswered: { exchange: Exchange; sinceMs: number }[] = [];
  #change = noChange();

  /** `originOf`: which requests the watching program has caused. */
  constructor(originOf?: (exchange: Exchange) => Origin | undefined) {
    this.#exchanges = new Exchanges({ maxExchanges: MOST_EXCHANGES, describe: this.describe, originOf });
  }

  get problems(): Problem[] {
    return this.#problems.list();
  }

  get latency(): Latency {
    return this.#exchanges.latency;
  }

  /** The exchanges in which this event is the request, the answer, the cancellation or the newest progress. */
  exchangesOf(seq: number): readonly Exchange[] {
    return this.#exchanges.forSeq(seq);
  }

  see(event: FlowEvent, nowMs: number): void {
    if (isOfClient(event)) this.#seeClient(event);
    else if (this.lives.see(event)) this.#change.servers = true;
    this.http.see(event);
    if (this.#problems.see(event)) this.#change.problems = true;
    const exchanges = this.#exchanges.see(event);
    for (const exchange of exchanges) this.#touched(exchange, event, nowMs);
    if (event.kind === 'frame') this.#seeTasks(event, exchanges);
    else if (event.kind === 'exit') this.tasks.processExited(event);
    // The gateway refused the body before it was read as a request.
    if (exchanges.length === 0 && isRefusal(event)) this.clients.failed(event.server);
  }

  #seeTasks(event: FrameEvent, exchanges: readonly Exchange[]): void {
    for (const message of this.describe(event).messages) {
      const exchange = exchangeOf(message, exchanges);
      if (message.task || message.tasks || exchange?.task) this.tasks.see(event, message, exchange);
    }
  }

  /** The task that the only message of a frame belongs to. */
  taskOf(event: FrameEvent): Task | undefined {
    const { messages } = this.describe(event);
    const [message] = messages;
    if (!message || messages.length > 1) return undefined;
    return this.tasks.of(event, message, exchangeOf(message, this.exchangesOf(event.seq)));
  }

  #seeClient(event: FlowEvent): void {
    const isIn = event.kind === 'frame' && event.direction === 'fromClient';
    const requests = isIn ? this.describe(event).messages.filter(({ kind }) => kind === 'request') : [];
    this.clients.see(event, requests.length, requests.filter(({ method }) => method?.startsWith('standpipe/')).length);
    this.#change.clients = true;
  }

  /** True while requests may still turn out to be unanswered: call `takeChange` again. */
  get isUnsettled(): boolean {
    return this.#unanswered.length > 0;
  }

  takeChange(nowMs: number): AnalysisChange {
    const due = this.#unanswered.filter(({ sinceMs }) => nowMs - sinceMs >= LATE_ANSWER_MS);
    if (due.length > 0) this.#unanswered = this.#unanswered.slice(due.length);
    for (const { exchange } of due) {
      if (exchange.outcome === 'lost') this.#noteProblem('unanswered', exchange.server, exchange.requestSeq);
    }
    const tasks = this.tasks.takeChanged();
    const change = { ...this.#change, tasks };
    for (const { headSeq } of tasks) if (headSeq !== undefined) change.updated.add(headSeq);
    this.#change = noChange();
    return change;
  }

  /** Counts a schema violation once per event. */
  noteViolation(
    event: FlowEvent,
    violation: string,
    kind: 'schema-violation' | 'output-violation' = 'schema-violation',
  ): void {
    if (this.#violations.has(event.seq) || this.#violations.size >= MOST_VIOLATIONS) return;
    this.#violations.add(event.seq);
    this.#noteProblem(kind, event.server, event.seq, violation);
  }

  #noteProblem(...problem: Parameters<Problems['note']>): void {
    this.#problems.note(...problem);
    this.#change.problems = true;
  }

  #touched(exchange: Exchange, event: FlowEvent, nowMs: number): void {
    const { requestSeq, answerSeq, cancelSeq, direction, method } = exchange;
    if (event.kind === 'exit' || event.kind === 'client' || event.kind === 'remote' || event.kind === 'http') {
      this.#change.updated.add(requestSeq);
      if (event.kind === 'exit' && method === 'server/discover') this.lives.probed(exchange);
      // HTTP failures are reported as their own problem. A connection closed by this side is not a problem.
      const isExplained = event.kind === 'http' || (event.kind === 'remote' && event.reason === undefined);
      if (isExplained || direction !== 'toServer' || staysOpen.has(method)) return;
      this.#unanswered.push({ exchange, sinceMs: nowMs });
      return;
    }
    if (event.seq === answerSeq || event.seq === cancelSeq) this.#change.updated.add(requestSeq);
    if (event.seq !== answerSeq) return;
    if (direction === 'toServer') {
      this.lives.answered(exchange);
      this.lists.answered(exchange);
    }
    if (direction === 'fromClient' && isFailure(exchange)) this.clients.failed(exchange.server);
    if (this.#hasIdAsText(event, exchange)) this.noteViolation(event, ID_AS_TEXT);
  }

  #hasIdAsText(event: FlowEvent, { id }: Exchange): boolean {
    if (event.kind !== 'frame' || typeof id !== 'number') return false;
    return this.describe(event).messages.some((message) => message.id === String(id));
  }
}

/**
 * Finds the request that a message starts, answers or cancels. Progress is left out, because only its newest message is
 * known.
 */
function exchangeOf(message: MessageDescription, exchanges: readonly Exchange[]): Exchange | undefined {
  const { kind, cancels, id = cancels } = message;
  if (kind === 'notification' && cancels === undefined) return undefined;
  return exchanges.length < 2 ? exchanges[0] : exchanges.find((exchange) => exchange.id === id);
}

function noChange(): Omit<AnalysisChange, 'tasks'> {
  return { updated: new Set(), servers: false, clients: false, problems: false };
}
