// How messages name and describe tasks, in the extension of 2026-07-28 and in the experimental form of 2025-11-25. Every value comes
// from a peer: ids that are too long are ignored, and texts are cut.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof statuses)[number];
export type TaskForm = '2026-07-28' | '2025-11-25';

/** The number of questions, and their keys as text. */
export interface OpenQuestions {
  count: number;
  keys: string;
}

/** The state of a task in a message. */
export interface TaskState {
  taskId: string;
  form: TaskForm;
  status: TaskStatus;
  statusMessage?: string;
  /** The pending questions. */
  questions?: OpenQuestions;
  /** The message has the result of the call, or its protocol error. */
  hasOutcome?: true;
  /** The result is an error of the tool (`isError`). */
  toolError?: true;
  error?: { code: number; message: string };
}

/** The task that a message belongs to. */
export interface TaskMention {
  taskId: string;
  /** The message was sent by the side that runs the task. */
  fromReceiver?: true;
  /** The message describes the task. */
  state?: TaskState;
  /** The message is the answer to the request that became the task. */
  creates?: true;
}

const LONGEST_ID = 2_000;
const LONGEST_TEXT = 1_000;
/** Limit for one answer to `tasks/list`. */
const MOST_LISTED = 200;
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The task of a request or notification. */
export function taskOfMessage(method: string, params: unknown): TaskMention | undefined {
  if (!isObject(params)) return undefined;
  if (method.startsWith('tasks/')) return mention(params.taskId);
  if (method.startsWith('notifications/tasks')) {
    const state = stateOf(params);
    return state && { taskId: state.taskId, fromReceiver: true, state };
  }
  const related = mention(relatedId(params));
  if (related) return { ...related, fromReceiver: true };
  // A subscription to a single task.
  const ids = isObject(params.notifications) ? params.notifications.taskIds : undefined;
  const listened = Array.isArray(ids) && ids.length === 1 ? mention(ids[0]) : undefined;
  return listened && method.startsWith('notifications/') ? { ...listened, fromReceiver: true } : listened;
}

/** The task in a result. Whether members with these names describe a task depends on the request. */
export function taskOfResult(result: JsonObject): TaskMention | undefined {
  const creates = result.resultType === 'task' || isObject(result.task);
  const state = stateOf(isObject(result.task) ? result.task : result);
  if (state) return { taskId: state.taskId, fromReceiver: true, state, ...(creates && { creates }) };
  const related = mention(relatedId(result));
  return related && { ...related, fromReceiver: true };
}

/** 2025-11-25: the tasks in an answer to `tasks/list`. */
export function listedTasks({ tasks }: JsonObject): TaskState[] | undefined {
  if (!Array.isArray(tasks)) return undefined;
  return tasks.slice(0, MOST_LISTED).flatMap((task) => (isObject(task) ? (stateOf(task) ?? []) : []));
}

const idAtTheStart = /"taskId"\s*:\s*"((?:[^"\\]|\\.){1,200})"/;
const statusAtTheStart = /"status"\s*:\s*"(\w+)"/;

/** The beginning of a message that is too long to be stored: the members of a task precede its result in most programs. */
export function taskOfStart(head: string): TaskMention | undefined {
  const { 1: taskId } = idAtTheStart.exec(head) ?? [];
  const state = stateOf({ taskId, status: statusAtTheStart.exec(head)?.[1] });
  return state && { taskId: state.taskId, fromReceiver: true, state };
}

function stateOf(task: JsonObject): TaskState | undefined {
  const known = mention(task.taskId);
  const status = statuses.find((each) => each === task.status);
  if (!known || !status) return undefined;
  // 2025-11-25 requires `ttl`, and 2026-07-28 `ttlMs`.
  const state: TaskState = { ...known, form: 'ttl' in task ? '2025-11-25' : '2026-07-28', status };
  const { statusMessage, inputRequests, result, error } = task;
  if (typeof statusMessage === 'string') state.statusMessage = statusMessage.slice(0, LONGEST_TEXT);
  if (status === 'input_required' && isObject(inputRequests)) {
    const keys = Object.keys(inputRequests);
    state.questions = { count: keys.length, keys: keys.join(' ').slice(0, LONGEST_TEXT) };
  }
  if (isObject(result) || isObject(error)) state.hasOutcome = true;
  if (isObject(result) && result.isError === true) state.toolError = true;
  if (isObject(error)) {
    state.error = { code: Number(error.code), message: String(error.message).slice(0, LONGEST_TEXT) };
  }
  return state;
}

function mention(taskId: unknown): { taskId: string } | undefined {
  const isKept = typeof taskId === 'string' && taskId !== '' && taskId.length <= LONGEST_ID;
  return isKept ? { taskId } : undefined;
}

function relatedId(message: JsonObject): unknown {
  const related = metaOf(message)?.[RELATED_TASK];
  return isObject(related) ? related.taskId : undefined;
}

/** Approximate number of characters, for limits of memory. */
export function charsOf(task: TaskMention | undefined): number {
  if (!task) return 0;
  const { statusMessage, questions, error } = task.state ?? {};
  const texts = [task.taskId, task.taskId, statusMessage, questions?.keys, error?.message];
  return texts.reduce((sum, text = '') => sum + text.length, 0);
}
