// A played LiteMCP server with the tool `Calculator` of the specification: reads messages from the client and sends the answers of a scenario.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { PROTOCOL_VERSION } from '../../../litemcp/shape.ts';
import { parsedBytes } from '../../budget.ts';
import type { PlayedServer } from '../../client/played-server.ts';
import { type AnyScenario, play, type RunOptions, type ScenarioRun } from '../../client/scenario.ts';
import { Frames } from '../frames.ts';

export const calculator = {
  version: PROTOCOL_VERSION,
  name: 'Calculator',
  description: 'A simple calculator',
  example: 'Calculate the sum of 2 and 3',
  parameters: [
    { name: 'a', type: 'number', description: 'The first number', example: '2' },
    { name: 'b', type: 'number', description: 'The second number', example: '3' },
  ],
};

/** A request from the client. */
export interface Asked {
  readonly id: unknown;
  readonly type: unknown;
  readonly data: JsonObject;
  /** Whether an `info` was sent before this request arrived. */
  readonly knowsTool: boolean;
}

export type Answering = (asked: Asked, played: PlayedLite) => void | Promise<void>;

export interface LiteScenario extends AnyScenario {
  /** Replaces the usual answers. */
  readonly on?: { readonly get?: Answering; readonly call?: Answering };
}

export type LiteRun = ScenarioRun<LiteScenario, PlayedLite>;

export function runScenario(scenario: LiteScenario, options: RunOptions): Promise<LiteRun> {
  return play(scenario, options, (server) => new PlayedLite(server, scenario, options.timeoutMs));
}

export class PlayedLite {
  readonly server: PlayedServer;
  readonly timeoutMs: number;
  readonly asked: Asked[] = [];
  /** Facts about the client for rules, by name. */
  readonly notes = new Map<string, unknown>();
  readonly #scenario: LiteScenario;
  readonly #frames: Frames;
  #hasSentInfo = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(server: PlayedServer, scenario: LiteScenario, timeoutMs: number) {
    this.server = server;
    this.timeoutMs = timeoutMs;
    this.#scenario = scenario;
    this.#frames = new Frames(
      (frame) => {
        server.transcript.push(frame);
        if (frame.message && this.frames.at(-1) === frame) this.#asked(frame.message);
      },
      (bytes) => server.hold(parsedBytes(bytes)),
    );
    server.onbytes = (chunk) => this.#frames.push(chunk);
    server.oninputend = () => {
      if (this.rest.length > 0) server.transcript.add('received', this.rest);
    };
    server.onforget = () => {
      this.#frames.keepOnly(new Set(server.transcript.entries));
      this.#frames.reset();
      this.asked.length = this.messages.length;
    };
    server.ignoresEnd = scenario.ignoresEnd ?? false;
  }

  get frames() {
    return this.#frames.all;
  }

  get messages() {
    return this.#frames.messages;
  }

  get rest(): Buffer {
    return this.#frames.rest;
  }

  send(message: JsonObject): void {
    this.write(`${JSON.stringify(message)}\n\n\n`);
    this.#hasSentInfo ||= message.type === 'info';
  }

  write(bytes: Uint8Array | string): void {
    this.server.write(bytes);
  }

  /** The answer from a correct server. */
  usual({ id, type, data }: Asked): JsonObject {
    const envelope = { version: PROTOCOL_VERSION, id };
    return type === 'get'
      ? { ...envelope, type: 'info', data: calculator }
      : { ...envelope, type: 'result', data: resultOf(data) };
  }

  #asked({ id, type, data }: JsonObject): void {
    const asked = { id, type, data: isObject(data) ? data : {}, knowsTool: this.#hasSentInfo };
    this.asked.push(asked);
    const handler = type === 'get' || type === 'call' ? this.#scenario.on?.[type] : undefined;
    // Requests are answered sequentially, so that an answer in pieces does not mix with the next.
    if (handler) this.#turn = this.#turn.then(() => handler(asked, this));
    else this.send(this.usual(asked));
  }
}

/** The sum of two numbers. An error for other arguments. */
export function resultOf({ arguments: given }: JsonObject): JsonObject {
  const args = Array.isArray(given) ? given.map(String) : [];
  const params = Object.fromEntries(
    calculator.parameters.flatMap(({ name }, at) => (at in args ? [[name, args[at]]] : [])),
  );
  const sum = Number(args[0]) + Number(args[1]);
  const error = args.length !== calculator.parameters.length || Number.isNaN(sum);
  const content = error
    ? { type: 'string', data: 'Both arguments must be numbers' }
    : { type: 'number', data: String(sum) };
  return { version: PROTOCOL_VERSION, params, response: { content: [content], error } };
}
