import { expect, test } from 'vitest';
import {
  isFinal,
  MOST_QUESTIONS,
  newKey,
  nextTask,
  pollIntervalMs,
  type TaskEvent,
  type TaskRecord,
  ttlFor,
} from './record.ts';

const created: TaskRecord = {
  id: '1',
  principal: undefined,
  client: '1',
  status: 'working',
  statusMessage: undefined,
  createdMs: 1000,
  updatedMs: 1000,
  ttlMs: 60_000,
  pollMs: undefined,
  requestBytes: 0,
  open: {},
  answered: [],
  outcome: undefined,
};
const request = { method: 'roots/list' as const };
const asked = (key: string): TaskEvent => ({ type: 'asked', key, request });
const after = (...events: TaskEvent[]) => events.reduce((task, event) => nextTask(task, event, 2000), created);

const ends: TaskEvent[] = [
  { type: 'ended', outcome: { result: { content: [], isError: true } } },
  { type: 'ended', outcome: { error: { code: -32603, message: 'gone' } } },
  { type: 'cancelled', message: 'enough' },
];

test('a task needs input until each of its questions is answered', () => {
  const both = after(asked('a'), asked('b'));
  expect(both).toMatchObject({ status: 'input_required', open: { a: request, b: request }, updatedMs: 2000 });
  const one = nextTask(both, { type: 'answered', key: 'a' }, 3000);
  expect(one).toMatchObject({ status: 'input_required', open: { b: request }, answered: ['a'] });
  expect(nextTask(one, { type: 'answered', key: 'b' }, 3000)).toMatchObject({ status: 'working', open: {} });
});

test.each(ends)('no event changes a task after %j', (end) => {
  const ended = after(asked('a'), end);
  expect(isFinal(ended)).toBe(true);
  expect(ended.open).toEqual({});
  for (const event of [...ends, asked('b'), { type: 'progressed', message: 'more' } as const]) {
    expect(nextTask(ended, event, 9000)).toBe(ended);
  }
});

test('a tool error completes a task, and a protocol error fails it with a message', () => {
  expect(ends.map((end) => after(end).status)).toEqual(['completed', 'failed', 'cancelled']);
  expect(after(ends[1]!).statusMessage).toBe('gone');
});

test('an event without an effect returns the same record', () => {
  const told = after({ type: 'progressed', message: 'half' });
  expect(told).toMatchObject({ status: 'working', statusMessage: 'half' });
  expect(nextTask(told, { type: 'progressed', message: 'half' }, 3000)).toBe(told);
  expect(nextTask(told, { type: 'answered', key: 'unknown' }, 3000)).toBe(told);
});

test('shortens a long progress message', () => {
  expect(after({ type: 'progressed', message: 'x'.repeat(5000) }).statusMessage).toHaveLength(1024);
});

test('never uses the key of a question twice', () => {
  const answered = after(asked('who'), { type: 'answered', key: 'who' }, asked('input-2'));
  expect(newKey(answered, 'who')).toBe('who-3');
  expect(newKey(answered, 'other')).toBe('other');
  expect(newKey(answered, undefined)).toBe('input-3');
  expect(newKey(created, '__proto__')).toBe('__proto__-1');
});

test('replaces a long key', () => {
  expect(newKey(created, 'k'.repeat(256))).toHaveLength(256);
  expect(newKey(created, 'k'.repeat(257))).toBe('input-1');
});

test('limits the questions of a task', () => {
  const full = { ...created, answered: Array.from({ length: MOST_QUESTIONS }, (_, at) => String(at)) };
  expect(() => newKey(full, 'more')).toThrow('at most 1000 questions');
});

test('the poll interval grows with the age of the task', () => {
  expect([0, 1000, 4000, 60_000].map((ageMs) => pollIntervalMs(created, created.createdMs + ageMs))).toEqual([
    100, 250, 1000, 5000,
  ]);
  expect(pollIntervalMs({ ...created, pollMs: 7 })).toBe(7);
});

test('the TTL is an integer, and the shorter of two', () => {
  const wishes = [undefined, 'x', -1, 0.5, 5, 99];
  expect(wishes.map((wanted) => ttlFor(wanted, 10.5))).toEqual([11, 11, 11, 1, 5, 11]);
  expect(wishes.map((wanted) => ttlFor(wanted, null))).toEqual([null, null, null, 1, 5, 99]);
});
