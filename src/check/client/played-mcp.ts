// A played MCP server over stdio: reads lines of the client and sends the answers of a scenario.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY } from '../../mcp/meta.ts';
import { parsedBytes } from '../budget.ts';
import { parsed } from '../parsed-json.ts';
import { type Frame, isAnswer, messagesOf } from '../server/probe.ts';
import type { Entry } from '../transcript.ts';
import type { PlayedServer } from './played-server.ts';
import type { Scenario } from './scenario.ts';
import { type Asked, usualAnswer } from './usual-answers.ts';

export class PlayedMcp {
  readonly server: PlayedServer;
  readonly timeoutMs: number;
  /** Lines of the client, in order. */
  readonly frames: Frame[] = [];
  /** Requests, in order. */
  readonly asked: Asked[] = [];
  /** Facts for rules that are not visible in the frames, by name. */
  readonly notes = new Map<string, unknown>();
  /** Number of requests answered with an error. */
  errors = 0;
  readonly #scenario: Scenario;
  #rest: Buffer[] = [];
  #hasInitialized = false;
  #answered = Promise.resolve();

  constructor(server: PlayedServer, scenario: Scenario, timeoutMs: number) {
    this.server = server;
    this.timeoutMs = timeoutMs;
    this.#scenario = scenario;
    server.onbytes = (chunk) => this.#arrived(chunk);
    server.oninputend = () => {
      if (this.rest.length > 0) server.transcript.add('received', this.rest);
    };
    server.onforget = () => this.#forget();
    server.ignoresEnd = scenario.ignoresEnd ?? false;
  }

  /** The bytes after the last newline. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Sends a message as one line. */
  send(message: unknown): void {
    this.server.write(lineOf(message));
  }

  /** The answer from a correct server. */
  usual(asked: Asked): JsonObject {
    const answer = usualAnswer(asked, this.#scenario.speaks ?? {}, this.#hasInitialized);
    if (answer.error) this.errors++;
    return answer;
  }

  /** Sends a request and waits for its answer. Undefined after a timeout. */
  async ask(id: unknown, method: string, params?: JsonObject): Promise<JsonObject | undefined> {
    const from = this.frames.length;
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    const find = () => this.messages(from).find((message) => isAnswer(message) && message.id === id);
    return this.server.maybe(find, this.timeoutMs);
  }

  /** Requests from `initialize` on. Earlier requests of 2026-07-28 are not part of the session. */
  get session(): readonly Asked[] {
    const opened = this.asked.findIndex(({ method }) => method === 'initialize');
    return opened < 0 ? [] : this.asked.slice(opened);
  }

  messages(from = 0): JsonObject[] {
    return this.frames.slice(from).flatMap(messagesOf);
  }

  #arrived(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, at)]);
      this.#rest = [];
      this.#line(line);
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
  }

  #line(bytes: Buffer): void {
    if (!this.server.hold(parsedBytes(bytes))) return this.server.close();
    const frame = { kind: 'received', bytes, json: parsed(bytes.toString('utf8')) } as const;
    this.frames.push(frame);
    this.server.transcript.push(frame);
    if (this.frames.at(-1) !== frame) return; // the frame was dropped because of the limit
    for (const request of requestsIn(frame)) this.#asked(request);
  }

  /** Called after the end of the transcript was cut. */
  #forget(): void {
    const kept = new Set<Entry>(this.server.transcript.entries);
    this.frames.length = this.frames.filter((frame) => kept.has(frame)).length;
    this.asked.length = this.frames.flatMap(requestsIn).length;
    this.#rest = [];
  }

  /** Answers requests sequentially, so that answers in pieces do not mix. */
  #asked(asked: Asked): void {
    const isFirst = this.asked.push(asked) === 1;
    const { on = {} } = this.#scenario;
    const named = Object.hasOwn(on, asked.method) ? on[asked.method] : undefined;
    const handler = named ?? (isFirst ? this.#scenario.first : undefined);
    this.#answered = this.#answered.then(async () => {
      if (handler) await handler(asked, this);
      else this.send(this.usual(asked));
      if (asked.method === 'initialize') this.#hasInitialized = true;
    });
  }
}

function requestsIn(frame: Frame): Asked[] {
  return messagesOf(frame).flatMap(({ id, method, params }) => {
    if (typeof method !== 'string' || id === undefined) return [];
    return { id, method, params: isObject(params) ? params : {}, era: isModern(params) ? 'modern' : 'legacy' };
  });
}

export function lineOf(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}

function isModern(params: unknown): boolean {
  return isObject(params) && metaOf(params)?.[PROTOCOL_VERSION_KEY] !== undefined;
}
