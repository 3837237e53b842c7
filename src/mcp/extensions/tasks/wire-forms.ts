// A task as the two forms show it: the extension of 2026-07-28, and the experimental form of 2025-11-25.

import { isObject, metaOf } from '../../../base/json-object.ts';
import type { FactsChange } from '../../layers/layer.ts';
import { isModernRevision, type Revision } from '../../revisions.ts';
import type { ClientFacts, Params, Result, ServiceFacts } from '../../service.ts';
import type { InputRequest, Tool } from '../../types.ts';
import { isFinal, pollIntervalMs, type TaskError, type TaskRecord, type TaskStatus } from './record.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
/** 2025-11-25: names the task of a message in `_meta`. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** The only revision with the experimental form. */
export const EXPERIMENTAL = '2025-11-25' satisfies Revision;

/** How a tool declares tasks. */
export type TaskSupport = 'optional' | 'required';

export function supportOf(tool: Tool | undefined): TaskSupport | undefined {
  return (tool as { task?: TaskSupport } | undefined)?.task;
}

const modernFacts: FactsChange = ({ capabilities: { tasks: _, ...others }, ...facts }) => ({
  ...facts,
  capabilities: { ...others, extensions: { ...others.extensions, [TASKS]: {} } },
});

export const withoutTasks: FactsChange = ({ capabilities: { tasks: _, extensions, ...others }, ...facts }) => {
  const { [TASKS]: _ours, ...left } = extensions ?? {};
  return { ...facts, capabilities: { ...others, ...(Object.keys(left).length > 0 && { extensions: left }) } };
};

const experimentalFacts: FactsChange = (given) => {
  const { capabilities, ...facts } = withoutTasks(given);
  return {
    ...facts,
    capabilities: { ...capabilities, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  };
};

/**
 * The declaration of a server with tasks depends on the revision of the client: the extension, the experimental
 * capability, or nothing.
 */
export function factsWithTasks(client: ClientFacts | undefined): FactsChange {
  if (!client || isModernRevision(client.revision)) return modernFacts;
  return client.revision === EXPERIMENTAL ? experimentalFacts : withoutTasks;
}

/** The specification: "An empty object indicates support." Settings are tolerated, other values are not. */
export function declaresTasks({ revision, capabilities }: Pick<ClientFacts, 'revision' | 'capabilities'>): boolean {
  return isModernRevision(revision) && isObject(capabilities.extensions?.[TASKS]);
}

/** 2025-11-25: whether the client wants this call to be a task. */
export function wantsTask({ task }: Params, { revision }: ClientFacts): boolean {
  return task !== undefined && revision === EXPERIMENTAL;
}

/** The form of tasks that a server has. */
export function formOf({ capabilities, revision }: ServiceFacts & { revision?: Revision }): TaskForm | undefined {
  if (isModernRevision(revision)) return isObject(capabilities.extensions?.[TASKS]) ? 'extension' : undefined;
  return revision === EXPERIMENTAL && capabilities.tasks?.requests?.tools?.call ? 'experimental' : undefined;
}

export type TaskForm = 'extension' | 'experimental';

/** A task as a client sees it. */
export interface TaskState {
  taskId: string;
  status: TaskStatus;
  /** A text for people or for the model. */
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** Milliseconds from creation until the server may remove the task; null if it does not expire. */
  ttlMs: number | null;
  pollIntervalMs?: number;
  /** Questions that wait for an answer, by key. */
  inputRequests?: Record<string, InputRequest>;
  /** The result of the call, for a completed task. */
  result?: Result;
  /** The protocol error of the call, for a failed task. */
  error?: TaskError;
}

function described(task: TaskRecord) {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.statusMessage !== undefined && { statusMessage: task.statusMessage }),
    createdAt: new Date(task.createdMs).toISOString(),
    lastUpdatedAt: new Date(task.updatedMs).toISOString(),
  };
}

/** 2026-07-28: the members that every description of a task has. */
export function modernTask(task: TaskRecord, nowMs: number): TaskState {
  const interval = isFinal(task) ? {} : { pollIntervalMs: pollIntervalMs(task, nowMs) };
  return { ...described(task), ttlMs: task.ttlMs, ...interval };
}

/** 2026-07-28: the content of `tasks/get` and `notifications/tasks`. */
export function detailedTask(task: TaskRecord, nowMs: number): TaskState {
  const shown = modernTask(task, nowMs);
  if (task.status === 'input_required') return { ...shown, inputRequests: task.open };
  const { outcome } = task;
  if (!outcome) return shown;
  if ('error' in outcome) return { ...shown, error: outcome.error };
  // "Exactly what the underlying request would have returned": every result of this revision has a type.
  return { ...shown, result: { resultType: 'complete', ...outcome.result } };
}

/** 2025-11-25: a tool error is a failure, and the payload is read with another method. */
export function experimentalTask(task: TaskRecord, nowMs: number): Result {
  const interval = isFinal(task) ? {} : { pollInterval: pollIntervalMs(task, nowMs) };
  const shown = { ...described(task), ttl: task.ttlMs, ...interval };
  return task.isToolError ? { ...shown, status: 'failed', statusMessage: 'The tool reported an error.' } : shown;
}

/** Converts a task of a 2025-11-25 server to the members of 2026-07-28. */
export function readExperimental(given: unknown): TaskState {
  const { ttl, pollInterval, ...task }: Params = isObject(given) ? given : {};
  return {
    ...(task as unknown as TaskState),
    ttlMs: typeof ttl === 'number' ? ttl : null,
    ...(typeof pollInterval === 'number' && { pollIntervalMs: pollInterval }),
  };
}

/** 2025-11-25: adds the task that a message belongs to. */
export function withRelatedTask<T extends object>(message: T, taskId: string): T {
  return { ...message, _meta: { ...metaOf(message), [RELATED_TASK]: { taskId } } };
}

/** 2025-11-25: the id of the task that a message belongs to. */
export function relatedTask(message: Params): string | undefined {
  const related = metaOf(message)?.[RELATED_TASK];
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

export function withRelatedIds(message: Params, rewrite: (id: string) => string): Params {
  const id = relatedTask(message);
  return id === undefined ? message : withRelatedTask(message, rewrite(id));
}

/** Replaces the ids of tasks in the result of a call in both forms, or in a list. */
export function withTaskIds(given: Params, rewrite: (id: string) => string): Params {
  const renamed = (task: unknown) =>
    isObject(task) && typeof task.taskId === 'string' ? { ...task, taskId: rewrite(task.taskId) } : task;
  if (Array.isArray(given.tasks)) return { ...given, tasks: given.tasks.map(renamed) };
  return given.task === undefined ? (renamed(given) as Params) : { ...given, task: renamed(given.task) };
}

export function withoutRelatedTask(result: Result): Result {
  const meta = metaOf(result);
  if (!meta || !(RELATED_TASK in meta)) return result;
  const { [RELATED_TASK]: _, ...others } = meta;
  const { _meta, ...rest } = result;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

/** The result of `tools/list` with changed tools. */
export function withTools(result: Result | Promise<Result>, change: (tool: Tool) => Tool): Result | Promise<Result> {
  if (result instanceof Promise) return result.then((settled) => withTools(settled, change));
  const tools = isObject(result) && Array.isArray(result.tools) ? (result.tools as Tool[]) : [];
  return tools.length === 0 ? result : { ...result, tools: tools.map(change) };
}
