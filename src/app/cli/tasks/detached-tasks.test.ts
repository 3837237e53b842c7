import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { handle } from '../../../mcp/handles.ts';
import { stateFolder } from '../../../wire/process/files/cache-folder.ts';
import {
  type DetachedTask,
  detachedTasks,
  findDetached,
  prepareTasksFolder,
  shownId,
  storeTask,
} from './detached-tasks.ts';

const variable = process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_STATE_HOME';
const before = process.env[variable];
const own = temporaryFolder('detached');
let folder: string;
let runs = 0;
beforeEach(() => {
  process.env[variable] = join(own, String(++runs));
  folder = join(stateFolder(), 'detached-tasks');
  prepareTasksFolder();
});
afterAll(() => {
  if (before === undefined) delete process.env[variable];
  else process.env[variable] = before;
});

/** A time in the year 2096, so that nothing expires by itself. */
const LATER = 4e12;

function taskOf(taskId: string, detachedMs = LATER, ttlMs: number | null = 60_000): DetachedTask {
  const time = new Date(detachedMs).toISOString();
  const task = { taskId, status: 'working' as const, createdAt: time, lastUpdatedAt: time, ttlMs };
  return {
    server: 'studio',
    tool: 'render',
    revision: '2026-07-28',
    task,
    place: { settings: {}, options: {} },
    detachedMs,
  };
}

test('stores tasks oldest first, one file for each, with only the data to find them again', () => {
  const second = taskOf('b', LATER + 1);
  storeTask({ ...second, task: { ...second.task, result: { content: [] }, statusMessage: 'half' } });
  storeTask(taskOf('a'));
  storeTask(taskOf('a'));
  expect(detachedTasks().map(({ task }) => task.taskId)).toEqual(['a', 'b']);
  expect(detachedTasks()[1]).toEqual(second);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('removes a task when its TTL has ended, and one without a TTL after 30 days', () => {
  const day = 24 * 60 * 60_000;
  storeTask(taskOf('short', 0, day));
  storeTask(taskOf('endless', 0, null));
  const ids = (nowMs: number) => detachedTasks(nowMs).map(({ task }) => task.taskId);
  expect(ids(day - 1).sort()).toEqual(['endless', 'short']);
  expect(ids(day)).toEqual(['endless']);
  expect(ids(30 * day - 1)).toEqual(['endless']);
  expect(ids(30 * day)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('refuses a further task above the limit', () => {
  for (let number = 0; number < 1_000; number++) storeTask(taskOf(`id-${number}`));
  expect(prepareTasksFolder).toThrow('1000 detached tasks are stored, which is the limit');
});

test('ignores files that are not tasks', () => {
  mkdirSync(join(folder, 'folder.json'));
  for (const [at, text] of ['', '{}', 'null', '{"task":{},"place":{}}'].entries()) {
    writeFileSync(join(folder, `${at}.json`), text);
  }
  expect(detachedTasks()).toEqual([]);
});

test('abbreviates the id that the server assigned, unless another task has the same', () => {
  const ids = [
    handle('a', handle('b', '12345678ab')),
    handle('c', handle('d', '87654321')),
    handle('c', '1'),
    handle('d', '1'),
  ];
  for (const id of ids) storeTask(taskOf(id));
  const all = detachedTasks();
  const shown = ids.map((id) => shownId(findDetached(id), all));
  expect(shown).toEqual(['12345678', '87654321', ids[2], ids[3]]);
  expect(shown.map((id) => findDetached(id).task.taskId)).toEqual(ids);
  expect(() => findDetached('1')).toThrow('The ids of 3 tasks begin with "1"');
});

test('finds a task by a prefix of its id, and shows the shortest unique prefix', () => {
  for (const id of ['12345678ab', '12345678ac', '12', 'other-id-of-a-task']) storeTask(taskOf(id));
  const all = detachedTasks();
  const shown = (id: string) => shownId(findDetached(id), all);
  expect(['12345678ab', '12', 'other'].map(shown)).toEqual(['12345678ab', '12', 'other-id']);
  expect(() => findDetached('123')).toThrow('The ids of 2 tasks begin with "123"');
  expect(() => findDetached('x')).toThrow('There is no detached task "x"');
});
