import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { type ClientFacts, newClient, silentCaller } from '../../service.ts';
import { RunningTask, TaskEngine } from './engine.ts';
import type { TaskEvent, TaskRecord } from './record.ts';
import { MemoryTaskStore, type TaskStore } from './store.ts';
import { TaskCaller } from './task-caller.ts';

const client = newClient('ada');
const facts: ClientFacts = {
  identity: client,
  revision: '2026-07-28',
  capabilities: {},
  info: undefined,
  logLevel: undefined,
};
const ignore = { cancel: () => undefined };

/** Saves each record only when the test allows it. */
class SlowStore implements TaskStore {
  readonly kept = new MemoryTaskStore();
  readonly puts: { status: string; message: string | undefined; finish(error?: Error): void }[] = [];
  isSlow = false;

  get(id: string) {
    return this.kept.get(id);
  }

  put(task: TaskRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (error?: Error) => {
        if (error) return reject(error);
        this.kept.put(task);
        resolve();
      };
      if (this.isSlow) this.puts.push({ status: task.status, message: task.statusMessage, finish });
      else finish();
    });
  }

  delete(id: string) {
    this.kept.delete(id);
  }

  list(principal: string | undefined) {
    return this.kept.list(principal);
  }
}

async function slowTask() {
  const store = new SlowStore();
  const engine = new TaskEngine({ clock: new ManualClock(), store, ttlMs: 1000 });
  const abandoned: Error[] = [];
  const task = await engine.create(client, { cancel: (reason) => abandoned.push(reason) });
  store.isSlow = true;
  return { store, engine, task, abandoned, id: task.record.id };
}

test('combines changes during a slow save in the next save, in order', async () => {
  const { store, engine, task, id } = await slowTask();
  for (const message of ['1', '2', '3']) task.apply({ type: 'progressed', message });
  expect(store.puts).toHaveLength(1);
  expect((await engine.get(id, 'ada')).statusMessage).toBe('3');
  store.puts[0]!.finish();
  await expect.poll(() => store.puts.map(({ message }) => message)).toEqual(['1', '3']);
  task.apply({ type: 'ended', outcome: { result: { content: [] } } });
  store.puts[1]!.finish();
  await expect.poll(() => store.puts.length).toBe(3);
  store.puts[2]!.finish();
  await expect.poll(() => store.kept.get(id)?.status).toBe('completed');
  expect(await engine.get(id, 'ada')).toBe(store.kept.get(id));
});

test('shows and announces the end of a task after it was saved', async () => {
  const { store, engine, task, id } = await slowTask();
  const seen: string[] = [];
  engine.watch([id], ({ status }) => seen.push(status));
  task.apply({ type: 'ended', outcome: { result: { content: [] } } });
  const cancelled = engine.cancel(id, 'ada');
  expect(await engine.get(id, 'ada')).toMatchObject({ status: 'working' });
  expect((await engine.list(client)).map(({ status }) => status)).toEqual(['working']);
  expect(seen).toEqual([]);
  store.puts[0]!.finish();
  expect(await cancelled).toMatchObject({ status: 'completed' });
  expect(await engine.get(id, 'ada')).toMatchObject({ status: 'completed' });
  expect(seen).toEqual(['completed']);
});

test('a change that cannot be saved fails the task and aborts its work', async () => {
  const { store, engine, task, abandoned, id } = await slowTask();
  task.apply({ type: 'progressed', message: 'half' });
  store.puts[0]!.finish(new Error('the disk is full'));
  await expect.poll(() => abandoned).toMatchObject([{ message: 'the disk is full' }]);
  const failed = { status: 'failed', outcome: { error: { code: -32603, message: 'the disk is full' } } };
  expect(await engine.get(id, 'ada')).toMatchObject({ status: 'working' });
  store.puts[1]!.finish(new Error('the disk is still full'));
  await expect.poll(() => engine.get(id, 'ada')).toMatchObject(failed);
});

test.each([
  ['result', { result: { content: [], text: 'x'.repeat(2000) } }],
  ['error', { error: { code: -32050, message: 'gone', data: 'x'.repeat(2000) } }],
])('a task without space for %s fails with a short error', async (_, outcome) => {
  const store = new MemoryTaskStore({ maxTaskBytes: 100 });
  const engine = new TaskEngine({ clock: new ManualClock(), store, ttlMs: null });
  const task = await engine.create(client, ignore);
  task.apply({ type: 'ended', outcome });
  await task.saved;
  const failed = {
    status: 'failed',
    outcome: { error: { code: -31001, message: expect.stringContaining('No space') } },
  };
  expect(await engine.get(task.record.id, 'ada')).toMatchObject(failed);
  expect(store.get(task.record.id)).toMatchObject(failed);
  expect(store.bytes).toBeLessThan(1000);
});

test('does not create a task that cannot be saved', async () => {
  const store = new MemoryTaskStore({ maxPrincipalTasks: 0 });
  const engine = new TaskEngine({ clock: new ManualClock(), store, ttlMs: null });
  await expect(engine.create(client, ignore)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  expect(await engine.list(client)).toEqual([]);
});

test('a task whose result is not an object fails', async () => {
  const engine = new TaskEngine({ clock: new ManualClock(), store: new MemoryTaskStore(), ttlMs: null });
  const task = await engine.create(client, ignore);
  task.ended(Promise.resolve(null as never));
  const message = 'The result of tools/call is null instead of an object';
  await expect.poll(() => task.record).toMatchObject({ status: 'failed', statusMessage: message });
});

test.each<TaskEvent>([
  { type: 'ended', outcome: { result: { content: [] } } },
  { type: 'cancelled', message: 'enough' },
])('the request of a task counts until the task has $type', async (end) => {
  const store = new MemoryTaskStore({ maxPrincipalTaskBytes: 5000 });
  const engine = new TaskEngine({ clock: new ManualClock(), store, ttlMs: null });
  const first = await engine.create(client, ignore, 3000);
  expect(store.bytes).toBe(3000);
  await expect(engine.create(client, ignore, 3000)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  first.apply(end);
  expect(store.bytes).toBeLessThan(100);
  await engine.create(client, ignore, 3000);
});

test('counts data that a service keeps for the call of a task', async () => {
  const store = new MemoryTaskStore({ maxPrincipalTaskBytes: 5000 });
  const engine = new TaskEngine({ clock: new ManualClock(), store, ttlMs: null });
  const caller = new TaskCaller(silentCaller(facts));
  const task = await caller.become(engine.create(client, ignore, caller.heldBytes));
  caller.keeps(4000);
  expect(store.bytes).toBe(4000);
  caller.keeps(3000);
  expect(store.bytes).toBe(3000);
  caller.keeps(6000);
  await expect.poll(() => task.record.status).toBe('failed');
});

test('removes an ended task when its TTL ends, and not before', async () => {
  const clock = new ManualClock();
  const store = new MemoryTaskStore();
  const engine = new TaskEngine({ clock, store, ttlMs: 1000 });
  const ended = await engine.create(client, ignore);
  ended.apply({ type: 'ended', outcome: { result: { content: [] } } });
  const short = await engine.create(client, ignore, 0, 10);
  const long = await engine.create(client, ignore, 0, 99_999);
  expect([short.record.ttlMs, long.record.ttlMs]).toEqual([10, 1000]);
  clock.advance(999);
  expect(await engine.get(ended.record.id, 'ada')).toMatchObject({ status: 'completed' });
  await expect(engine.get(short.record.id, 'ada')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  clock.advance(1);
  expect([store.size, clock.pending]).toEqual([0, 0]);
});

test.each(['expires', 'is removed'])('a task that %s while it is saved does not return', async (way) => {
  const clock = new ManualClock();
  const store = new SlowStore();
  const engine = new TaskEngine({ clock, store, ttlMs: 1000 });
  const task = await engine.create(client, ignore);
  store.isSlow = true;
  task.apply({ type: 'ended', outcome: { result: { content: [] } } });
  const removed = way === 'expires' ? clock.advance(1000) : engine.remove(task);
  store.puts[0]!.finish();
  await task.saved;
  await removed;
  await expect.poll(() => store.kept.size).toBe(0);
});

test('one timer serves all tasks, and each task expires at its own time', async () => {
  const clock = new ManualClock();
  const store = new MemoryTaskStore();
  const engine = new TaskEngine({ clock, store, ttlMs: 1000 });
  const ttls = Array.from({ length: 500 }, (_, task) => ((task * 7) % 500) + 1);
  const expired: number[] = [];
  for (const ttl of ttls) await engine.create(client, { cancel: () => expired.push(ttl) }, 0, ttl);
  expect(clock.pending).toBe(1);
  clock.advance(100);
  expect([store.size, clock.pending]).toEqual([400, 1]);
  clock.advance(1000);
  expect(expired).toEqual(Array.from({ length: 500 }, (_, task) => task + 1));
  expect([store.size, clock.pending]).toEqual([0, 0]);
});

test('a task that was removed does not expire, and others of the same time do', async () => {
  const clock = new ManualClock();
  const store = new MemoryTaskStore();
  const engine = new TaskEngine({ clock, store, ttlMs: 1000 });
  const expired: number[] = [];
  const create = (task: number) => engine.create(client, { cancel: () => expired.push(task) });
  const [, second] = [await create(1), await create(2), await create(3)];
  await engine.remove(second);
  clock.advance(1000);
  expect(expired).toEqual([1, 3]);
});

test('a question ends with its answer, its signal, or its task', async () => {
  const engine = new TaskEngine({ clock: new ManualClock(), store: new MemoryTaskStore(), ttlMs: null });
  const task = await engine.create(client, ignore);
  const request = { method: 'roots/list' as const };
  const abort = new AbortController();
  const [answered, withdrawn, left] = [task.ask(request, 'a'), task.ask(request, 'b', abort.signal), task.ask(request)];
  await engine.answer(task.record.id, 'ada', { a: { roots: [] } });
  expect(await answered).toEqual({ roots: [] });
  abort.abort(new Error('enough'));
  await expect(withdrawn).rejects.toThrow('enough');
  expect(Object.keys(task.record.open)).toEqual(['input-3']);
  await engine.cancel(task.record.id, 'ada');
  await expect(left).rejects.toThrow('its client cancelled the task');
  await expect(task.ask(request)).rejects.toThrow('the task has ended');
});

test('announces questions of one turn together', async () => {
  const engine = new TaskEngine({ clock: new ManualClock(), store: new MemoryTaskStore(), ttlMs: null });
  const task = await engine.create(client, ignore);
  const seen: number[] = [];
  engine.watch([task.record.id], ({ open }) => seen.push(Object.keys(open).length));
  const questions = Array.from({ length: 100 }, () => task.ask({ method: 'roots/list' }));
  await Promise.resolve();
  expect(seen).toEqual([100]);
  await engine.cancel(task.record.id, 'ada');
  await expect(Promise.allSettled(questions)).resolves.toHaveLength(100);
  expect(seen).toEqual([100, 0]);
});

test('a wait may begin after the end of its task', async () => {
  const engine = new TaskEngine({ clock: new ManualClock(), store: new MemoryTaskStore(), ttlMs: null });
  const task = await engine.create(client, ignore);
  const before = await engine.get(task.record.id, 'ada');
  task.apply({ type: 'ended', outcome: { result: { content: [] } } });
  await task.saved;
  expect(await engine.finished(before, () => undefined, undefined)).toMatchObject({ status: 'completed' });
});

test('shortens a long progress message', async () => {
  const engine = new TaskEngine({ clock: new ManualClock(), store: new MemoryTaskStore(), ttlMs: null });
  const { record } = await engine.create(client, ignore);
  const events: TaskEvent[] = [];
  const task = new RunningTask(record, ignore, (_, event) => events.push(event));
  const caller = new TaskCaller(silentCaller(facts));
  caller.progress({ progress: 1, message: 'x'.repeat(5000) });
  await caller.become(Promise.resolve(task));
  caller.progress({ progress: 2, message: 'y'.repeat(5000) });
  expect(events).toEqual(['x', 'y'].map((each) => ({ type: 'progressed', message: each.repeat(1024) })));
});
