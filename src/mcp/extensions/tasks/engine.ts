// Creates tasks, applies events to their records, and keeps them in a store until their TTL ends. It does not know who
// runs a task or how a client reads it: a server runs handlers with it, and a host can run calls of other servers.
//
// A task of another principal looks like one that does not exist. A change that the store refuses ends the task as
// failed, and a final state is shown only after it was saved, so a client never reads two different ends of a task.

import type { CancelSignal } from '../../../base/cancel-signal.ts';
import type { Clock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { errorAnswer } from '../../../wire/jsonrpc/inbound.ts';
import { mustAnswer } from '../../adapter/modern-caller.ts';
import { randomText } from '../../adapter/suspended-calls.ts';
import { asResult } from '../../client/tolerated-results.ts';
import { invalidParams } from '../../protocol-errors.ts';
import type { ClientIdentity, Params, Result } from '../../service.ts';
import type { InputRequest, InputResponse } from '../../types.ts';
import { Expiries } from './expiries.ts';
import {
  expiresMs,
  isFinal,
  NO_QUESTIONS,
  newKey,
  nextTask,
  type TaskEvent,
  type TaskOutcome,
  type TaskRecord,
  ttlFor,
} from './record.ts';
import type { TaskStore } from './store.ts';

export interface TaskEngineOptions {
  clock: Clock;
  store: TaskStore;
  /**
   * The TTL of a task whose client requests none, and the longest that a client may request. Null: tasks never expire.
   */
  ttlMs: number | null;
  /** A fixed poll interval. Default: the interval grows with the age of a task. */
  pollMs?: number | undefined;
}

export type TaskListener = (task: TaskRecord) => void;

/** The work of a task. It is cancelled once, if the task is cancelled or expires. */
interface Work {
  cancel(reason: Error): void;
}

interface PendingQuestion {
  resolve(answer: InputResponse): void;
  reject(reason: unknown): void;
}

export class TaskEngine {
  readonly #options: TaskEngineOptions;
  /** Milliseconds since 1970 when the clock was 0. */
  readonly #epochMs: number;
  readonly #running = new Map<string, RunningTask>();
  readonly #expiries: Expiries;
  /** Listeners by the id of a task, or by the key of a client. */
  readonly #watched = new Map<string, Set<TaskListener>>();

  constructor(options: TaskEngineOptions) {
    this.#options = options;
    this.#epochMs = Math.round(Date.now() - options.clock.nowMs());
    const nowMs = () => this.nowMs;
    this.#expiries = new Expiries(options.clock, nowMs, (id) => this.#expire(id));
  }

  get nowMs(): number {
    return this.#epochMs + Math.round(this.#options.clock.nowMs());
  }

  /** Resolves when the task can be read by its id. Rejects if the store has no space. */
  async create(
    { principal, id: client }: ClientIdentity,
    work: Work,
    requestBytes = 0,
    wantedTtl?: unknown,
  ): Promise<RunningTask> {
    const nowMs = this.nowMs;
    const record: TaskRecord = {
      id: randomText(16),
      principal,
      client,
      status: 'working',
      statusMessage: undefined,
      createdMs: nowMs,
      updatedMs: nowMs,
      ttlMs: ttlFor(wantedTtl, this.#options.ttlMs),
      pollMs: this.#options.pollMs && Math.ceil(this.#options.pollMs),
      requestBytes,
      open: NO_QUESTIONS.open,
      answered: NO_QUESTIONS.answered,
      outcome: undefined,
    };
    await this.#options.store.put(record);
    const task = new RunningTask(record, work, this.#changed);
    this.#running.set(record.id, task);
    this.#expiries.add(record.id, expiresMs(record));
    return task;
  }

  /** Throws the error for an unknown task if it does not exist, has expired, or belongs to another principal. */
  async get(id: unknown, principal: string | undefined): Promise<TaskRecord> {
    const task = typeof id === 'string' ? await this.#find(id) : undefined;
    if (task && task.principal === principal && this.nowMs < expiresMs(task)) return task;
    throw invalidParams('Task not found: it does not exist, has expired, or belongs to another principal');
  }

  /** Answers questions of a task. Keys that are unknown or answered are ignored, as the specification recommends. */
  async answer(id: unknown, principal: string | undefined, responses: Params): Promise<void> {
    const { id: known } = await this.get(id, principal);
    this.#running.get(known)?.answer(responses);
  }

  /** Resolves with the task. The state of a task that has ended does not change. */
  async cancel(id: unknown, principal: string | undefined): Promise<TaskRecord> {
    const task = await this.get(id, principal);
    const running = this.#running.get(task.id);
    if (!running || isFinal(running.record)) return task;
    running.cancel();
    await running.saved;
    return running.record;
  }

  /** The tasks of a principal, oldest first. Without a principal: the tasks that the client itself created. */
  async list({ principal, id: client }: ClientIdentity): Promise<readonly TaskRecord[]> {
    const nowMs = this.nowMs;
    const tasks = await this.#options.store.list(principal);
    return tasks
      .filter((task) => nowMs < expiresMs(task) && (principal !== undefined || task.client === client))
      .map((task) => this.#running.get(task.id)?.record ?? task);
  }

  /** Rejects a question of the task with the reason why it has no answer. */
  refuse(id: string, key: string, reason: unknown): void {
    this.#running.get(id)?.withdraw(key, reason);
  }

  /** Removes a task that no client knows. */
  async remove(task: RunningTask): Promise<void> {
    const { record } = task;
    this.#running.delete(record.id);
    this.#expiries.remove(record.id, expiresMs(record));
    await this.#delete(record.id, task);
  }

  /** Resolves with the final state of the task; `each` gets the states until then. Rejects if the task expires first. */
  finished(task: TaskRecord, each: TaskListener, signal: CancelSignal | undefined): Promise<TaskRecord> {
    return new Promise((resolve, reject) => {
      const done = () => {
        stop();
        signal?.removeEventListener('abort', aborted);
      };
      const failed = (error: unknown) => {
        done();
        reject(error);
      };
      const aborted = () => failed(signal?.reason);
      const changed = (state: TaskRecord) => {
        each(state);
        if (isFinal(state)) resolve(state);
        else if (expiresMs(state) <= this.nowMs) reject(invalidParams('Task not found: it has expired'));
        else return;
        done();
      };
      const stop = this.watch([task.id], changed);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) return aborted();
      // The task may have ended after `task` was read.
      this.#find(task.id).then((newest) => changed(newest ?? task), failed);
    });
  }

  /** Abandons the work of all tasks. */
  close(): void {
    for (const task of this.#running.values()) if (!isFinal(task.next)) task.abandon(abandoned('the server closes'));
  }

  listeners(id: string): number {
    return this.#watched.get(id)?.size ?? 0;
  }

  /** Calls the listener after each change of these tasks. Returns a function that stops this. */
  watch(ids: readonly string[], listener: TaskListener): () => void {
    for (const id of ids) {
      const watching = this.#watched.get(id);
      if (watching) watching.add(listener);
      else this.#watched.set(id, new Set([listener]));
    }
    return () => {
      for (const id of ids) {
        const watching = this.#watched.get(id);
        watching?.delete(listener);
        if (watching?.size === 0) this.#watched.delete(id);
      }
    };
  }

  /** Like `watch`, for all tasks that a client creates. */
  watchClient({ id }: ClientIdentity, listener: TaskListener): () => void {
    return this.watch([keyOfClient(id)], listener);
  }

  async #find(id: string): Promise<TaskRecord | undefined> {
    return this.#running.get(id)?.record ?? (await this.#options.store.get(id));
  }

  readonly #changed = (task: RunningTask, event: TaskEvent): void => {
    const next = nextTask(task.next, event, this.nowMs);
    if (next === task.next) return;
    task.next = next;
    if (!isFinal(next)) this.#show(task, next);
    if (!task.isSaving) task.saved = this.#save(task);
  };

  /** Changes of one turn are announced together, because a notification has all questions of the task. */
  #show(task: RunningTask, record: TaskRecord): void {
    if (record === task.record) return;
    task.record = record;
    if (task.isAnnouncing) return;
    task.isAnnouncing = true;
    queueMicrotask(() => {
      task.isAnnouncing = false;
      this.#notify(task.record);
    });
  }

  #notify(task: TaskRecord): void {
    for (const key of [task.id, keyOfClient(task.client)]) {
      for (const listener of this.#watched.get(key) ?? []) listener(task);
    }
  }

  /** Saves the newest record. Saves of one task never overtake each other. Does not reject. */
  async #save(task: RunningTask): Promise<void> {
    const { id } = task.record;
    task.isSaving = true;
    let saved: TaskRecord | undefined;
    while (saved !== task.next && this.#running.get(id) === task) {
      const next = task.next;
      try {
        const saving = this.#options.store.put(next);
        if (saving) await saving;
        saved = next;
        if (isFinal(next)) this.#running.delete(id);
      } catch (error) {
        if (!this.#refused(task, error)) break;
      }
    }
    task.isSaving = false;
    this.#show(task, task.next);
  }

  /**
   * Ends a task whose change cannot be stored with a short error, which replaces an error of the task too. Returns false
   * if its end cannot be stored either: it stays in memory.
   */
  #refused(task: RunningTask, refusal: unknown): boolean {
    const { next } = task;
    if (task.isRefused || next.status === 'cancelled') return false;
    task.isRefused = true;
    const working: TaskRecord = { ...next, status: 'working', outcome: undefined };
    task.next = nextTask(working, { type: 'ended', outcome: failure(refusal) }, this.nowMs);
    if (!isFinal(next)) task.abandon(refusal as Error);
    return true;
  }

  /** A save in progress could store the record again. */
  async #delete(id: string, running: RunningTask | undefined): Promise<void> {
    if (running?.isSaving) await running.saved;
    await this.#options.store.delete(id);
  }

  #expire(id: string): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    // If the store cannot delete the record now, the record stays, but it can no longer be read.
    void this.#delete(id, running).catch(() => undefined);
    if (!running || isFinal(running.next)) return;
    running.abandon(abandoned('the TTL of the task ended'));
    this.#notify(running.record);
  }
}

/** A task whose work runs in this process. */
export class RunningTask {
  /** The state that clients read. */
  record: TaskRecord;
  /** The newest state, which differs from `record` while a final state is being saved. */
  next: TaskRecord;
  isSaving = false;
  /** Whether the store refused a change, and the task has failed for this reason. */
  isRefused = false;
  /** Whether the change of `record` will be announced at the end of this turn. */
  isAnnouncing = false;
  /** The last save. Never rejects. */
  saved: Promise<void> | undefined;
  #questions: Map<string, PendingQuestion> | undefined;
  readonly #work: Work;
  readonly #changed: (task: RunningTask, event: TaskEvent) => void;

  constructor(record: TaskRecord, work: Work, changed: (task: RunningTask, event: TaskEvent) => void) {
    this.record = record;
    this.next = record;
    this.#work = work;
    this.#changed = changed;
  }

  apply(event: TaskEvent): void {
    this.#changed(this, event);
  }

  /** Ends the task with the answer to its request. Has no effect if the task was cancelled before. */
  ended(answer: Promise<Result>): void {
    answer.then(
      (given) => this.apply({ type: 'ended', outcome: outcomeOf(given) }),
      (error: unknown) => this.apply({ type: 'ended', outcome: failure(error) }),
    );
  }

  /** Asks a question, which stays open until it is answered, the task ends, or `signal` aborts. */
  ask(request: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return new Promise((resolve, reject) => {
      if (isFinal(this.next)) return reject(abandoned('the task has ended'));
      if (signal?.aborted) return reject(signal.reason);
      const key = newKey(this.record, name);
      this.#questions ??= new Map();
      this.#questions.set(key, { resolve, reject });
      signal?.addEventListener('abort', () => this.withdraw(key, signal.reason), { once: true });
      this.apply({ type: 'asked', key, request });
    });
  }

  answer(responses: Params): void {
    const open = Object.entries(this.record.open).filter(([key]) => Object.hasOwn(responses, key));
    for (const [key, request] of open) mustAnswer(key, request, responses[key]);
    for (const [key] of open) this.#settle(key)?.resolve(responses[key] as InputResponse);
  }

  cancel(): void {
    this.apply({ type: 'cancelled', message: 'The task was cancelled by request.' });
    this.abandon(abandoned('its client cancelled the task'));
  }

  withdraw(key: string, reason: unknown): void {
    this.#settle(key)?.reject(reason);
  }

  abandon(reason: Error): void {
    for (const { reject } of this.#questions?.values() ?? []) reject(reason);
    this.#questions?.clear();
    this.#work.cancel(reason);
  }

  #settle(key: string): PendingQuestion | undefined {
    const question = this.#questions?.get(key);
    if (this.#questions?.delete(key)) this.apply({ type: 'answered', key });
    return question;
  }
}

function outcomeOf(given: unknown): TaskOutcome {
  try {
    return { result: asResult(given, 'tools/call') };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): TaskOutcome {
  return { error: errorAnswer(undefined, error).error };
}

/** The key of a client never equals the id of a task, because these are hexadecimal. */
function keyOfClient(id: string): string {
  return `client ${id}`;
}

function abandoned(why: string): UsageError {
  return new UsageError('INPUT_NOT_GIVEN', `The call was abandoned: ${why}`);
}
