import { expect, test } from 'vitest';
import type { TaskRecord } from './record.ts';
import { MemoryTaskStore } from './store.ts';

const task = (id: string, principal?: string): TaskRecord => ({
  id,
  principal,
  client: '1',
  status: 'working',
  statusMessage: undefined,
  createdMs: 0,
  updatedMs: 0,
  ttlMs: null,
  pollMs: undefined,
  requestBytes: 0,
  open: {},
  answered: [],
  outcome: undefined,
});
const ended = (id: string, text: string, principal?: string): TaskRecord => ({
  ...task(id, principal),
  status: 'completed',
  outcome: { result: { content: [], text } },
});

test('lists the tasks of a principal in the order of their creation', () => {
  const store = new MemoryTaskStore();
  for (const [id, principal] of [
    ['1', 'ada'],
    ['2', 'bob'],
    ['3', 'ada'],
  ] as const)
    store.put(task(id, principal));
  store.put(ended('1', 'x', 'ada'));
  expect(store.list('ada').map(({ id }) => id)).toEqual(['1', '3']);
  expect(store.list(undefined)).toEqual([]);
});

test('refuses a new task above the limits, and accepts changes of known ones', () => {
  const store = new MemoryTaskStore({ maxTasks: 3, maxPrincipalTasks: 2 });
  store.put(task('1', 'ada'));
  store.put(task('2', 'ada'));
  expect(() => store.put(task('3', 'ada'))).toThrow('this principal has 2 tasks');
  store.put(task('3', 'bob'));
  expect(() => store.put(task('4', 'bob'))).toThrow('the server has 3 tasks');
  store.put({ ...task('1', 'ada'), statusMessage: 'half' });
  store.delete('1');
  store.put(task('5', 'ada'));
  expect(store.size).toBe(3);
});

test('counts the bytes of results, for each principal and in total', () => {
  const store = new MemoryTaskStore({ maxTaskBytes: 3000, maxPrincipalTaskBytes: 2000 });
  for (const [id, principal] of [
    ['1', 'ada'],
    ['2', 'ada'],
    ['3', 'bob'],
    ['4', 'cyd'],
  ] as const)
    store.put(task(id, principal));
  store.put(ended('1', 'x'.repeat(1100), 'ada'));
  expect(() => store.put(ended('2', 'x'.repeat(1100), 'ada'))).toThrow('more than 2000 bytes');
  store.put(ended('3', 'x'.repeat(1100), 'bob'));
  expect(() => store.put(ended('4', 'x'.repeat(1100), 'cyd'))).toThrow('more than 3000 bytes');
  expect(store.get('4')?.status).toBe('working');
  store.delete('1');
  store.delete('3');
  store.put(ended('4', 'x'.repeat(1100), 'cyd'));
  store.delete('4');
  store.delete('2');
  expect([store.bytes, store.size]).toEqual([0, 0]);
});

test('counts pending questions with their keys and objects, and the keys of answered ones', () => {
  const store = new MemoryTaskStore();
  const bytesOf = (questions: Partial<TaskRecord>) => {
    store.put({ ...task('1'), ...questions });
    return store.bytes;
  };
  const request = { method: 'roots/list' as const };
  const bytes = JSON.stringify(request).length;
  expect(bytesOf({ open: { ['k'.repeat(100)]: request } })).toBe(bytes + 100);
  expect(bytesOf({ open: { b: request }, answered: ['k'.repeat(100)] })).toBe(bytes + 101);
  const nested = { ...request, params: { _meta: { list: Array.from({ length: 10_000 }, () => ({})) } } };
  expect(bytesOf({ open: { b: nested as never } })).toBeGreaterThan(64 * 10_000);
  expect(bytesOf({ open: {} })).toBe(0);
});

test('measures each question once', () => {
  const store = new MemoryTaskStore();
  let written = 0;
  let open: TaskRecord['open'] = {};
  for (let number = 0; number < 100; number++) {
    const toJSON = () => `question ${++written}`;
    open = { ...open, [number]: { method: 'roots/list', toJSON } as never };
    store.put({ ...task('1'), open });
  }
  expect(written).toBe(100);
});

test('keeps a result as text', () => {
  const store = new MemoryTaskStore();
  const outcome = { result: { content: [], rows: [{ a: 1 }] } };
  store.put({ ...task('1'), status: 'completed', outcome });
  outcome.result.rows.length = 0;
  expect(store.get('1')).toEqual({
    ...task('1'),
    status: 'completed',
    outcome: { result: { content: [], rows: [{ a: 1 }] } },
  });
  expect(store.get('1')!.outcome).not.toBe(store.get('1')!.outcome);
  expect(store.bytes).toBe(JSON.stringify(store.get('1')!.outcome).length);
});

test('refuses a result that is not JSON', () => {
  const store = new MemoryTaskStore();
  store.put(task('1'));
  expect(() => store.put({ ...task('1'), outcome: { result: { big: 1n } } })).toThrow('Cannot be serialized');
});
