// Pairs requests with what became of them, event by event, for every server, life and direction. Ids keep their type;
// the two directions count their ids apart. Bounded: the oldest exchanges are forgotten, whether they are over or not.
// Reads every frame, so it belongs where somebody looks and not on the path of the traffic.

import type { RequestId } from '../jsonrpc/message.ts';
import { traceMessage } from '../jsonrpc/recover-id.ts';
import { describeFrame, type MessageDescription } from './describe-frame.ts';
import type { FaultFact, FlowDirection, FlowEvent, FlowStamp, FrameEvent } from './event.ts';
import { type Exchange, latencyMs } from './exchange.ts';
import { lenientText } from './frame-text.ts';
import { LatencyTable } from './latency.ts';

export interface ExchangesOptions {
  /** The most exchanges to remember. */
  maxExchanges?: number;
}

/** The requests of one process that went one way: those without an answer, by id and by progress token. */
class OpenRequests {
  readonly byId = new Map<RequestId, Exchange>();
  readonly byToken = new Map<RequestId, Exchange>();

  add(exchange: Exchange): void {
    this.byId.set(exchange.id, exchange);
    if (exchange.progressToken !== undefined) this.byToken.set(exchange.progressToken, exchange);
  }

  /** Unless another request has taken its id since. */
  forget(exchange: Exchange): void {
    if (this.byId.get(exchange.id) === exchange) this.byId.delete(exchange.id);
    const { progressToken } = exchange;
    if (progressToken === undefined || this.byToken.get(progressToken) !== exchange) return;
    this.byToken.delete(progressToken);
  }
}

type FaultEvent = FlowStamp & FaultFact;
type Life = Record<FlowDirection, OpenRequests>;

export class Exchanges {
  readonly latency = new LatencyTable();
  readonly #maxExchanges: number;
  readonly #lives = new Map<string, Life>();
  /** Oldest first. */
  readonly #all = new Set<Exchange>();
  readonly #bySeq = new Map<number, Exchange[]>();
  #forgotten = 0;

  constructor({ maxExchanges = 20_000 }: ExchangesOptions = {}) {
    this.#maxExchanges = maxExchanges;
  }

  /** How many were forgotten to stay within the bound. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Oldest first. They change as answers come. */
  all(): Iterable<Exchange> {
    return this.#all;
  }

  /** What the event with that number belongs to: as request, answer, cancel or the newest progress. */
  forSeq(seq: number): readonly Exchange[] {
    return this.#bySeq.get(seq) ?? [];
  }

  see(event: FlowEvent): void {
    if (event.kind === 'frame') {
      for (const message of describeFrame(event).messages) this.#message(event, message);
    } else if (event.kind === 'fault') {
      this.#fault(event);
    } else if (event.kind === 'exit') {
      this.#lifeOver(event);
    } else if (event.kind === 'spawn') {
      this.#forgetLives(event.server, event.life);
    }
  }

  #message(event: FrameEvent, message: MessageDescription): void {
    const life = this.#life(event);
    const asked = life[event.direction];
    const answering = life[otherWay(event.direction)];
    if (message.kind === 'request') this.#request(asked, event, message);
    else if (message.kind === 'response' || message.isResponse) this.#answer(answering, event, message);
    else if (message.cancels !== undefined) this.#cancel(asked.byId.get(message.cancels), event);
    else if (message.progressToken !== undefined) this.#progress(answering.byToken.get(message.progressToken), event);
  }

  #request(open: OpenRequests, event: FrameEvent, message: MessageDescription): void {
    const exchange: Exchange = {
      server: event.server,
      life: event.life,
      direction: event.direction,
      id: message.id!,
      method: message.method!,
      tool: message.tool,
      progressToken: message.progressToken,
      requestSeq: event.seq,
      requestBytes: event.length,
      startMs: event.atMs,
      outcome: 'pending',
      progressCount: 0,
    };
    open.add(exchange);
    this.#all.add(exchange);
    this.#link(event.seq, exchange);
    if (this.#all.size > this.#maxExchanges) this.#forgetOldest();
  }

  #answer(open: OpenRequests, event: FrameEvent | FaultEvent, message: MessageDescription): void {
    const exchange = message.id === undefined ? undefined : open.byId.get(message.id);
    if (!exchange) return;
    open.forget(exchange);
    this.#link(event.seq, exchange);
    exchange.answerSeq = event.seq;
    exchange.answerBytes = event.length;
    if (exchange.outcome === 'cancelled') return; // too late to matter, but there it is
    exchange.endMs = event.atMs;
    exchange.error = message.error;
    exchange.outcome = message.error || message.kind === 'invalid' ? 'error' : message.toolError ? 'tool-error' : 'ok';
    this.latency.add(exchange, latencyMs(exchange)!, exchange.outcome !== 'ok');
  }

  /** An answer that was cut off or over the limit is the end of its request all the same. */
  #fault(event: FaultEvent): void {
    const { id, isResponse } = traceMessage(lenientText(event.prefix));
    if (isResponse) this.#answer(this.#life(event)[otherWay(event.direction)], event, { kind: 'invalid', id });
  }

  #cancel(exchange: Exchange | undefined, event: FrameEvent): void {
    if (exchange?.outcome !== 'pending') return;
    exchange.outcome = 'cancelled';
    exchange.endMs = event.atMs;
    exchange.cancelSeq = event.seq;
    this.#link(event.seq, exchange);
  }

  #progress(exchange: Exchange | undefined, event: FrameEvent): void {
    if (!exchange) return;
    this.#unlink(exchange.lastProgressSeq, exchange);
    exchange.progressCount++;
    exchange.lastProgressSeq = event.seq;
    this.#link(event.seq, exchange);
  }

  /** The open ones stay open: what the process wrote last may still be in the pipe. */
  #lifeOver(event: FlowEvent): void {
    const life = this.#life(event);
    for (const open of [life.toServer, life.fromServer]) {
      for (const exchange of open.byId.values()) {
        if (exchange.outcome !== 'pending') continue;
        exchange.outcome = 'lost';
        exchange.endMs = event.atMs;
      }
    }
  }

  /** When a new process runs, nothing more comes of those before the last one. */
  #forgetLives(server: string, life: number): void {
    this.#lives.delete(keyOf(server, life - 2));
  }

  #forgetOldest(): void {
    const [oldest] = this.#all;
    this.#all.delete(oldest!);
    this.#forgotten++;
    const { requestSeq, answerSeq, cancelSeq, lastProgressSeq } = oldest!;
    for (const seq of [requestSeq, answerSeq, cancelSeq, lastProgressSeq]) this.#unlink(seq, oldest!);
    this.#lives.get(keyOf(oldest!.server, oldest!.life))?.[oldest!.direction].forget(oldest!);
  }

  #life({ server, life }: FlowEvent): Life {
    const key = keyOf(server, life);
    let found = this.#lives.get(key);
    if (!found) {
      found = { toServer: new OpenRequests(), fromServer: new OpenRequests() };
      this.#lives.set(key, found);
    }
    return found;
  }

  #link(seq: number, exchange: Exchange): void {
    const linked = this.#bySeq.get(seq);
    if (linked) linked.push(exchange);
    else this.#bySeq.set(seq, [exchange]);
  }

  /** The messages of a batch share a number. */
  #unlink(seq: number | undefined, exchange: Exchange): void {
    const others = seq === undefined ? undefined : this.#bySeq.get(seq)?.filter((other) => other !== exchange);
    if (others?.length) this.#bySeq.set(seq!, others);
    else if (others) this.#bySeq.delete(seq!);
  }
}

function keyOf(server: string, life: number): string {
  return `${life} ${server}`;
}

function otherWay(direction: FlowDirection): FlowDirection {
  return direction === 'toServer' ? 'fromServer' : 'toServer';
}
