// Pairs requests with their outcomes, event by event, for every server, client, process run and direction, in MCP and LiteMCP. Ids
// keep their type. Bounded in number and in bytes: the oldest exchanges are forgotten, even if pending. Reads every frame, so it must
// not run on the hot path.

import { decodeText } from '../../base/decode-text.ts';
import { mayAsk, questionMethods } from '../../mcp/methods.ts';
import type { RequestId } from '../../wire/jsonrpc/message.ts';
import { traceMessage } from '../../wire/jsonrpc/recover-id.ts';
import type { FaultFact, FlowEvent, FlowStamp, FrameEvent, HttpFact } from '../flow/event.ts';
import { describeFrame, type FrameDescription, type MessageDescription } from './describe-frame.ts';
import {
  addQuestion,
  type Exchange,
  isFailure,
  type Origin,
  otherWay,
  waitsForAnEnd,
  weightOf,
  workMs,
} from './exchange.ts';
import { isHttpFailure } from './http-failure.ts';
import { Latency } from './latency.ts';
import { Links } from './links.ts';
import { OpenRequests } from './open-requests.ts';

export interface ExchangesOptions {
  maxExchanges?: number;
  /** Approximate limit of the exchanges' memory: methods, ids and errors can be long. */
  maxBytes?: number;
  describe?: (frame: FrameEvent) => FrameDescription;
  /** Whether the watching program caused the request. Asked when the request is seen, and again when it is answered. */
  originOf?: ((exchange: Exchange) => Origin | undefined) | undefined;
}

type FaultEvent = FlowStamp & FaultFact;

export class Exchanges {
  readonly latency = new Latency();
  readonly #maxExchanges: number;
  readonly #maxBytes: number;
  readonly #describe: (frame: FrameEvent) => FrameDescription;
  readonly #originOf: ExchangesOptions['originOf'];
  readonly #open = new OpenRequests();
  /** All exchanges, oldest first. Entries before `#first` were forgotten. */
  #all: (Exchange | undefined)[] = [];
  #first = 0;
  readonly #bySeq = new ExchangesBySeq();
  readonly #links = new Links();
  #heldBytes = 0;
  #forgotten = 0;

  constructor(options: ExchangesOptions = {}) {
    const { maxExchanges = 20_000, maxBytes = 64 * 1024 * 1024, describe = describeFrame, originOf } = options;
    this.#originOf = originOf;
    this.#maxExchanges = maxExchanges;
    this.#maxBytes = maxBytes;
    this.#describe = describe;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  get size(): number {
    return this.#all.length - this.#first;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The number of process runs with pending requests. */
  get lives(): number {
    return this.#open.lives;
  }

  /** Returns all exchanges, oldest first. The objects change when responses arrive. */
  all(): Iterable<Exchange> {
    return this.#all.slice(this.#first) as Exchange[];
  }

  forSeq(seq: number): readonly Exchange[] {
    return this.#bySeq.get(seq);
  }

  /** Returns the exchanges that the event belongs to. For the end of a process or client, these are the requests left unanswered. */
  see(event: FlowEvent): readonly Exchange[] {
    switch (event.kind) {
      case 'frame':
        for (const message of this.#describe(event).messages) this.#message(event, message);
        return this.forSeq(event.seq);
      case 'fault':
        this.#fault(event);
        return this.forSeq(event.seq);
      case 'exit':
        return this.#lifeOver(event);
      case 'client':
        return event.state === 'closed' ? this.#lifeOver(event) : [];
      case 'remote':
        if (event.state === 'connected') this.#open.dropIfOver({ server: event.server, life: event.life - 2 });
        return event.state === 'disconnected' ? this.#lifeOver(event) : [];
      case 'http':
        return this.#http(event);
      case 'hop': {
        const asked = this.#open.byId(event, 'toServer', event.id);
        if (asked) asked.hop = event;
        return [];
      }
      case 'link': {
        const cause = this.#open.byId(event, 'fromClient', event.request);
        const wire = { server: event.wire, life: event.wireLife };
        if (cause) this.#links.add(cause, this.#open.byId(wire, event.direction, event.id), event);
        return [];
      }
      case 'spawn':
        // A process that ended before the previous one started sends nothing more.
        this.#open.dropIfOver({ server: event.server, life: event.life - 2 });
    }
    return [];
  }

  #message(event: FrameEvent, message: MessageDescription): void {
    const { direction } = event;
    const { id, cancels, progressToken } = message;
    if (message.kind === 'request' && id !== undefined) this.#request(event, message, id);
    else if (message.kind === 'response' || message.isResponse) this.#answer(event, message);
    else if (cancels !== undefined) this.#cancel(this.#open.byId(event, direction, cancels), event);
    else if (progressToken !== undefined) {
      this.#progress(this.#open.byToken(event, otherWay[direction], progressToken), event);
    }
  }

  #request(event: FrameEvent, message: MessageDescription, id: RequestId): void {
    const exchange: Exchange = {
      server: event.server,
      life: event.life,
      direction: event.direction,
      id,
      method: message.method ?? '',
      tool: message.tool,
      progressToken: message.progressToken,
      http: event.http?.exchange,
      requestSeq: event.seq,
      requestBytes: event.length,
      startMs: event.atMs,
      outcome: 'pending',
      progressCount: 0,
    };
    this.#open.add(exchange);
    this.#all.push(exchange);
    this.#bySeq.link(event.seq, exchange);
    this.#heldBytes += weightOf(exchange);
    this.#links.came(exchange);
    this.#noteOrigin(exchange);
    this.#forgetWhatIsTooMuch();
  }

  #answer(event: FrameEvent | FaultEvent, message: MessageDescription): void {
    const { id } = message;
    const exchange = id === undefined ? undefined : this.#asked(event, id);
    if (!exchange) return;
    this.#open.forget(exchange);
    this.#bySeq.link(event.seq, exchange);
    exchange.answerSeq = event.seq;
    exchange.answerBytes = event.length;
    if (exchange.outcome === 'cancelled') return; // a late answer does not change the outcome
    exchange.endMs = event.atMs;
    this.#setError(exchange, message.error);
    exchange.outcome = message.error || message.kind === 'invalid' ? 'error' : message.toolError ? 'tool-error' : 'ok';
    if (!waitsForAnEnd.has(exchange.method)) {
      this.#noteOrigin(exchange);
      this.latency.add(exchange, event.atMs, workMs(exchange)!, isFailure(exchange));
    }
    if (questionMethods.includes(exchange.method)) this.#answered(exchange);
    this.#forgetWhatIsTooMuch();
  }

  /** The requests that may have caused the question were not worked on while it was pending. */
  #answered(question: Exchange): void {
    for (const exchange of this.#open.of(question)) {
      if (exchange.direction === question.direction || exchange.startMs > question.startMs) continue;
      if (!mayAsk(exchange.method)) continue;
      addQuestion(exchange, question);
      for (const cause of exchange.causes ?? []) addQuestion(cause, question);
    }
  }

  #noteOrigin(exchange: Exchange): void {
    const origin = this.#originOf?.(exchange);
    if (origin) exchange.origin = origin;
    else delete exchange.origin;
  }

  #asked(event: FrameEvent | FaultEvent, id: RequestId): Exchange | undefined {
    const http = event.kind === 'frame' && event.direction === 'fromServer' ? event.http?.exchange : undefined;
    return this.#open.answered(event, event.direction, id, http);
  }

  #setError(exchange: Exchange, error: Exchange['error']): void {
    this.#heldBytes -= weightOf(exchange);
    exchange.error = error;
    this.#heldBytes += weightOf(exchange);
  }

  /** A response that was cut off or over the limit still ends its request. */
  #fault(event: FaultEvent): void {
    const { id, isResponse } = traceMessage(decodeText(event.prefix));
    if (isResponse) this.#answer(event, { kind: 'invalid', id });
  }

  #cancel(exchange: Exchange | undefined, event: FrameEvent): void {
    if (exchange?.outcome !== 'pending') return;
    exchange.outcome = 'cancelled';
    exchange.endMs = event.atMs;
    exchange.cancelSeq = event.seq;
    this.#bySeq.link(event.seq, exchange);
  }

  #progress(exchange: Exchange | undefined, event: FrameEvent): void {
    if (!exchange) return;
    if (exchange.lastProgressSeq !== undefined) this.#bySeq.unlink(exchange.lastProgressSeq, exchange);
    exchange.progressCount++;
    exchange.lastProgressSeq = event.seq;
    this.#bySeq.link(event.seq, exchange);
  }

  /** Keeps the pending requests in `#open`: the last output of the process may still be in the pipe. */
  #lifeOver(event: FlowEvent): Exchange[] {
    this.#open.over(event);
    const pending = [...this.#open.of(event)].filter(({ outcome }) => outcome === 'pending');
    for (const exchange of pending) {
      // A client that disconnects cancels its requests.
      exchange.outcome = exchange.direction === 'fromClient' ? 'cancelled' : 'lost';
      exchange.endMs = event.atMs;
    }
    return pending;
  }

  /** A failed HTTP request ends its message, unless a response still arrives in the body or through another HTTP request. */
  #http(event: FlowStamp & HttpFact): Exchange[] {
    const { status, end, exchange: number, repeats = number } = event;
    const exchange = this.#open.byHttp(event, repeats);
    if (exchange?.outcome !== 'pending') return [];
    if (end === 'aborted') exchange.outcome = 'cancelled';
    else if (!isHttpFailure(event)) return [];
    else if (status === undefined || end === 'cut') exchange.outcome = 'lost';
    else {
      exchange.outcome = 'error';
      this.#setError(exchange, { code: status, message: `HTTP ${status}` });
    }
    exchange.endMs = event.atMs;
    return [exchange];
  }

  /** Always keeps the newest exchange. */
  #forgetWhatIsTooMuch(): void {
    while ((this.size > this.#maxExchanges || this.#heldBytes > this.#maxBytes) && this.size > 1) this.#forgetOldest();
    if (this.#first < 1024 || this.#first * 2 < this.#all.length) return;
    this.#all = this.#all.slice(this.#first);
    this.#first = 0;
  }

  #forgetOldest(): void {
    const oldest = this.#all[this.#first]!;
    this.#all[this.#first++] = undefined;
    this.#forgotten++;
    this.#heldBytes -= weightOf(oldest);
    const { requestSeq, answerSeq, cancelSeq, lastProgressSeq } = oldest;
    for (const seq of [requestSeq, answerSeq, cancelSeq, lastProgressSeq]) {
      if (seq !== undefined) this.#bySeq.unlink(seq, oldest);
    }
    this.#open.forget(oldest);
    this.#links.forget(oldest);
  }
}

/**
 * Finds the exchanges of an event by its sequence number. Mostly one. The messages of a batch share a number; a Set
 * makes removing one of thousands cheap.
 */
export class ExchangesBySeq {
  readonly #bySeq = new Map<number, Exchange | Set<Exchange>>();

  get(seq: number): readonly Exchange[] {
    const linked = this.#bySeq.get(seq);
    if (linked === undefined) return [];
    return linked instanceof Set ? [...linked] : [linked];
  }

  link(seq: number, exchange: Exchange): void {
    const linked = this.#bySeq.get(seq);
    if (linked === undefined) this.#bySeq.set(seq, exchange);
    else if (linked instanceof Set) linked.add(exchange);
    else if (linked !== exchange) this.#bySeq.set(seq, new Set([linked, exchange]));
  }

  unlink(seq: number, exchange: Exchange): void {
    const linked = this.#bySeq.get(seq);
    if (linked === exchange) this.#bySeq.delete(seq);
    if (linked instanceof Set && linked.delete(exchange) && linked.size === 0) this.#bySeq.delete(seq);
  }
}
