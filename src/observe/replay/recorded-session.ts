// The conversation with one server in a recording, as exchanges: requests of the host with everything that happened until they were
// answered. Messages stay in the file: an exchange holds the places of their lines, so that a recording of any size fits into memory.
// Exchanges can be used while the rest of the file is still being read.

import { decodeText } from '../../base/decode-text.ts';
import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { Params, Result, ServiceFacts } from '../../mcp/service.ts';
import { type FlowEvent, type FrameEvent, isOfClient } from '../flow/event.ts';
import { type LinePlace, readRecordings } from '../record/reader.ts';
import { noServer, severalServers, unknownServer } from '../record/unusable-recording.ts';
import { MessageFile } from './message-file.ts';
import {
  type Happening,
  type MessagePlace,
  type RecordedExchange,
  type RecordedExit,
  requestKey,
  roundOf,
  targetOf,
} from './recorded-exchange.ts';

export interface RecordedFacts extends ServiceFacts {
  readonly revision: Revision | undefined;
}

interface SessionOptions {
  /** The name of the server. Not needed if the recording has only one. */
  server?: string | undefined;
}

/** Limit of the names that an error lists. */
const MOST_NAMES = 20;

export class RecordedSession {
  readonly exchanges: RecordedExchange[] = [];
  /** Events before the end of the first exchange, outside of exchanges. */
  readonly before: Happening[] = [];
  readonly file: MessageFile;
  readonly #byKey = new Map<string, RecordedExchange[]>();
  /** The end of each task, by its id: the answer that has its result or error. */
  readonly taskEnds = new Map<string, MessagePlace>();
  #facts: RecordedFacts | undefined;
  #hasHandshake = false;
  /** Exit of the last process, if nothing was sent to a later one. */
  lastExit: RecordedExit | undefined;
  #isRead = false;
  #failed: unknown;
  #waiting: (() => void)[] = [];
  readonly #wires = new Map<string, Wire>();
  readonly #names = new Set<string>();
  readonly #server: string | undefined;

  private constructor(file: string, { server }: SessionOptions) {
    this.file = new MessageFile(file);
    this.#server = server;
  }

  /** Resolves at once: the file is read in the background. */
  static open(file: string, options: SessionOptions = {}): RecordedSession {
    const session = new RecordedSession(file, options);
    session.#read(file).catch((error: unknown) => {
      session.#failed = error;
      session.#wake();
    });
    return session;
  }

  /** Resolves when the whole file has been read. Rejects if the file cannot be read, or does not have the server. */
  async read(): Promise<void> {
    while (!this.#isRead) await this.#progress();
  }

  /** Resolves with the facts about the server as soon as its handshake has been read. */
  async facts(): Promise<RecordedFacts> {
    while (!this.#facts && !this.#isRead) await this.#progress();
    return this.#facts ?? this.#guessedFacts();
  }

  /**
   * Resolves with the exchange number `count` with this key, from 0, or with the last one if there are fewer. Waits
   * until it is known whether the exchange has an answer.
   */
  async find(key: string, count: number): Promise<RecordedExchange | undefined> {
    for (;;) {
      const found = this.#byKey.get(key)?.[count];
      if (found && (found.outcome !== 'pending' || this.#isRead)) return found;
      if (this.#isRead) return this.#byKey.get(key)?.at(-1);
      await this.#progress();
    }
  }

  /** The exchange with this number; waits as `find` does. */
  async at(index: number): Promise<RecordedExchange | undefined> {
    for (;;) {
      const found = this.exchanges[index];
      if (this.#isRead || (found && found.outcome !== 'pending')) return found;
      await this.#progress();
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #read(file: string): Promise<void> {
    const server = this.#server;
    let sinceWake = 0;
    let damaged = 0;
    for await (const item of readRecordings(file)) {
      if (item.type === 'damage') damaged += 1;
      if (item.type !== 'event') continue;
      const { event, place } = item;
      if (!isOfClient(event)) {
        if (this.#names.size < MOST_NAMES) this.#names.add(event.server);
        if (server === undefined || event.server === server) this.#see(event, place, item.run.run);
      }
      if (++sinceWake < 256) continue;
      sinceWake = 0;
      this.#wake();
    }
    if (this.#names.size === 0) throw noServer(file, damaged);
    if (server !== undefined && !this.#names.has(server)) throw unknownServer(file, server, [...this.#names]);
    if (server === undefined && this.#names.size > 1) throw severalServers(file, [...this.#names]);
    this.#isRead = true;
    this.#wake();
  }

  #progress(): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => (this.#failed === undefined ? resolve() : reject(this.#failed)));
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) each();
  }

  #see(event: FlowEvent, place: LinePlace, run: string): void {
    const wire = this.#wireOf(`${run} ${event.life}`);
    switch (event.kind) {
      case 'frame':
        return this.#frame(event, place, wire);
      case 'stderr':
        return this.#happened(wire.newest, { kind: 'stderr', place: { ...place, part: 0 }, atMs: event.atMs });
      case 'exit':
        return this.#ended(wire, event.atMs, { exitCode: event.exitCode, signal: event.signal });
      case 'remote':
        if (event.state === 'disconnected') this.#ended(wire, event.atMs, undefined);
    }
  }

  /** Requests of a process run are matched by id. A run that has ended sends nothing more. */
  #wireOf(key: string): Wire {
    let wire = this.#wires.get(key);
    if (!wire) {
      wire = new Wire();
      this.#wires.set(key, wire);
      this.lastExit = undefined;
    }
    return wire;
  }

  #ended(wire: Wire, atMs: number, exit: RecordedExit | undefined): void {
    for (const exchange of wire.open.values()) {
      if (exchange.outcome !== 'pending') continue;
      exchange.outcome = 'lost';
      exchange.endMs = atMs;
      if (exit) exchange.exit = exit;
    }
    wire.open.clear();
    this.lastExit = exit;
  }

  #frame(event: FrameEvent, line: LinePlace, wire: Wire): void {
    if (event.cut) return this.#cut(event, wire);
    const parsed = parse(decodeText(event.payload));
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    for (const [part, message] of messages.entries()) {
      if (!isObject(message)) continue; // the message is stray output
      const place = { ...line, part };
      if (event.direction === 'toServer') this.#toServer(message, place, event.atMs, wire);
      else this.#fromServer(message, place, event.atMs, wire);
    }
  }

  /** Only the two ends of the answer are in the file. The id is mostly in one of them, but not certainly. */
  #cut(event: FrameEvent, wire: Wire): void {
    if (event.direction !== 'fromServer') return;
    const text = `${decodeText(event.payload)} ${decodeText(event.tail ?? new Uint8Array(0))}`;
    for (const [, digits, quoted] of text.matchAll(/"id"\s*:\s*(?:(-?\d+)|"([^"\\]*)")/g)) {
      const id = digits === undefined ? quoted! : Number(digits);
      const exchange = wire.open.get(id);
      if (!exchange) continue;
      this.#finish(wire, id, exchange, event.atMs);
      exchange.outcome = 'cut';
      return;
    }
  }

  #toServer(message: JsonObject, place: MessagePlace, atMs: number, wire: Wire): void {
    const { method, id } = message;
    if (typeof method !== 'string') return; // the message answers a question of the server
    const params = isObject(message.params) ? message.params : {};
    if (method === 'notifications/cancelled') return this.#cancel(wire, params.requestId, atMs);
    if (id === undefined || (typeof id !== 'string' && typeof id !== 'number')) return;
    if (methodsOfMcp.get(method)?.isOfConnection) {
      if (methodsOfMcp.get(method)?.isHandshake) wire.handshakes.set(id, method);
      return;
    }
    const asked = this.#askedBy(method, params, wire);
    if (asked) {
      wire.open.set(id, asked);
      return;
    }
    this.#begin(method, params, place, atMs, wire, id);
  }

  /** Finds the exchange whose questions the parameters answer. */
  #askedBy(method: string, params: Params, wire: Wire): RecordedExchange | undefined {
    if (params.requestState === undefined && params.inputResponses === undefined) return undefined;
    const round = roundOf(params.requestState, requestKey(method, params));
    const asked = wire.asked.get(round);
    wire.asked.delete(round);
    return asked;
  }

  #begin(method: string, params: Params, place: MessagePlace, atMs: number, wire: Wire, id: string | number): void {
    const key = requestKey(method, params);
    const exchange: RecordedExchange = {
      index: this.exchanges.length,
      key,
      method,
      target: targetOf(method, params),
      request: place,
      startMs: atMs,
      during: [],
      after: [],
      outcome: 'pending',
    };
    this.exchanges.push(exchange);
    const same = this.#byKey.get(key);
    if (same) same.push(exchange);
    else this.#byKey.set(key, [exchange]);
    wire.open.set(id, exchange);
    const token = metaOf(params)?.progressToken;
    if (typeof token === 'string' || typeof token === 'number') wire.tokens.set(token, exchange);
  }

  #cancel(wire: Wire, id: unknown, atMs: number): void {
    const exchange = wire.open.get(id as string | number);
    if (!exchange) return;
    wire.open.delete(id as string | number);
    exchange.outcome = 'cancelled';
    exchange.endMs = atMs;
  }

  #fromServer(message: JsonObject, place: MessagePlace, atMs: number, wire: Wire): void {
    const { method, id } = message;
    if (typeof method === 'string') {
      const params = isObject(message.params) ? message.params : {};
      if (id !== undefined) {
        if (method !== 'ping') this.#happened(wire.newest, { kind: 'question', place, atMs });
      } else this.#notified(method, params, place, atMs, wire);
      return;
    }
    if (id === undefined || (typeof id !== 'string' && typeof id !== 'number')) return;
    const handshake = wire.handshakes.get(id);
    if (handshake !== undefined) {
      wire.handshakes.delete(id);
      if (isObject(message.result)) this.#handshake(handshake, message.result);
      return;
    }
    const exchange = wire.open.get(id);
    if (exchange) this.#answered(wire, id, exchange, message, place, atMs);
  }

  #notified(method: string, params: Params, place: MessagePlace, atMs: number, wire: Wire): void {
    if (method === 'notifications/progress') {
      const exchange = wire.tokens.get(params.progressToken as string | number);
      if (exchange?.outcome === 'pending') exchange.during.push({ kind: 'progress', place, atMs });
    } else if (method === 'notifications/message') this.#happened(wire.newest, { kind: 'log', place, atMs });
    else if (passes(method)) this.#happened(undefined, { kind: 'notification', place, atMs });
  }

  #answered(
    wire: Wire,
    id: string | number,
    exchange: RecordedExchange,
    { result }: JsonObject,
    place: MessagePlace,
    atMs: number,
  ): void {
    if (isObject(result) && result.resultType === 'input_required') {
      exchange.during.push({ kind: 'round', place, atMs });
      wire.open.delete(id);
      wire.asked.set(roundOf(result.requestState, exchange.key), exchange);
      return;
    }
    exchange.answer = place;
    exchange.outcome = 'answered';
    this.#finish(wire, id, exchange, atMs);
    if (isObject(result)) this.#task(exchange, result, place);
  }

  /** Remembers how tasks end, for clients that get the result of their call instead of a task. */
  #task(exchange: RecordedExchange, result: Result, place: MessagePlace): void {
    if (exchange.method === 'tools/call') {
      const task = result.resultType === 'task' ? result : isObject(result.task) ? result.task : undefined;
      if (task && typeof task.taskId === 'string') exchange.taskId = task.taskId;
    } else if (exchange.target !== undefined) {
      const isEnd = exchange.method === 'tasks/result' || 'result' in result || 'error' in result;
      if (exchange.method.startsWith('tasks/') && isEnd) this.taskEnds.set(exchange.target, place);
    }
  }

  #finish(wire: Wire, id: string | number, exchange: RecordedExchange, atMs: number): void {
    wire.open.delete(id);
    exchange.endMs = atMs;
    this.#lastEnded = exchange;
  }

  #lastEnded: RecordedExchange | undefined;

  #happened(exchange: RecordedExchange | undefined, happening: Happening): void {
    (exchange?.during ?? this.#lastEnded?.after ?? this.before).push(happening);
  }

  /** The first complete handshake counts. */
  #handshake(method: string, result: Result): void {
    if (this.#hasHandshake) return;
    this.#hasHandshake = true;
    const info = isObject(result.serverInfo)
      ? result.serverInfo
      : metaOf(result)?.['io.modelcontextprotocol/serverInfo'];
    const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
    const revision =
      method === 'initialize' ? result.protocolVersion : versions.findLast((each) => typeof each === 'string');
    this.#facts = {
      info: (isObject(info) ? info : { name: 'recorded', version: '0' }) as unknown as ServiceFacts['info'],
      capabilities: (isObject(result.capabilities) ? result.capabilities : {}) as ServiceFacts['capabilities'],
      ...(typeof result.instructions === 'string' && { instructions: result.instructions }),
      revision: revision as Revision | undefined,
    };
  }

  /** Guesses the facts for a recording that began after the handshake. */
  #guessedFacts(): RecordedFacts {
    const kinds = this.exchanges.flatMap(({ method }) => methodsOfMcp.get(method)?.capability ?? []);
    const capabilities = Object.fromEntries(kinds.map((kind) => [kind, {}]));
    return { info: { name: 'recorded', version: '0' }, capabilities, revision: undefined };
  }
}

/** One process run, or one connection. */
class Wire {
  readonly open = new Map<string | number, RecordedExchange>();
  readonly tokens = new Map<string | number, RecordedExchange>();
  /** Exchanges whose client is answering questions of 2026-07-28, by `requestState`. */
  readonly asked = new Map<string, RecordedExchange>();
  readonly handshakes = new Map<string | number, string>();

  /** The exchange that a message without a reference probably belongs to. */
  get newest(): RecordedExchange | undefined {
    let newest: RecordedExchange | undefined;
    for (const exchange of this.open.values()) newest = exchange;
    return newest;
  }
}

/** Text of a message; undefined for stray output. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text is stray output
  }
}

/** Whether a notification of a server concerns more than a single connection or request. */
function passes(method: string): boolean {
  return method !== 'notifications/cancelled' && method !== 'notifications/subscriptions/acknowledged';
}
