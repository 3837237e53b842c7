// Sends the requests of a recording to a server, one after the other, and hands over each answer.

import { systemClock } from '../../base/clock.ts';
import { PeerError, RpcError, StandpipeError, toError } from '../../base/errors.ts';
import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { pause, within } from '../../base/wait.ts';
import { isModernRevision } from '../../mcp/revisions.ts';
import { type Caller, type Params, type Result, silentCaller } from '../../mcp/service.ts';
import type { Conversation } from '../replay/conversation.ts';
import { comparableAnswer, messageOf } from '../replay/diff-sessions.ts';
import type { RecordedSession } from '../replay/recorded-session.ts';
import { CarriedValues } from './carried-values.ts';
import {
  type Connection,
  clientOfRequest,
  isLostConnection,
  openConnection,
  type RecordedOpening,
  readOpening,
  withoutConnection,
} from './connection.ts';
import { HiddenValues } from './hidden-values.ts';
import type { VerifyOptions, VerifyTarget } from './options.ts';
import { Permission } from './permission.ts';
import { RecordedAnswers } from './recorded-answers.ts';
import type { SkipCause, VerifySide } from './report.ts';
import { entriesOf, type Step, stepsOf, withQuestions } from './steps.ts';

export interface StepAnswer {
  /** The new answer; undefined if the request was not sent. */
  readonly after?: VerifySide;
  /** The answer as it is compared; undefined if there is none. */
  readonly answer?: Params;
  /** Number of pages of a list. */
  readonly pages?: number;
  /** Why the request was not sent, or why there is no answer. */
  readonly reason?: string;
  readonly cause?: SkipCause;
  readonly stderr?: string;
}

export interface RunHandlers {
  /** Called once, with the facts about the server of the first connection. */
  opened?(opening: RecordedOpening, connection: Connection): void;
  /** `carried`: the values that the requests until this one have brought. */
  answered(step: Step, answer: StepAnswer, carried: CarriedValues): Promise<void> | void;
}

/** After this number of requests in a row without an answer, the remaining requests are not sent. */
const MOST_UNANSWERED = 5;
const MOST_RESTARTS = 10;
/** Connections that are open at a time, if the recording has that many of them side by side. */
const MOST_OPEN = 8;
const MOST_PAGES = 1000;
const DEFAULT_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
/** How long a server may take to ask for the roots, if it did so before a request of the recording. */
const ROOTS_WAIT_MS = 10_000;

export class RecordingRun {
  restarts = 0;
  readonly #session: RecordedSession;
  readonly #conversation: Conversation;
  readonly #target: VerifyTarget;
  readonly #options: VerifyOptions;
  readonly #handlers: RunHandlers;
  readonly #permission: Permission;
  readonly #hidden: HiddenValues;
  readonly #carried = new CarriedValues();
  /** Connections by the number of the recorded process run or connection. */
  readonly #connections = new Map<number, Connection>();
  readonly #tools = new WeakMap<Connection, Promise<Tools | undefined>>();
  /** Recorded ids of tasks that calls of this run have created. */
  readonly #tasks = new Set<string>();
  readonly #waitedForRoots = new WeakSet<Connection>();
  #hasOpened = false;
  #unanswered = 0;
  #end: string | undefined;

  constructor(
    session: RecordedSession,
    conversation: Conversation,
    target: VerifyTarget,
    options: VerifyOptions,
    handlers: RunHandlers,
  ) {
    this.#session = session;
    this.#conversation = conversation;
    this.#target = target;
    this.#options = options;
    this.#handlers = handlers;
    this.#permission = new Permission(options.allowCalls ?? []);
    this.#hidden = new HiddenValues(options.set ?? [], 'env' in target && isObject(target.env) ? target.env : {});
  }

  /** Rejects if the server cannot be reached at all. */
  async run(): Promise<void> {
    const { exchanges } = this.#conversation;
    const lastOfWire = new Map(exchanges.map(({ wire, index }) => [wire, index]));
    try {
      await this.#connection(exchanges[0]?.wire ?? 0);
      for await (const step of stepsOf(this.#session, this.#conversation)) {
        this.#options.signal?.throwIfAborted();
        const { index, wire, taskId } = step.exchange;
        const answer = await this.#take(step);
        await this.#handlers.answered(step, answer, this.#carried);
        if (answer.answer && step.recorded) this.#carried.learn(step.recorded, answer.answer);
        if (taskId !== undefined && createsTask(answer)) this.#tasks.add(taskId);
        if ((lastOfWire.get(wire) ?? 0) <= index) await this.#close(wire);
      }
    } finally {
      for (const wire of [...this.#connections.keys()]) await this.#close(wire);
    }
  }

  async #take(step: Step): Promise<StepAnswer> {
    const skipped = await this.#skipped(step);
    if (skipped) return skipped;
    const { params, missing } = this.#hidden.filled(this.#carried.applied(step.params) as Params);
    if (missing !== undefined && step.exchange.isMasked) {
      return { reason: `The recording hides ${missing}: give its value with --set '${missing}=…'`, cause: 'value' };
    }
    const connection = await this.#connection(step.exchange.wire).catch((error: unknown) => {
      this.#end = `The server could not be started again: ${toError(error).message}`;
      return undefined;
    });
    if (!connection) return { after: { outcome: 'lost' }, reason: this.#end! };
    await this.#rootsGiven(step, connection);
    const isReadOnly = (tool: string) => this.#isReadOnly(tool, connection);
    const refusal = await this.#permission.refusal(step, params, isReadOnly);
    if (refusal !== undefined) {
      const isGone = step.exchange.method === 'tools/call' && (await this.#isRemoved(step, connection));
      if (isGone)
        return { after: { outcome: 'error' }, reason: 'The server no longer has this tool; the call was not sent' };
      return { reason: refusal, cause: 'permission' };
    }
    return this.#send(step, params, connection);
  }

  /**
   * Waits for a server that asked for the roots before this request in the recording: it may ask some time after the handshake, and
   * answer otherwise until then. The list of tools is a round trip, after which the server has read the roots.
   */
  async #rootsGiven({ exchange }: Step, connection: Connection): Promise<void> {
    const { roots, exchanges } = this.#conversation;
    const { request } = exchange;
    const isEarlier = roots && request && roots.file === request.file && roots.offset < request.offset;
    if (!isEarlier || this.#waitedForRoots.has(connection) || isModernRevision(connection.revision)) return;
    if (!connection.client.capabilities.roots) return;
    // Asked during a request, the roots are asked again when that request is sent.
    if (exchanges.some(({ during }) => during?.some(({ isRoots }) => isRoots))) return;
    this.#waitedForRoots.add(connection);
    await within(this.#options.clock ?? systemClock, ROOTS_WAIT_MS, connection.rootsAsked);
    await readTools(connection, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  }

  /** Requests that cannot be compared whatever the server answers. */
  async #skipped({ exchange, params, before, isAskedAgain }: Step): Promise<StepAnswer | undefined> {
    const skip = (reason: string): StepAnswer => ({ reason, cause: 'recording' });
    if (this.#end !== undefined) return { reason: `Not sent: ${this.#end}`, cause: 'server' };
    if (!params) return skip('The recording has only a part of the request (--keep-bytes)');
    if (before.outcome === 'cancelled') return skip('The recorded client cancelled it');
    if (before.outcome === 'pending') return skip('It was never answered in the recording');
    if (isAskedAgain) return skip('A later request of the recording asks for the state of the same task');
    // The server may have a task with this id that another client created.
    const isOfTask = exchange.method.startsWith('tasks/') && exchange.method !== 'tasks/list';
    if (isOfTask && !this.#tasks.has(String(exchange.target))) {
      return { reason: 'No call of this run has created the task', cause: 'permission' };
    }
    return undefined;
  }

  async #send(step: Step, params: Params, connection: Connection): Promise<StepAnswer> {
    const { clock = systemClock } = this.#options;
    const answers = new RecordedAnswers(step.questions, () => this.#roots());
    const startMs = clock.nowMs();
    const took = () => ({ durationMs: Math.round((clock.nowMs() - startMs) * 1000) / 1000 });
    try {
      const found = await this.#request(step, params, connection, answers);
      this.#unanswered = 0;
      return this.#received(found, took(), answers);
    } catch (error) {
      if (error instanceof RpcError) {
        this.#unanswered = 0;
        const { rpcCode: code, message, data } = error;
        const found = { message: { error: { code, message, ...(data !== undefined && { data }) } } };
        return this.#received(found, took(), answers);
      }
      this.#options.signal?.throwIfAborted();
      if (!(error instanceof StandpipeError)) throw error;
      return this.#unansweredBy(error, took());
    }
  }

  #received(
    { message, pages }: { message: { result?: unknown; error?: unknown }; pages?: number },
    took: { durationMs: number },
    { asked, problem }: RecordedAnswers,
  ): StepAnswer {
    if (isNestedTooDeeply(message))
      return { after: { outcome: 'cut', ...took }, reason: 'The answer is nested too deeply' };
    const { kind, answer } = comparableAnswer(message);
    return {
      after: { outcome: kind, ...took },
      answer: withQuestions(answer, asked),
      ...(pages !== undefined && { pages }),
      ...(problem !== undefined && { reason: problem }),
    };
  }

  #unansweredBy(error: StandpipeError, took: { durationMs: number }): StepAnswer {
    const isTimeout = error.code === 'REQUEST_TIMEOUT';
    if (++this.#unanswered >= MOST_UNANSWERED)
      this.#end = `the server did not answer ${MOST_UNANSWERED} requests in a row`;
    const stderr = error.evidence?.stderrTail;
    return {
      after: { outcome: isTimeout ? 'timeout' : 'lost', ...took },
      reason: error.message,
      ...(stderr !== undefined && stderr !== '' && isLostConnection(error) && { stderr }),
    };
  }

  async #request(step: Step, params: Params, connection: Connection, answers: RecordedAnswers) {
    const { method } = step.exchange;
    const caller = this.#caller(step, connection, answers);
    const plain = withoutConnection(params);
    if (step.pages !== undefined) return this.#list(step, plain, connection, caller);
    if (method === 'tasks/get') return { message: { result: await this.#poll(step, plain, connection, caller) } };
    return { message: { result: await connection.service.request(method, plain, caller) } };
  }

  /** All pages, or as many as the recorded client read. */
  async #list(step: Step, params: Params, { service }: Connection, caller: Caller) {
    const { method } = step.exchange;
    const { member } = step.facts!.list!;
    const most = step.hasMorePages ? step.pages! : MOST_PAGES;
    const entries: unknown[] = [];
    let [pages, cursor] = [0, undefined as unknown];
    do {
      const page = await service.request(method, pages === 0 ? params : { ...params, cursor }, caller);
      for (const entry of entriesOf(page, member)) entries.push(entry);
      cursor = page.nextCursor;
    } while (++pages < most && cursor !== undefined);
    return { message: { result: { [member]: entries } }, pages };
  }

  /** The recorded state may come later now. */
  async #poll(step: Step, params: Params, { service }: Connection, caller: Caller): Promise<Result> {
    const { clock = systemClock, signal } = this.#options;
    const untilMs = clock.nowMs() + this.#timeoutOf(step);
    const wanted = statusOf(isObject(step.recorded?.result) ? step.recorded.result : {});
    for (;;) {
      const task = await service.request(step.exchange.method, params, caller);
      const status = statusOf(task);
      const isThere = status === wanted || (status !== 'working' && status !== 'input_required');
      if (isThere || clock.nowMs() >= untilMs) return task;
      await pause(clock, POLL_MS, signal ?? new AbortController().signal);
    }
  }

  #caller(step: Step, { client }: Connection, answers: RecordedAnswers): Caller {
    const params = step.params ?? {};
    const timeoutMs = this.#timeoutOf(step);
    return {
      client: clientOfRequest(client, params),
      signal: this.#options.signal,
      options: { timeoutMs, totalTimeoutMs: timeoutMs },
      wantsProgress: metaOf(params)?.progressToken !== undefined,
      progress: () => undefined,
      log: () => undefined,
      ask: (question, name) => answers.answer(question, name),
    };
  }

  #timeoutOf({ before: { durationMs = 0 } }: Step): number {
    return this.#options.timeoutMs ?? Math.max(DEFAULT_TIMEOUT_MS, 2 * durationMs);
  }

  /** Opens a connection if there is none, or if the server has exited. */
  async #connection(wire: number): Promise<Connection> {
    const open = this.#connections.get(wire);
    if (open && !open.isClosed()) return open;
    if (open) {
      await this.#close(wire);
      if (++this.restarts > MOST_RESTARTS) throw new PeerError('CONNECTION_CLOSED', `it exited ${this.restarts} times`);
    }
    for (const other of this.#connections.keys()) {
      if (this.#connections.size < MOST_OPEN) break;
      await this.#close(other);
    }
    const opening = await readOpening(this.#session, this.#conversation, wire);
    const connection = await openConnection(this.#target, opening, () => this.#roots(), this.#options);
    this.#connections.set(wire, connection);
    if (!this.#hasOpened) this.#handlers.opened?.(opening, connection);
    this.#hasOpened = true;
    return connection;
  }

  async #close(wire: number): Promise<void> {
    const connection = this.#connections.get(wire);
    this.#connections.delete(wire);
    await connection?.close();
  }

  async #roots(): Promise<JsonObject | undefined> {
    return messageOf(this.#session, this.#conversation.roots);
  }

  async #isReadOnly(tool: string, connection: Connection): Promise<boolean> {
    return (await this.#toolsOf(connection))?.get(tool) === true;
  }

  /** The recorded call succeeded, and the server does not list the tool. */
  async #isRemoved({ before, exchange }: Step, connection: Connection): Promise<boolean> {
    const tools = before.outcome === 'ok' ? await this.#toolsOf(connection) : undefined;
    return tools?.has(exchange.target!) === false;
  }

  #toolsOf(connection: Connection): Promise<Tools | undefined> {
    let tools = this.#tools.get(connection);
    if (!tools) {
      tools = readTools(connection, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      this.#tools.set(connection, tools);
    }
    return tools;
  }
}

/** Whether each tool is read-only, by its name. */
type Tools = ReadonlyMap<string, boolean>;

/** Undefined if the server cannot list its tools. */
async function readTools({ service, client }: Connection, timeoutMs: number): Promise<Tools | undefined> {
  const found = new Map<string, boolean>();
  const caller = { ...silentCaller(client), options: { timeoutMs, totalTimeoutMs: timeoutMs } };
  let cursor: unknown;
  try {
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await service.request('tools/list', cursor === undefined ? {} : { cursor }, caller);
      if (!Array.isArray(page.tools)) return undefined;
      for (const tool of page.tools) {
        if (!isObject(tool) || typeof tool.name !== 'string') continue;
        found.set(tool.name, isObject(tool.annotations) && tool.annotations.readOnlyHint === true);
      }
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return found;
  } catch (error) {
    if (error instanceof StandpipeError) return undefined;
    throw error;
  }
}

function statusOf(result: Params): unknown {
  return isObject(result.task) ? result.task.status : result.status;
}

/** In both forms of tasks. */
function createsTask({ answer }: StepAnswer): boolean {
  const result = isObject(answer?.result) ? answer.result : {};
  const task = isObject(result.task) ? result.task : result;
  return typeof task.taskId === 'string';
}
