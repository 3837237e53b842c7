// The tasks that this user has detached: one private file for each in the state folder, so that commands at the same time do not lose each
// other's. A file is removed when the TTL of its task ends.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toError, UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { shortHash } from '../../../base/short-hash.ts';
import type { SavedTask } from '../../../mcp/extensions/tasks/task-handle.ts';
import { innermostId } from '../../../mcp/handles.ts';
import { stateFolder } from '../../../wire/process/files/cache-folder.ts';
import { replacePrivately } from '../../../wire/process/files/private-file.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import type { Settings } from '../invocation.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';

/** How a later command reaches the server. Without secrets: it reads variables of the environment again. */
export interface ServerPlace {
  settings: Pick<Settings, 'control' | 'config' | 'alone'>;
  options: ServerCommandOptions & FleetOptions;
  /** The options that name the config of the host, from any folder. */
  start?: readonly string[];
}

export interface DetachedTask extends SavedTask {
  server: string;
  place: ServerPlace;
  detachedMs: number;
}

const MOST_TASKS = 1_000;
const MOST_CHARACTERS = 64 * 1024;
/** How long a task without a TTL is kept. */
const LONGEST_MS = 30 * 24 * 60 * 60_000;
const LEAST_SHOWN = 8;

function tasksFolder(): string {
  return join(stateFolder(), 'detached-tasks');
}

/** The detached tasks, oldest first, without expired ones. */
export function detachedTasks(nowMs = Date.now()): DetachedTask[] {
  const found = filesIn(tasksFolder()).flatMap((file) => {
    const task = readTaskFile(file);
    if (!task || expiresMs(task) > nowMs) return task ?? [];
    rmSync(file, { force: true });
    return [];
  });
  return found.sort((a, b) => a.detachedMs - b.detachedMs);
}

export function expiresMs({ detachedMs, task: { ttlMs } }: DetachedTask): number {
  return detachedMs + Math.min(ttlMs ?? LONGEST_MS, LONGEST_MS);
}

/** Called before a call is sent, because a task that cannot be stored could not be found again. */
export function prepareTasksFolder(): void {
  const folder = tasksFolder();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError('FILE_NOT_WRITABLE', `Tasks cannot be stored in ${folder}: ${toError(error).message}`, {
      hint: `Set ${process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_STATE_HOME'} to a folder that you can write to.`,
      cause: error,
    });
  }
  if (detachedTasks().length < MOST_TASKS) return;
  throw new UsageError('NOT_SUPPORTED', `${MOST_TASKS} detached tasks are stored, which is the limit`, {
    hint: `Tasks are removed when their TTL ends. \`${ownCommand} tasks ls\` lists them; remove files that are not needed from ${folder}`,
  });
}

/** Stores the task, or replaces its stored state. */
export function storeTask(detached: DetachedTask): void {
  const { taskId, status, createdAt, lastUpdatedAt, ttlMs } = detached.task;
  const text = JSON.stringify({ ...detached, task: { taskId, status, createdAt, lastUpdatedAt, ttlMs } });
  if (text.length > MOST_CHARACTERS) throw new UsageError('NOT_SUPPORTED', 'The task is too long to be stored');
  replacePrivately(join(tasksFolder(), `${shortHash(`${detached.server} ${taskId}`)}.json`), text);
}

/** Removes hyphens at the start of an id, because an argument that begins with a hyphen would be read as an option. */
export function argumentOf(taskId: string): string {
  return taskId.replace(/^-+(?=[^-])/, '');
}

/**
 * The part of an id that the server assigned, as an argument. A host puts the owners before this part, and their text
 * is the same for all tasks.
 */
export function ownPartOf(taskId: string): string {
  return argumentOf(innermostId(taskId));
}

/** Finds a task by its id, or by the beginning of the part that its server assigned, with or without leading hyphens. */
export function findDetached(given: string): DetachedTask {
  const all = detachedTasks();
  const found = all.filter(({ task: { taskId } }) => {
    if ([taskId, argumentOf(taskId)].includes(given)) return true;
    return [innermostId(taskId), ownPartOf(taskId)].some((part) => part.startsWith(given));
  });
  const exact = found.find(({ task: { taskId } }) => [taskId, argumentOf(taskId)].includes(given));
  const [first, ...others] = found;
  if (exact ?? (others.length === 0 && first)) return (exact ?? first)!;
  if (!first) {
    throw new UsageError('NAME_UNKNOWN', `There is no detached task "${given}"`, {
      hint:
        all.length > 0
          ? `\`${ownCommand} tasks ls\` lists them. A task is forgotten when its TTL ends.`
          : `\`${ownCommand} call … --detach\` starts one. A task is forgotten when its TTL ends.`,
    });
  }
  const meant = found.slice(0, 10).map((task) => `${shownId(task, all)} (${task.server}/${task.tool})`);
  throw new UsageError('NAME_AMBIGUOUS', `The ids of ${found.length} tasks begin with "${given}"`, {
    hint: `Write more of the id: ${meant.join(', ')}`,
  });
}

/** The shortest beginning of the part that the server assigned which no other task has, of at least 8 characters. */
export function shownId({ task: { taskId } }: DetachedTask, all: readonly DetachedTask[]): string {
  const id = ownPartOf(taskId);
  const others = all.filter(({ task }) => task.taskId !== taskId).map(({ task }) => ownPartOf(task.taskId));
  for (let length = Math.min(LEAST_SHOWN, id.length); length <= id.length; length++) {
    if (!others.some((other) => other.startsWith(id.slice(0, length)))) return id.slice(0, length);
  }
  return argumentOf(taskId);
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch {
    return []; // no task was detached
  }
}

function readTaskFile(file: string): DetachedTask | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isDetached(value) ? value : undefined;
  } catch {
    return undefined; // the file was removed in the meantime, or another program wrote it
  }
}

function isDetached(value: unknown): value is DetachedTask {
  if (!isObject(value) || !isObject(value.task) || !isObject(value.place)) return false;
  const { server, tool, detachedMs } = value;
  const texts = [server, tool, value.task.taskId, value.task.status, value.task.createdAt];
  return texts.every((text) => typeof text === 'string') && typeof detachedMs === 'number';
}
