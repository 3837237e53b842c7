// The tasks of all clients, oldest first.

import type { TaskSummary } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { Cell } from './cell.ts';

const MAX_TASKS = 2_000;

export const tasks = new Map<string, TaskSummary>();
/** Changes with `tasks`, which is not copied for each change: thousands of tasks may be polled at once. */
export const tasksVersion = new Cell(0);

export function isRunning({ status }: Pick<TaskSummary, 'status'>): boolean {
  return status === 'working' || status === 'input_required';
}

/** Finds a task by its own id, or by the id of its call. */
export function taskWith(id: string | undefined): TaskSummary | undefined {
  if (id === undefined) return undefined;
  return tasks.get(id) ?? [...tasks.values()].find(({ callId }) => callId === id);
}

export function putTask(task: TaskSummary): void {
  tasks.set(task.id, task);
  if (tasks.size > MAX_TASKS) tasks.delete(dispensable());
  tasksVersion.update((version) => version + 1);
}

/** The oldest task that has ended. The oldest of all if all are running. */
function dispensable(): string {
  for (const [id, task] of tasks) if (!isRunning(task)) return id;
  return tasks.keys().next().value!;
}

export async function loadTasks(): Promise<void> {
  for (const task of await api.tasks()) putTask(task);
}
