// A task as plain data, and its states as a pure function. A record is never modified: each event makes another one, so
// that a store can keep it as it is.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import type { Result } from '../../service.ts';
import type { InputRequest } from '../../types.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export interface TaskError {
  code: number;
  message: string;
  data?: unknown;
}

/** The answer to the request that became a task. A tool error is a result. */
export type TaskOutcome = { readonly result: Result } | { readonly error: TaskError };

export interface TaskRecord {
  readonly id: string;
  /** The principal that may use the task; undefined if the gateway verifies nothing. */
  readonly principal: string | undefined;
  /** The identity of the client that created the task. */
  readonly client: string;
  readonly status: TaskStatus;
  readonly statusMessage: string | undefined;
  /** Unit: milliseconds since 1970, as for all times in a record. */
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Time from the creation in milliseconds; null if the task never expires. */
  readonly ttlMs: number | null;
  /** A fixed poll interval. Default: the interval grows with the age of the task. */
  readonly pollMs: number | undefined;
  /** The memory of the request, and of data that is kept for it until the task ends. */
  readonly requestBytes: number;
  /** Unanswered questions by key. */
  readonly open: Readonly<Record<string, InputRequest>>;
  /** The keys of earlier questions, which are never used again. */
  readonly answered: readonly string[];
  /** The outcome. A store may parse it whenever it is read. */
  readonly outcome: TaskOutcome | undefined;
  /** Whether the outcome is a tool error. */
  readonly isToolError?: boolean;
}

export type TaskEvent =
  | { readonly type: 'progressed'; readonly message: string }
  | { readonly type: 'kept'; readonly requestBytes: number }
  | { readonly type: 'asked'; readonly key: string; readonly request: InputRequest }
  /** The question was answered, or its answer is no longer needed. */
  | { readonly type: 'answered'; readonly key: string }
  | { readonly type: 'ended'; readonly outcome: TaskOutcome }
  | { readonly type: 'cancelled'; readonly message: string };

/** The questions of a new record, shared by all records: most tasks ask nothing. */
export const NO_QUESTIONS: Pick<TaskRecord, 'open' | 'answered'> = { open: {}, answered: [] };
/** Limit of the questions that one task may ask, because their keys are kept. */
export const MOST_QUESTIONS = 1000;
/** Limit of a key in characters: longer keys of questions are replaced. */
export const MOST_KEY_CHARS = 256;
/** Limit of `statusMessage` in characters. */
export const MOST_MESSAGE_CHARS = 1024;

export function isFinal({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** Returns the same record if the event changes nothing: a final state never changes. */
export function nextTask(task: TaskRecord, event: TaskEvent, nowMs: number): TaskRecord {
  if (isFinal(task)) return task;
  const changed = changes(task, event);
  return changed ? { ...task, ...changed, updatedMs: nowMs } : task;
}

function changes(task: TaskRecord, event: TaskEvent): Partial<TaskRecord> | undefined {
  switch (event.type) {
    case 'progressed': {
      const statusMessage = firstChars(event.message, MOST_MESSAGE_CHARS);
      return statusMessage === task.statusMessage ? undefined : { statusMessage };
    }
    case 'kept':
      return event.requestBytes === task.requestBytes ? undefined : { requestBytes: event.requestBytes };
    case 'asked':
      return { status: 'input_required', open: { ...task.open, [event.key]: event.request } };
    case 'answered': {
      if (!Object.hasOwn(task.open, event.key)) return undefined;
      const { [event.key]: _, ...open } = task.open;
      const status = Object.keys(open).length > 0 ? 'input_required' : 'working';
      return { status, open, answered: [...task.answered, event.key] };
    }
    case 'ended': {
      const { outcome } = event;
      const isToolError = 'result' in outcome && outcome.result.isError === true;
      const ended = { ...NO_QUESTIONS, requestBytes: 0, outcome, isToolError };
      if ('result' in outcome) return { ...ended, status: 'completed' };
      return { ...ended, status: 'failed', statusMessage: firstChars(outcome.error.message, MOST_MESSAGE_CHARS) };
    }
    case 'cancelled':
      return { ...NO_QUESTIONS, requestBytes: 0, status: 'cancelled', statusMessage: event.message };
  }
}

/** Returns a key that the task has never used, which is the wanted one if possible. A long key is replaced. */
export function newKey({ open, answered }: TaskRecord, wanted: string | undefined): string {
  const used = Object.keys(open).length + answered.length;
  if (used >= MOST_QUESTIONS) {
    throw new RpcError(RpcCode.serverBusy, `A task may ask at most ${MOST_QUESTIONS} questions`);
  }
  const isUsed = (key: string) => key === '__proto__' || Object.hasOwn(open, key) || answered.includes(key);
  const isShort = wanted !== undefined && wanted.length <= MOST_KEY_CHARS;
  if (isShort && !isUsed(wanted)) return wanted;
  const name = isShort ? wanted : 'input';
  let number = used + 1;
  while (isUsed(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

export function expiresMs({ createdMs, ttlMs }: TaskRecord): number {
  return ttlMs === null ? Number.POSITIVE_INFINITY : createdMs + ttlMs;
}

/** The TTL that the client wants, but at most `longestMs`. The specification requires an integer. */
export function ttlFor(wanted: unknown, longestMs: number | null): number | null {
  const isWanted = typeof wanted === 'number' && wanted > 0;
  const ttlMs = isWanted ? Math.min(wanted, longestMs ?? wanted) : longestMs;
  return ttlMs === null ? null : Math.ceil(ttlMs);
}

const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 5_000;

/** Returns a quarter of the age of the task: waiting for the next poll makes a call at most 25 % longer. */
export function pollIntervalMs({ pollMs, createdMs, updatedMs }: TaskRecord, nowMs = updatedMs): number {
  return pollMs ?? Math.round(Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, (nowMs - createdMs) / 4)));
}
