// A client of one LiteMCP server, over any wire: many requests in flight, each with a timeout, a signal, and a precise error when the
// connection ends. LiteMCP cannot cancel: an abandoned request may continue to run, and its late answer is dropped.

import { type Clock, systemClock } from '../base/clock.ts';
import { DEFAULT_MAX_FRAME_VALUES, hasMoreValues, ValueBudget } from '../base/count-json-values.ts';
import { decodeText } from '../base/decode-text.ts';
import { type Evidence, PeerError, toError, UsageError } from '../base/errors.ts';
import { firstChars } from '../base/first-chars.ts';
import type { Noise } from '../base/noise.ts';
import { jsonObjects } from '../base/top-level-json.ts';
import type { FrameFault } from '../wire/framing/framing.ts';
import { isSilence } from '../wire/requests/lost-request.ts';
import { PendingRequests, type UnreadableAnswer, type WaitOptions } from '../wire/requests/pending-requests.ts';
import type { Wire } from '../wire/wire.ts';
import { type ArgumentValues, layOutArguments } from './arguments.ts';
import { type CallResult, readCallResult, textOf } from './call-result.ts';
import {
  checkIOBasic,
  envelope,
  type IOBasic,
  isAnswerType,
  parseIOBasic,
  traceIOBasic,
  Unreadable,
} from './io-basic.ts';
import { printToolCall, readTool, type Tool } from './tool.ts';

export interface LiteMcpClientOptions {
  /** The default timeout of a call. Default: 60 s. */
  timeoutMs?: number;
  /** The maximum number of JSON values in an answer; an answer with more fails alone. */
  maxFrameValues?: number;
  clock?: Clock;
}

/** The first call also requests the description of the tool: both share `timeoutMs`. `signal` ends the wait, not the work. */
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
  /** Called for errors unrelated to a request. The connection stays open. */
  onerror: ((error: Error) => void) | undefined;
  /** Called for stray output: a line on the server's stdout that is not part of a message. */
  onnoise: ((noise: Noise) => void) | undefined;
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

  get inFlight(): number {
    return this.#pending.size;
  }

  /** The number of answers to requests that had been abandoned or already answered. */
  get lateAnswers(): number {
    return this.#pending.lateAnswers;
  }

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

  /** Resolves even if the tool reports an error: then `response.error` is true. Rejects for a missing or unreadable answer. */
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

  /** Sends a `get`. A server that runs its calls one after another may be busy instead of unresponsive. */
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

/** A message that was meant as an answer, or a part of one. */
export interface AnswerFault extends UnreadableAnswer {
  /** The id; undefined if it could not be read or is not one of ours. */
  id: number | undefined;
  offset: number;
}

export interface AnswerSink {
  answer(answer: IOBasic): void;
  unreadable(fault: AnswerFault): void;
  noise(noise: Noise): void;
}

const SHOWN_CHARS = 1024;

/**
 * Reads frames from a server and emits answers, unreadable answers and stray output. A message ends with three newlines, so a line of other
 * text on stdout shares a frame with the message after it. A frame that is not a message is therefore searched for answers.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #maxFrameValues: number;

  constructor(sink: AnswerSink, maxFrameValues: number = DEFAULT_MAX_FRAME_VALUES) {
    this.#sink = sink;
    this.#maxFrameValues = maxFrameValues;
  }

  frame(bytes: Uint8Array, offset: number): void {
    const text = decodeText(bytes);
    if (hasMoreValues(text, this.#maxFrameValues)) return this.#tooManyValues(text, offset);
    const message = parseIOBasic(text, text.length);
    if (!(message instanceof Unreadable) && isAnswerType(message.type)) this.#sink.answer(message);
    else this.#search(text, offset);
  }

  fault({ code, prefix, offset, length }: FrameFault): void {
    const text = decodeText(prefix);
    const problem =
      code === 'FRAME_TOO_LONG'
        ? `it has ${length} bytes, which is more than maxFrameBytes`
        : 'the stream ended inside the message';
    const traced = traceIOBasic(text, problem);
    if (traced.isAnswer || code === 'FRAME_TOO_LONG') this.#sink.unreadable(faultOf(traced, code, offset));
    else this.#noise(text, offset);
  }

  /** The text is not searched for answers, because each candidate would have to be parsed. */
  #tooManyValues(text: string, offset: number): void {
    const traced = traceIOBasic(text, `it holds more than ${this.#maxFrameValues} JSON values (maxFrameValues)`);
    this.#sink.unreadable(faultOf(traced, 'TOO_MANY_VALUES', offset));
  }

  #search(text: string, offset: number): void {
    let behind = 0;
    let excess: number | undefined;
    const budget = new ValueBudget(this.#maxFrameValues);
    for (const { value, start, end } of jsonObjects(text, budget, (start) => (excess = start))) {
      if (!looksLikeAnswer(value)) continue;
      this.#noise(text.slice(behind, start), offset);
      const message = checkIOBasic(value, text.slice(start, end));
      if (message instanceof Unreadable) this.#sink.unreadable(faultOf(message, 'MESSAGE_INVALID', offset));
      else this.#sink.answer(message);
      behind = end;
    }
    if (excess !== undefined) {
      this.#noise(text.slice(behind, excess), offset);
      return this.#tooManyValues(text.slice(excess), offset);
    }
    const rest = text.slice(behind);
    const traced = behind === 0 ? traceIOBasic(text, 'it is not valid JSON') : undefined;
    if (traced?.isAnswer && traced.id !== undefined) {
      this.#sink.unreadable(faultOf(traced, 'MESSAGE_INVALID', offset));
    } else {
      this.#noise(rest, offset);
    }
  }

  #noise(text: string, offset: number): void {
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const shown = text.slice(start, end).trim();
      if (shown !== '') this.#sink.noise({ offset, length: end - start, text: firstChars(shown, SHOWN_CHARS, text) });
      start = end + 1;
    }
  }
}

function faultOf({ problem, id }: Unreadable, code: AnswerFault['code'], offset: number): AnswerFault {
  return { code, message: problem, id: typeof id === 'number' ? id : undefined, offset };
}

/** Log lines may be JSON with `"type":"info"` too; an answer also has an id or a version. */
function looksLikeAnswer(value: Record<string, unknown>): boolean {
  return typeof value.type === 'string' && isAnswerType(value.type) && ('id' in value || 'version' in value);
}
