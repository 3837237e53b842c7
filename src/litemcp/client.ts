// A client of one LiteMCP server, over any wire: many requests in flight, each with a timeout, a signal, and a precise
// error when the connection ends. LiteMCP cannot cancel: a request that was given up may continue to run, and its late
// answer is dropped.

import { type Clock, systemClock } from '../base/clock.ts';
import { type Evidence, PeerError, toError, UsageError } from '../base/errors.ts';
import type { Noise } from '../base/noise.ts';
import { isSilence } from '../wire/requests/lost-request.ts';
import { PendingRequests, type WaitOptions } from '../wire/requests/pending-requests.ts';
import type { Wire } from '../wire/wire.ts';
import { type AnswerFault, AnswerReader, type AnswerSink } from './answer-reader.ts';
import { type ArgumentValues, layOutArguments } from './arguments.ts';
import { type CallResult, readCallResult, textOf } from './call-result.ts';
import { envelope, type IOBasic } from './io-basic.ts';
import { printToolCall, readTool, type Tool } from './tool.ts';

export interface LiteMcpClientOptions {
  /** The default timeout of a call. Default: 60 s. */
  timeoutMs?: number;
  /** The maximum number of JSON values in an answer; an answer with more fails alone. */
  maxFrameValues?: number;
  clock?: Clock;
}

/**
 * `timeoutMs` is the maximum time for the answer; the first call also requests the description of the tool, and both
 * share this time. `signal` ends the wait, not the work: LiteMCP cannot cancel.
 */
export interface CallOptions extends WaitOptions {
  /** Called with the id of the request, before it is sent. */
  numbered?: ((id: number) => void) | undefined;
}

export interface InfoOptions extends CallOptions {
  /** Requests the description again instead of using the cached one. */
  refresh?: boolean;
}

export class LiteMcpClient {
  /** Called once, when the connection has ended. */
  onclose: ((cause: Error | undefined) => void) | undefined;
  /** Resolves when the connection has ended, with the reason unless we closed it. */
  readonly closed: Promise<Error | undefined>;
  /** Called for errors that belong to no request. The connection stays open. */
  onerror: ((error: Error) => void) | undefined;
  /** Called for stray output: a line on the server's stdout that is not part of a message. */
  onnoise: ((noise: Noise) => void) | undefined;
  /** The number of stray lines. */
  noiseCount = 0;
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pending: PendingRequests<string, IOBasic, CallOptions>;
  readonly #reader: AnswerReader;
  #tool: Tool | undefined;
  #asking: Promise<Tool> | undefined;
  #closedByUs = false;
  #isClosed = false;
  #resolveClosed!: (cause: Error | undefined) => void;

  constructor(wire: Wire, options: LiteMcpClientOptions = {}) {
    this.#wire = wire;
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.#pending = new PendingRequests({
      clock: this.#clock,
      requestTimeoutMs: this.#timeoutMs,
      timeoutHint: 'Raise timeoutMs.',
      connection: wire,
      send: ({ id, method, options }, json) => {
        options?.numbered?.(id);
        return wire.send(envelope(id, method, json));
      },
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const sink: AnswerSink = {
      answer: (answer) => this.#answer(answer),
      unreadable: (fault) => this.#unreadable(fault),
      noise: (noise) => this.#noise(noise),
    };
    this.#reader = new AnswerReader(sink, options.maxFrameValues);
  }

  /** The number of requests that are not answered yet. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /** The number of answers to requests that had been given up or already answered. */
  get lateAnswers(): number {
    return this.#pending.lateAnswers;
  }

  /** The tool, once `info` has been answered. */
  get tool(): Tool | undefined {
    return this.#tool;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  evidence(): Evidence {
    return this.#wire.evidence();
  }

  start(): Promise<void> {
    return this.#wire.start({
      frames: this.#reader,
      error: (error) => this.onerror?.(error),
      closed: (error) => this.#finish(error),
    });
  }

  async close(): Promise<void> {
    this.#closedByUs = true;
    await this.#wire.close();
    this.#finish(undefined);
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The server's description of its tool. Requested once; calls without options share that request. */
  info(options: InfoOptions = {}): Promise<Tool> {
    const { refresh, timeoutMs, signal } = options;
    if (this.#tool && !refresh) return Promise.resolve(this.#tool);
    if (refresh || timeoutMs !== undefined || signal) return this.#get(options);
    this.#asking ??= this.#get(options).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /**
   * Calls the tool with arguments by position or by name. Resolves even if the tool reports an error: then
   * `response.error` is true. Rejects if the call is not answered or the answer is unreadable.
   */
  async call(args: ArgumentValues = [], options: CallOptions = {}): Promise<CallResult> {
    let { timeoutMs = this.#timeoutMs } = options;
    let tool = this.#tool;
    if (!tool) {
      const startMs = this.#clock.nowMs();
      tool = await this.info(options);
      timeoutMs = Math.max(1, Math.round(timeoutMs - (this.#clock.nowMs() - startMs)));
    }
    const laidOut = layOutArguments(tool, args);
    if ('problem' in laidOut) throw new UsageError('INVALID_OPTION', laidOut.problem);
    const json = printToolCall(tool.name, laidOut.arguments);
    const answer = await this.#pending.open('call', json, { ...options, timeoutMs });
    return this.#read(answer, 'result', readCallResult);
  }

  /**
   * Whether the server answers a `get` within `timeoutMs`. A server that runs its calls one after another may be busy
   * instead.
   */
  isResponsive(timeoutMs: number): Promise<boolean> {
    return this.#pending.open('get', '{}', { timeoutMs }).then(
      () => true,
      (error) => !isSilence(error),
    );
  }

  async #get(options: CallOptions): Promise<Tool> {
    const answer = await this.#pending.open('get', '{}', options);
    this.#tool = this.#read(answer, 'info', readTool);
    return this.#tool;
  }

  #read<T>({ type, data }: IOBasic, wanted: 'info' | 'result', read: (data: unknown) => T): T {
    try {
      if (type === wanted) return read(data);
      // A server can refuse a `get` only with a `result`.
      const refusal = type === 'result' ? textOf(readCallResult(data).response) : undefined;
      const problem = refusal === undefined ? `it is of type "${type}"` : `the server refused: ${refusal}`;
      throw new PeerError('MESSAGE_INVALID', problem);
    } catch (cause) {
      const message = `The server did not send "${wanted}": ${(cause as Error).message}`;
      const hint = 'The server does not follow LiteMCP 1.0.0; its first output and its stderr are in the evidence.';
      throw new PeerError('MESSAGE_INVALID', message, { cause, hint, evidence: this.evidence() });
    }
  }

  #answer(answer: IOBasic): void {
    this.#wire.phase = 'running';
    const id = typeof answer.id === 'number' ? answer.id : undefined;
    const request = this.#pending.get(id);
    if (request) {
      this.#pending.remove(request);
      return request.resolve(answer);
    }
    if (this.#pending.isLate(id)) return;
    const message = `An answer ("${answer.type}") with id ${answer.id} matches no pending request`;
    this.onerror?.(new PeerError('MESSAGE_INVALID', message));
  }

  #unreadable(fault: AnswerFault): void {
    if (this.#pending.failUnreadable(fault.id, fault)) return;
    const where = `${fault.message} (at byte ${fault.offset})`;
    this.onerror?.(new PeerError(fault.code, `An answer could not be read: ${where}`, { evidence: this.evidence() }));
  }

  #noise(noise: Noise): void {
    this.#wire.firstNoise ??= noise.text;
    this.noiseCount++;
    try {
      this.onnoise?.(noise);
    } catch (error) {
      this.onerror?.(toError(error));
    }
  }

  #finish(cause: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending.failAll(this.#closedByUs, cause);
    this.#resolveClosed(cause);
    this.onclose?.(cause);
  }
}
