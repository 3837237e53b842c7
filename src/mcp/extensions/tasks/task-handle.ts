// Follows a task until it ends: polls at the interval of the server, listens to notifications if the task takes longer,
// and answers each question once. `callTool` does this by itself; with a handle the program decides when.

import { toAbortSignal } from '../../../base/cancel-signal.ts';
import { PeerError, RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { orderedJson } from '../../../base/ordered-json.ts';
import { pause, unlessAborted, within } from '../../../base/wait.ts';
import { isSilence } from '../../../wire/requests/lost-request.ts';
import { asResult } from '../../client/tolerated-results.ts';
import { missingFor } from '../../missing-capability.ts';
import { missingCapability } from '../../protocol-errors.ts';
import type { Caller, Result } from '../../service.ts';
import type { CallToolResult, InputRequest, InputResponse } from '../../types.ts';
import type { ToolCall, UnfinishedCall } from '../extension.ts';
import { isFinal, MOST_KEY_CHARS } from './record.ts';
import { experimentalTaskClient, extensionTask, readTask, type TaskClient } from './task-client.ts';
import { TaskProgress } from './task-progress.ts';
import { EXPERIMENTAL, readExperimental, type TaskState } from './wire-forms.ts';

/** The option of `callTool` that returns a handle. */
export interface HandleOption {
  task: 'handle';
}

/** A handle as plain data, for `resumeTask` in any process that can connect to the same server. */
export interface SavedTask {
  tool: string;
  /** The revision whose form of tasks the server has. */
  revision: '2026-07-28' | '2025-11-25';
  task: TaskState;
}

/** A call that runs as a task. Iterating gives each new state until the last one. */
export interface TaskHandle extends AsyncIterable<TaskState> {
  /** The id of the task; empty if the server answered without a task: the call has ended. */
  readonly taskId: string;
  /** Reads the state from the server. */
  status(): Promise<TaskState>;
  /**
   * Waits for the end, and answers questions with the handlers of the client. Rejects with the error of the call.
   * Aborting `signal` ends the wait; the task continues. `onState` gets each new state.
   */
  result(options?: { signal?: AbortSignal; onState?: (state: TaskState) => void }): Promise<CallToolResult>;
  /** Answers questions, by the keys of `inputRequests`. Only for servers of 2026-07-28. */
  answer(responses: Record<string, InputResponse>): Promise<void>;
  /** Requests the cancellation of the task, which may still end in another way. */
  cancel(): Promise<void>;
  /** Called by `JSON.stringify`. */
  toJSON(): SavedTask;
}

const DEFAULT_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 10;
/** The longest interval of polls while notifications arrive, because notifications may be lost. */
const WATCHED_POLL_MS = 30_000;
/** How often in a row a poll may fail without an answer. */
const MOST_FAILURES = 5;
/** How long a call that was given up waits for the server to cancel the task. */
const CANCEL_MS = 1_000;
/** Limit of the questions of one task. */
const MOST_QUESTIONS = 1_000;

/** Continues a call whose result is a task. */
export function finishTask(result: Result, call: UnfinishedCall): Promise<Result> {
  return FollowedTask.extension(result, call).finish();
}

/** Calls a tool. Runs it as a task if the server of 2025-11-25 requires that, or if a handle is wanted. */
export async function startTask(call: ToolCall, isExperimental: boolean, wantsHandle: boolean): Promise<unknown> {
  const support = isExperimental ? (await call.tool())?.execution?.taskSupport : undefined;
  const isTask = support === 'required' || (wantsHandle && support === 'optional');
  const answer = await begin(isTask ? { ...call, params: { ...call.params, task: {} } } : call);
  if (wantsHandle) return answer instanceof FollowedTask ? answer : FollowedTask.ended(answer, call);
  return call.read(answer instanceof FollowedTask ? await answer.finish() : answer);
}

/** Calls a tool and follows the task, if the call becomes one, with the caller `polls`. */
export async function callToEnd(call: UnfinishedCall, polls: Caller): Promise<Result> {
  const answer = await begin(call, polls);
  return answer instanceof FollowedTask ? answer.finish() : answer;
}

async function begin<C extends UnfinishedCall>(call: C, polls = call.caller): Promise<Result | FollowedTask> {
  const progress = call.params.task === undefined ? undefined : new TaskProgress(call.caller);
  const given = await call.service.request('tools/call', call.params, progress?.caller ?? call.caller);
  try {
    const answer = asResult(given, 'tools/call');
    if (progress) return FollowedTask.experimental(answer.task, { ...call, caller: polls }, progress);
    return answer.resultType === 'task' ? FollowedTask.extension(answer, { ...call, caller: polls }) : answer;
  } catch (error) {
    progress?.end();
    throw error;
  }
}

export function resumedTask({ revision, task }: SavedTask, call: ToolCall): TaskHandle {
  const state = readTask(task, 'resumeTask');
  const client =
    revision === EXPERIMENTAL ? experimentalTaskClient(call, state.taskId) : extensionTask(call, state.taskId);
  return new FollowedTask(call, revision, state, client);
}

class FollowedTask implements TaskHandle {
  readonly #call: UnfinishedCall & Partial<ToolCall>;
  readonly #revision: SavedTask['revision'];
  readonly #client: TaskClient;
  /** Undefined if its server sends only `statusMessage`. */
  readonly #progress: TaskProgress | undefined;
  /** Fingerprints of the questions that were answered or are being answered, by key. */
  readonly #asked = new Map<string, string>();
  #state: TaskState;

  constructor(
    call: UnfinishedCall,
    revision: SavedTask['revision'],
    state: TaskState,
    client: TaskClient,
    progress?: TaskProgress,
  ) {
    this.#call = call;
    this.#revision = revision;
    this.#state = state;
    this.#client = client;
    this.#progress = progress;
  }

  static extension(task: Result, call: UnfinishedCall): FollowedTask {
    const state = readTask(task, 'tools/call');
    return new FollowedTask(call, '2026-07-28', state, extensionTask(call, state.taskId));
  }

  static experimental(task: unknown, call: UnfinishedCall, progress: TaskProgress): FollowedTask {
    const state = readTask(readExperimental(task), 'tools/call');
    return new FollowedTask(call, EXPERIMENTAL, state, experimentalTaskClient(call, state.taskId), progress);
  }

  /** The handle of a call that the server answered at once. */
  static ended(result: Result, call: UnfinishedCall): FollowedTask {
    const now = new Date().toISOString();
    const state: TaskState = {
      taskId: '',
      status: 'completed',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: null,
      result,
    };
    return new FollowedTask(call, '2026-07-28', state, extensionTask(call, ''));
  }

  get taskId(): string {
    return this.#state.taskId;
  }

  async status(): Promise<TaskState> {
    if (!isWhole(this.#state) || !isFinal(this.#state)) this.#see(await this.#client.get());
    return this.#state;
  }

  async result({ signal, onState }: Parameters<TaskHandle['result']>[0] = {}): Promise<CallToolResult> {
    const answer = await this.#follow(signal, false, onState);
    return this.#call.read ? this.#call.read(answer) : (answer as unknown as CallToolResult);
  }

  /** The result of the call, for a caller that does not have the handle: giving up cancels the task. */
  async finish(): Promise<Result> {
    const { signal, options } = this.#call.caller;
    const limit = new AbortController();
    const limitMs = options?.totalTimeoutMs ?? Number.POSITIVE_INFINITY;
    const timer =
      limitMs < Number.POSITIVE_INFINITY && this.#call.clock.after(limitMs, () => limit.abort(tookTooLong(limitMs)));
    try {
      return await this.#follow(signal ? AbortSignal.any([toAbortSignal(signal), limit.signal]) : limit.signal, true);
    } finally {
      if (timer) timer.cancel();
      this.#progress?.end();
    }
  }

  async answer(responses: Record<string, InputResponse>): Promise<void> {
    for (const key of Object.keys(responses)) {
      const request = this.#state.inputRequests?.[key];
      if (request) this.#asked.set(shortKey(key), fingerprint(request));
    }
    await this.#client.answer(responses);
  }

  cancel(): Promise<void> {
    return isFinal(this.#state) ? Promise.resolve() : this.#client.cancel();
  }

  toJSON(): SavedTask {
    return { tool: String(this.#call.params.name), revision: this.#revision, task: this.#state };
  }

  [Symbol.asyncIterator](): AsyncGenerator<TaskState> {
    return this.#states(undefined);
  }

  /** `ownsTask`: the task is cancelled if it cannot be followed to its end, and each question must be answerable. */
  async #follow(
    signal: AbortSignal | undefined,
    ownsTask: boolean,
    onState?: (state: TaskState) => void,
  ): Promise<Result> {
    const { caller } = this.#call;
    const failure = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
    let shown = 0;
    let message: string | undefined;
    try {
      for await (const state of this.#states(stopped)) {
        onState?.(state);
        if (caller.wantsProgress && state.statusMessage !== undefined && state.statusMessage !== message) {
          message = state.statusMessage;
          caller.progress({ progress: this.#progress?.last ?? ++shown, message });
        }
        for (const [key, request] of this.#newQuestions(state)) {
          if (!ownsTask && missingFor(request, caller.client)) continue;
          this.#answerOne(key, request, stopped).catch((error: unknown) => failure.abort(error));
        }
      }
      return outcomeOf(this.#state);
    } catch (error) {
      if (ownsTask && stopped.aborted)
        await within(
          this.#call.clock,
          CANCEL_MS,
          this.#client.cancel().catch(() => undefined),
        );
      throw error;
    } finally {
      failure.abort(new PeerError('REQUEST_TIMEOUT', 'The task no longer waits for this answer'));
    }
  }

  *#newQuestions({ inputRequests }: TaskState): Iterable<[string, InputRequest]> {
    for (const [key, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      if (!isObject(request)) throw invalid(`has an invalid question with the key ${JSON.stringify(key)}`);
      const known = this.#asked.get(shortKey(key));
      if (known === undefined) yield [key, { ...request, params: request.params ?? {} } as InputRequest];
      else if (known !== fingerprint(request)) throw invalid(`uses the key ${JSON.stringify(key)} for two questions`);
    }
  }

  async #answerOne(key: string, request: InputRequest, signal: AbortSignal): Promise<void> {
    const { caller } = this.#call;
    if (this.#asked.size >= MOST_QUESTIONS) throw invalid(`asks more than ${MOST_QUESTIONS} questions`);
    this.#asked.set(shortKey(key), fingerprint(this.#state.inputRequests?.[key]));
    const missing = missingFor(request, caller.client);
    if (missing) throw missingCapability(missing);
    const response = await caller.ask(request, key, signal);
    if (!signal.aborted) await this.#client.answer({ [key]: response }, signal);
  }

  /** Yields each state that differs from the one before, until the last. */
  async *#states(signal: AbortSignal | undefined): AsyncGenerator<TaskState> {
    const news = new News(this.#call.clock, signal);
    let shown = '';
    try {
      for (let polls = 0; ; polls++) {
        signal?.throwIfAborted();
        if (polls === 0 && !isWhole(this.#state)) this.#see(await this.#poll(signal));
        const { status, statusMessage, inputRequests } = this.#state;
        const next = fingerprint([status, statusMessage, inputRequests]);
        if (next !== shown) yield this.#state;
        shown = next;
        if (isFinal(this.#state)) return;
        if (polls === 1) news.listen(this.#client);
        const notified = await news.wait(intervalOf(this.#state));
        this.#see(notified && isWhole(notified) ? notified : await this.#poll(signal));
      }
    } finally {
      news.stop();
    }
  }

  #see(state: TaskState): void {
    this.#state = state;
    if (isFinal(state)) this.#progress?.end();
  }

  /** Reads the task. Reading can be repeated, so a poll without an answer is repeated. */
  async #poll(signal: AbortSignal | undefined): Promise<TaskState> {
    for (let failures = 1; ; failures++) {
      try {
        const state = this.#client.get(signal);
        return await (signal ? unlessAborted(state, signal) : state);
      } catch (error) {
        if (!isSilence(error) || error.code === 'CONNECTION_CLOSED' || failures >= MOST_FAILURES) throw error;
        await pause(this.#call.clock, intervalOf(this.#state), signal ?? new AbortController().signal);
      }
    }
  }
}

/** Waits for the next poll, or for a notification. */
class News {
  readonly #clock: UnfinishedCall['clock'];
  readonly #signal: AbortSignal | undefined;
  #watch: Promise<(() => void) | undefined> | undefined;
  #isWatched = false;
  #changed: { state: TaskState | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(clock: UnfinishedCall['clock'], signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Listens to notifications. They are optional: without them the task is polled. */
  listen(client: TaskClient): void {
    const ended = () => {
      this.#isWatched = false;
      this.#wake?.();
    };
    const changed = (state: TaskState | undefined) => {
      this.#changed = { state };
      this.#wake?.();
    };
    this.#watch = client.watch(changed, ended).then(
      (stop) => {
        this.#isWatched = client.agreesToNotify;
        return stop;
      },
      () => undefined,
    );
  }

  /** Resolves with the state in a notification, if one has arrived with a state. */
  wait(intervalMs: number): Promise<TaskState | undefined> {
    return new Promise((resolve, reject) => {
      const signal = this.#signal;
      const done = () => {
        timer.cancel();
        signal?.removeEventListener('abort', aborted);
        this.#wake = undefined;
        const { state } = this.#changed ?? {};
        this.#changed = undefined;
        resolve(state);
      };
      const aborted = () => {
        reject(signal?.reason);
        done();
      };
      const timer = this.#clock.after(this.#isWatched ? Math.max(intervalMs, WATCHED_POLL_MS) : intervalMs, done);
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });
      if (this.#changed) done();
      else this.#wake = done;
    });
  }

  stop(): void {
    void this.#watch?.then((stop) => stop?.());
  }
}

/** Computes a value by which an equal value, with members in any order, is recognised later: the length as JSON, and FNV-1a over the characters. */
function fingerprint(value: unknown): string {
  const text = orderedJson(value);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length} ${hash}`;
}

function shortKey(key: string): string {
  return key.length <= MOST_KEY_CHARS ? key : fingerprint(key);
}

/** Whether the state has all that its status needs: the answer to `tools/call` has neither questions nor the result. */
function isWhole({ status, inputRequests, result, error }: TaskState): boolean {
  if (status === 'input_required') return inputRequests !== undefined;
  if (status === 'completed') return result !== undefined;
  return status !== 'failed' || error !== undefined;
}

function intervalOf({ pollIntervalMs }: TaskState): number {
  const isValid = typeof pollIntervalMs === 'number' && pollIntervalMs >= 0;
  return Math.max(SHORTEST_POLL_MS, isValid ? pollIntervalMs : DEFAULT_POLL_MS);
}

function outcomeOf({ status, statusMessage, result, error }: TaskState): Result {
  if (status === 'completed' && result !== undefined) return asResult(result, 'tools/call');
  if (isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string') {
    throw new RpcError(error.code, error.message, error.data);
  }
  if (status !== 'cancelled') throw invalid(`is ${status} and has neither a result nor an error`);
  const why = statusMessage === undefined ? '' : `: ${statusMessage}`;
  throw new PeerError('TASK_CANCELLED', `The task was cancelled${why}`);
}

function tookTooLong(ms: number): PeerError {
  return new PeerError('REQUEST_TIMEOUT', `The task did not end within ${ms} ms`, { hint: 'Raise totalTimeoutMs.' });
}

function invalid(what: string): PeerError {
  return new PeerError('RESULT_INVALID', `The task ${what}`);
}
