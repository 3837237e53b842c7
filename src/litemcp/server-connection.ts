// One client of a LiteMCP server. Each request with an id gets exactly one answer; messages without a readable id are logged. Input can
// never end the connection.

import { decodeText } from '../base/decode-text.ts';
import { RpcError, toError } from '../base/errors.ts';
import { isThenable } from '../base/wait.ts';
import type { FrameFault } from '../wire/framing/framing.ts';
import { SENT } from '../wire/requests/pending-requests.ts';
import { QueuedRequest, RequestQueue } from '../wire/requests/request-queue.ts';
import type { Wire, WireEvents } from '../wire/wire.ts';
import { byName, ServedParameters, wrongCount } from './arguments.ts';
import { type CallResultResponse, errorResponse, printCallResult, toResponse } from './call-result.ts';
import {
  envelope,
  type IOBasic,
  isAnswerType,
  type OperationId,
  parseIOBasic,
  printIOBasic,
  traceIOBasic,
  Unreadable,
} from './io-basic.ts';
import type { LiteMcpCall } from './server.ts';
import { readToolCall, type Tool } from './tool.ts';

export interface ServerConnectionOptions {
  tool: Tool;
  handler: (values: object, call: LiteMcpCall) => unknown;
  maxConcurrent: number;
  maxQueued: number;
  maxInboundBytes: number;
  maxFrameValues: number | undefined;
  rememberedIds: number;
  log: (line: string) => void;
}

/** A call in the queue, and the context of its handler. */
class Job extends QueuedRequest<OperationId> implements LiteMcpCall {
  readonly id: OperationId;
  readonly arguments: readonly string[];
  readonly bytes: number;
  readonly #options: ServerConnectionOptions;
  readonly #values: object;

  constructor(
    options: ServerConnectionOptions,
    id: OperationId,
    args: readonly string[],
    values: object,
    bytes: number,
  ) {
    super();
    this.id = id;
    this.arguments = args;
    this.bytes = bytes;
    this.#options = options;
    this.#values = values;
  }

  get params(): Record<string, string> {
    return byName(this.#options.tool.parameters, this.arguments);
  }

  run(): unknown {
    const result = this.#options.handler(this.#values, this);
    return isThenable(result) ? Promise.resolve(result).then(toResponse) : toResponse(result);
  }
}

export class ServerConnection {
  /** Resolves when the client has disconnected, with the reason if there is one. */
  readonly closed: Promise<Error | undefined>;
  readonly #wire: Wire;
  readonly #options: ServerConnectionOptions;
  readonly #parameters: ServedParameters;
  readonly #seen: SeenIds;
  readonly #queue: RequestQueue<OperationId, Job>;
  readonly #events: WireEvents;

  constructor(wire: Wire, options: ServerConnectionOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#parameters = new ServedParameters(options.tool.parameters);
    this.#seen = new SeenIds(options.rememberedIds);
    const { maxConcurrent, maxQueued, maxInboundBytes } = options;
    this.#queue = new RequestQueue({
      maxConcurrent,
      maxQueued,
      maxInboundBytes,
      settled: (job, result, error) => this.#settled(job, result as CallResultResponse, error),
    });
    let close: (error: Error | undefined) => void = () => undefined;
    this.closed = new Promise((resolve) => {
      close = resolve;
    });
    this.#events = {
      frames: {
        frame: (bytes) => this.#frame(decodeText(bytes), bytes.length),
        fault: (fault) => this.#fault(fault),
      },
      error: (error) => this.#log(error.message),
      full: (isFull) => this.#queue.hold(isFull),
      unanswered: () => this.#queue.size,
      closed: (error) => {
        this.#queue.cancelAll(error ?? new Error('The client has disconnected'));
        close(error);
      },
    };
  }

  start(): Promise<void> {
    return this.#wire.start(this.#events);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  #frame(text: string, bytes: number): void {
    const message = parseIOBasic(text, this.#options.maxFrameValues);
    if (!(message instanceof Unreadable)) return this.#accept(message, bytes);
    if (text.trim() !== '') this.#unreadable(message);
  }

  #fault(fault: FrameFault): void {
    const problem =
      fault.code === 'FRAME_TOO_LONG'
        ? `The message has ${fault.length} bytes, more than this server reads (maxFrameBytes)`
        : 'The input ended inside a message: a message ends with three newlines';
    this.#unreadable(traceIOBasic(decodeText(fault.prefix), problem));
  }

  #unreadable({ problem, id, isAnswer }: Unreadable): void {
    this.#log(`${problem}${id === undefined ? '' : ` (id ${id})`}`);
    // An id in use belongs to a request that is or was answered; a second answer would be taken for the answer to it.
    if (id === undefined || isAnswer || this.#seen.has(id)) return;
    this.#refuse(id, problem);
  }

  #accept({ id, type, data }: IOBasic, bytes: number): void {
    this.#wire.phase = 'running';
    if (isAnswerType(type))
      return this.#log(`Ignored: a message of type "${type}" is an answer, and this server sends no requests`);
    if (this.#queue.get(id) || !this.#seen.add(id)) return this.#log(`Ignored: id ${id} was used before`);
    if (type === 'get') this.#send(printIOBasic(id, 'info', this.#options.tool));
    else if (type === 'call') this.#call(id, data, bytes);
    else this.#refuse(id, `Unknown type ${JSON.stringify(type.slice(0, 60))}: a request is "get" or "call"`);
  }

  #call(id: OperationId, data: unknown, bytes: number): void {
    const { tool } = this.#options;
    let args: readonly string[] = [];
    try {
      const call = readToolCall(data);
      args = call.arguments;
      const problem = call.tool === tool.name ? wrongCount(tool, args.length) : noSuchTool(call.tool, tool);
      if (problem !== undefined) return this.#refuse(id, problem, args);
      const job = new Job(this.#options, id, args, this.#parameters.values(args), bytes);
      const refusal = this.#queue.add(job, bytes);
      if (refusal) this.#refuse(id, `${refusal.message}, with a new id`, args);
    } catch (error) {
      this.#refuse(id, toError(error).message, args);
    }
  }

  #settled(job: Job, response: CallResultResponse, error: unknown): void {
    if (job.cancelled) return; // the client has disconnected
    const { id, arguments: args } = job;
    if (error === undefined) return this.#result(id, args, response);
    if (!(error instanceof RpcError))
      this.#log(`The handler failed: ${toError(error).stack ?? toError(error).message}`);
    this.#refuse(id, toError(error).message || 'The tool failed without a message', args);
  }

  #refuse(id: OperationId, problem: string, args: readonly string[] = []): void {
    this.#result(id, args, errorResponse(problem));
  }

  #result(id: OperationId, args: readonly string[], response: CallResultResponse): void {
    this.#send(envelope(id, 'result', printCallResult(this.#parameters.print(args), response)));
  }

  #send(text: string): void {
    const accepted = this.#wire.send(text, true);
    if (accepted !== SENT)
      accepted.catch((error: unknown) => this.#log(`An answer was lost: ${toError(error).message}`));
  }

  #log(line: string): void {
    this.#options.log(`${this.#options.tool.name}: ${line}`);
  }
}

function noSuchTool(asked: string, { name }: Tool): string {
  return `Unknown tool ${JSON.stringify(asked.slice(0, 60))}; this server has ${JSON.stringify(name)}`;
}

/**
 * Remembers the ids that a client has used, in bounded memory: at least the newest `atLeast`, at most three times as many. A run of
 * consecutive ids is stored as its two ends. Other ids are stored one by one, in two generations: when the younger is full, the older is
 * dropped, and so is a run that has not grown since.
 */
export class SeenIds {
  readonly #atLeast: number;
  /** The first and last id of the run; NaN if there is none. */
  #first = Number.NaN;
  #last = Number.NaN;
  #rowGrew = false;
  #younger = new Set<OperationId>();
  #older = new Set<OperationId>();

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  has(id: OperationId): boolean {
    return (id >= this.#first && id <= this.#last) || this.#younger.has(id) || this.#older.has(id);
  }

  /** Returns false for an id that was used before. */
  add(id: OperationId): boolean {
    if (this.has(id)) return false;
    if (id === this.#last + 1) {
      this.#last = id;
      this.#rowGrew = true;
      if (this.#last - this.#first >= this.#atLeast) this.#first++;
    } else if (Number.isNaN(this.#last) && typeof id === 'number') {
      this.#first = id;
      this.#last = id;
      this.#rowGrew = true;
    } else {
      this.#hold(id);
    }
    return true;
  }

  #hold(id: OperationId): void {
    this.#younger.add(id);
    if (this.#younger.size < this.#atLeast) return;
    this.#older = this.#younger;
    this.#younger = new Set();
    if (!this.#rowGrew) this.#first = this.#last = Number.NaN;
    this.#rowGrew = false;
  }
}
