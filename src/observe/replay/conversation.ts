// The conversation with one server, as exchanges: requests of the host with everything that happened until they were answered. Messages
// stay in the file: an exchange has the places of their lines, so that a recording of any size fits into memory.

import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { methodsOfMcp, questionMethods } from '../../mcp/methods.ts';
import type { Params } from '../../mcp/service.ts';
import type { RequestId } from '../../wire/jsonrpc/message.ts';
import { MOST_IN_A_BATCH } from '../../wire/jsonrpc/parse.ts';
import { describeFrame, isLiteMessage } from '../analysis/describe-frame.ts';
import { keepNewest } from '../analysis/exchange.ts';
import { isHttpFailure } from '../analysis/http-failure.ts';
import type { FlowEvent, FlowStamp, FrameEvent, HttpFact } from '../flow/event.ts';
import type { LinePlace } from '../record/reader.ts';
import {
  comparable,
  type Happening,
  type MessagePlace,
  type RecordedExchange,
  type RecordedExit,
  requestKey,
  roundOf,
  targetOf,
} from './recorded-exchange.ts';
import { factsIn, type RecordedFacts } from './recorded-facts.ts';
import { RecordedWire, type SentRequest } from './recorded-wire.ts';

/** How the conversation began: with the facts about the server, with an error, or with the end of its process. */
export type Opening =
  | { readonly facts: RecordedFacts }
  | { readonly refusal: MessagePlace }
  | { readonly exit: RecordedExit | undefined };

/** A handshake with its answer. */
export interface RecordedHandshake {
  readonly method: string;
  readonly request: MessagePlace;
  readonly answer: MessagePlace;
}

/** Limit of the process runs whose requests can still be answered. */
const MOST_WIRES = 1000;
const MOST_HANDSHAKES = 10_000;
/** Limit of the exchanges and events in memory: about 300 MB. */
const MOST_ITEMS = 1_000_000;
/** How clients and systems end a server. Any other signal is a crash. */
const STOP_SIGNALS: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']);

export class Conversation {
  readonly exchanges: RecordedExchange[] = [];
  /** Events before the end of the first exchange that belong to no exchange. */
  readonly before: Happening[] = [];
  /** The end of each task, by its id: the message that has its result or error. */
  readonly taskEnds = new Map<string, MessagePlace>();
  /** The answered handshakes of the first wires, by the number of the wire. */
  readonly handshakes = new Map<number, RecordedHandshake>();
  /** The first answer to the question `roots/list`. */
  roots: MessagePlace | undefined;
  opening: Opening | undefined;
  /** The exit of the last process, if it was not stopped. */
  lastExit: RecordedExit | undefined;
  readonly #mostItems: number;
  readonly #byKey = new Map<string, RecordedExchange | RecordedExchange[]>();
  readonly #wires = new Map<string, RecordedWire>();
  #wireCount = 0;
  #items = 0;
  #hasLiteMessages = false;
  #lastEnded: RecordedExchange | undefined;

  constructor(mostItems = MOST_ITEMS) {
    this.#mostItems = mostItems;
  }

  get facts(): RecordedFacts | undefined {
    return this.opening && 'facts' in this.opening ? this.opening.facts : undefined;
  }

  /** Whether the client of the server used MCP. */
  get isUsed(): boolean {
    return this.exchanges.length > 0 || this.opening !== undefined;
  }

  get isLiteMcp(): boolean {
    return this.#hasLiteMessages && !this.isUsed;
  }

  /** The exchanges with this key, in the recorded order. */
  withKey(key: string): readonly RecordedExchange[] {
    const found = this.#byKey.get(key);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  }

  see(event: FlowEvent, place: LinePlace, run: string): void {
    const wire = this.#wireOf(`${event.life} ${run}`);
    switch (event.kind) {
      case 'frame':
        return this.#frame(event, place, wire);
      case 'fault':
        if (event.direction === 'fromServer' && event.code === 'FRAME_TOO_LONG') this.#cut(event, wire);
        return;
      case 'stderr':
        return this.#happened(wire.newest, { kind: 'stderr', place, atMs: event.atMs });
      case 'signal':
        wire.isStopped = true;
        return;
      case 'exit':
        return this.#exited(wire, event.atMs, { exitCode: event.exitCode, signal: event.signal });
      case 'remote':
        if (event.state === 'disconnected' && event.reason !== undefined) this.#lost(wire, event.atMs, undefined);
        return;
      case 'http':
        return this.#http(event, wire);
    }
  }

  #wireOf(key: string): RecordedWire {
    let wire = this.#wires.get(key);
    if (!wire) {
      wire = new RecordedWire(this.#wireCount++);
      this.#wires.set(key, wire);
      keepNewest(this.#wires, MOST_WIRES);
      this.lastExit = undefined;
    }
    return wire;
  }

  #exited(wire: RecordedWire, atMs: number, exit: RecordedExit): void {
    this.lastExit = wire.isStopped || STOP_SIGNALS.has(exit.signal) ? undefined : exit;
    if (!wire.isStopped) this.#lost(wire, atMs, exit);
  }

  /** Output that is still in the pipe may follow. */
  #lost(wire: RecordedWire, atMs: number, exit: RecordedExit | undefined): void {
    if (wire.isOver) return;
    wire.isOver = true;
    for (const { exchange } of wire.requests.all()) {
      if (!exchange) {
        if (!this.facts) this.opening = { exit };
      } else if (exchange.outcome === 'pending') {
        exchange.outcome = 'lost';
        exchange.endMs = atMs;
        if (exit) exchange.exit = exit;
      }
    }
  }

  /** A failed HTTP request ends its message, unless an answer still arrives. */
  #http(event: FlowStamp & HttpFact, wire: RecordedWire): void {
    const { status, end, exchange: number, repeats = number } = event;
    const exchange = wire.requests.withHttp(repeats)?.exchange;
    if (exchange?.outcome !== 'pending') return;
    if (end === 'aborted') exchange.outcome = 'cancelled';
    else if (!isHttpFailure(event)) return;
    else if (status === undefined || end === 'cut') exchange.outcome = 'lost';
    else {
      exchange.outcome = 'refused';
      exchange.status = status;
    }
    exchange.endMs = event.atMs;
  }

  #frame(event: FrameEvent, line: LinePlace, wire: RecordedWire): void {
    if (event.cut) return this.#cut(event, wire);
    const parsed = parse(decodeText(event.payload));
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    if (messages.length > MOST_IN_A_BATCH) return; // transports refuse such a batch
    if (!messages.some(isObject)) {
      if (event.direction === 'fromServer')
        this.#happened(wire.newest, { kind: 'noise', place: line, atMs: event.atMs });
      return;
    }
    if (isLiteMessage(messages[0])) this.#hasLiteMessages = true;
    for (const [part, message] of messages.entries()) {
      if (!isObject(message)) continue;
      const place = messages.length > 1 ? { ...line, part } : line;
      if (event.direction === 'toServer') this.#toServer(message, place, event, wire);
      else this.#fromServer(message, place, event, wire);
    }
  }

  /** Only the two ends of the message are in the file. */
  #cut(event: FlowEvent & { kind: 'frame' | 'fault' }, wire: RecordedWire): void {
    const frame =
      event.kind === 'frame' ? event : ({ ...event, kind: 'frame', cut: true, payload: event.prefix } as FrameEvent);
    const [message] = describeFrame(frame).messages;
    if (message?.id === undefined) return;
    const { id, method, tool } = message;
    if (event.direction === 'toServer' && method !== undefined) {
      const sent = { id, progressToken: undefined, http: frame.http?.exchange };
      this.#begin({ method, params: { name: tool }, frame, isCut: true }, undefined, sent, wire);
    } else if (event.direction === 'fromServer') {
      const sent = wire.requests.answered(id, frame.http?.exchange);
      if (!sent?.exchange) return;
      sent.exchange.outcome = 'cut';
      this.#ended(wire, sent, event.atMs);
    }
  }

  #toServer(message: JsonObject, place: MessagePlace, frame: FrameEvent, wire: RecordedWire): void {
    const { method, id } = message;
    if (typeof method !== 'string') return this.#repliedTo(id, place, wire);
    const params = isObject(message.params) ? message.params : {};
    if (method === 'notifications/cancelled') return this.#cancelled(wire, params.requestId, frame.atMs);
    if (!isId(id) || isNestedTooDeeply(params)) return;
    const { isOfConnection, isHandshake } = methodsOfMcp.get(method) ?? {};
    const token = metaOf(params)?.progressToken;
    const sent = { id, progressToken: isId(token) ? token : undefined, http: frame.http?.exchange };
    if (isHandshake) wire.requests.add({ ...sent, handshake: method, place });
    if (isOfConnection) return;
    const asked = this.#askedBy(method, params, wire);
    if (asked) {
      wire.requests.add({ ...sent, exchange: asked });
      const round = asked.during?.findLast(({ kind }) => kind === 'round');
      if (round) round.answer ??= place;
    } else this.#begin({ method, params, frame }, place, sent, wire);
  }

  /** The client answered a question of the server. */
  #repliedTo(id: unknown, place: MessagePlace, wire: RecordedWire): void {
    const question = isId(id) ? wire.answers(id) : undefined;
    if (!question) return;
    question.answer = place;
    if (question.isRoots) this.roots ??= place;
  }

  /** The exchange whose questions the parameters answer. */
  #askedBy(method: string, params: Params, wire: RecordedWire): RecordedExchange | undefined {
    if (params.requestState === undefined && params.inputResponses === undefined) return undefined;
    const round = roundOf(params.requestState, requestKey(method, comparable(params)));
    const asked = wire.asked.get(round);
    wire.asked.delete(round);
    return asked;
  }

  #begin(
    { method, params, frame, isCut }: { method: string; params: Params; frame: FrameEvent; isCut?: true },
    place: MessagePlace | undefined,
    sent: SentRequest,
    wire: RecordedWire,
  ): void {
    this.#count();
    const compared = comparable(params);
    const key = isCut ? `${method} cut` : requestKey(method, compared);
    const exchange: RecordedExchange = {
      index: this.exchanges.length,
      wire: wire.number,
      key,
      method,
      target: targetOf(method, compared),
      request: place,
      isMasked: frame.redacted === true,
      startMs: frame.atMs,
      outcome: isCut ? 'cut' : 'pending',
    };
    this.exchanges.push(exchange);
    const same = this.#byKey.get(key);
    if (Array.isArray(same)) same.push(exchange);
    else this.#byKey.set(key, same ? [same, exchange] : exchange);
    wire.begin(exchange);
    wire.requests.add({ ...sent, exchange });
  }

  #cancelled(wire: RecordedWire, id: unknown, atMs: number): void {
    const exchange = isId(id) ? wire.requests.withId(id)?.exchange : undefined;
    if (exchange?.outcome !== 'pending') return;
    exchange.outcome = 'cancelled';
    exchange.endMs = atMs;
  }

  #fromServer(message: JsonObject, place: MessagePlace, frame: FrameEvent, wire: RecordedWire): void {
    const { method, id } = message;
    const { atMs, http } = frame;
    if (typeof method === 'string') {
      const params = isObject(message.params) ? message.params : {};
      if (id === undefined) return this.#notified(method, params, place, frame, wire);
      if (!questionMethods.includes(method)) return;
      const asking = this.#posted(frame, wire) ?? wire.newestThatMayAsk ?? wire.newest;
      const question: Happening = { kind: 'question', place, atMs, ...(method === 'roots/list' && { isRoots: true }) };
      if (isId(id)) wire.asks(id, question);
      return this.#happened(asking, question);
    }
    const sent = isId(id) ? wire.requests.answered(id, http?.exchange) : undefined;
    if (!sent) return;
    if (sent.exchange) this.#answered(wire, sent, message, place, atMs);
    else {
      wire.requests.forget(sent);
      this.#opened(sent, message, place, wire);
    }
  }

  /** The pending exchange whose HTTP request carried the message. */
  #posted({ http }: FrameEvent, wire: RecordedWire): RecordedExchange | undefined {
    const exchange = http && wire.requests.withHttp(http.exchange)?.exchange;
    return exchange?.outcome === 'pending' ? exchange : undefined;
  }

  #notified(method: string, params: Params, place: MessagePlace, frame: FrameEvent, wire: RecordedWire): void {
    const { atMs, http } = frame;
    if (method === 'notifications/progress') {
      const { progressToken } = params;
      const exchange = isId(progressToken) ? wire.requests.withToken(progressToken)?.exchange : undefined;
      if (exchange?.outcome === 'pending') this.#happened(exchange, { kind: 'progress', place, atMs });
    } else if (method === 'notifications/message') {
      this.#happened(http ? this.#posted(frame, wire) : wire.newest, { kind: 'log', place, atMs });
    } else if (passes(method)) {
      this.#happened(undefined, { kind: 'notification', place, atMs });
      if (method.startsWith('notifications/tasks') && typeof params.taskId === 'string' && hasOutcome(params)) {
        this.taskEnds.set(params.taskId, place);
      }
    }
  }

  #answered(wire: RecordedWire, sent: SentRequest, message: JsonObject, place: MessagePlace, atMs: number): void {
    const exchange = sent.exchange!;
    const { result } = message;
    if (isObject(result) && result.resultType === 'input_required') {
      this.#happened(exchange, { kind: 'round', place, atMs });
      wire.requests.forget(sent);
      wire.asked.set(roundOf(result.requestState, exchange.key), exchange);
      return;
    }
    if (exchange.outcome !== 'cut') {
      exchange.outcome = 'answered';
      exchange.answer = place;
    }
    this.#ended(wire, sent, atMs);
    this.#task(exchange, result, place);
  }

  /** Remembers how tasks end, for clients that get the result of their call instead of a task. */
  #task(exchange: RecordedExchange, result: unknown, place: MessagePlace): void {
    const { method, target } = exchange;
    if (method === 'tools/call' && isObject(result)) {
      const task = result.resultType === 'task' ? result : isObject(result.task) ? result.task : undefined;
      if (typeof task?.taskId === 'string') exchange.taskId = task.taskId;
    } else if (target !== undefined && method.startsWith('tasks/')) {
      if (method === 'tasks/result' || (isObject(result) && hasOutcome(result))) this.taskEnds.set(target, place);
    }
  }

  #ended(wire: RecordedWire, sent: SentRequest, atMs: number): void {
    wire.requests.forget(sent);
    sent.exchange!.endMs = atMs;
    this.#lastEnded = sent.exchange;
  }

  #happened(exchange: RecordedExchange | undefined, happening: Happening): void {
    this.#count();
    const before = exchange ? exchange.during : this.#lastEnded ? this.#lastEnded.after : this.before;
    if (before) before.push(happening);
    else if (exchange) exchange.during = [happening];
    else this.#lastEnded!.after = [happening];
  }

  #count(): void {
    if (++this.#items <= this.#mostItems) return;
    const most = this.#mostItems.toLocaleString('en');
    throw new UsageError('RECORDING_UNUSABLE', `The recording has more than ${most} requests and notifications`, {
      hint: 'Use a part of it: its lines are independent, and each line names its run.',
    });
  }

  /** The first complete handshake counts. */
  #opened(sent: SentRequest, { result }: JsonObject, answer: MessagePlace, { number }: RecordedWire): void {
    const method = sent.handshake!;
    const isNew = !this.handshakes.has(number) && this.handshakes.size < MOST_HANDSHAKES;
    if (isObject(result) && sent.place && isNew) this.handshakes.set(number, { method, request: sent.place, answer });
    if (this.facts) return;
    this.opening = isObject(result) ? { facts: factsIn(method, result) } : { refusal: answer };
  }
}

/** Undefined for output that is not a message. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

function hasOutcome(task: Params): boolean {
  return isObject(task.result) || isObject(task.error);
}

/** Whether a notification of a server concerns more than a single connection or request. */
function passes(method: string): boolean {
  return method !== 'notifications/cancelled' && method !== 'notifications/subscriptions/acknowledged';
}
