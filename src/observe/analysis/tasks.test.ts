// Tasks derived from messages alone, in both forms.

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { FlowDirection, FlowFact, FrameEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { Analysis } from './analysis.ts';
import { durationMs, Tasks } from './tasks.ts';

function setup() {
  const clock = new ManualClock();
  const store = new FlowStore({ clock });
  const analysis = new Analysis();
  store.subscribe((event) => analysis.see(event, 0));
  let lastId = 0;
  const say = (direction: FlowDirection, message: object, { life = 1, source = 's' } = {}) => {
    clock.advance(10);
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message }));
    store.appendFrame(source, life, direction, bytes);
  };
  const ask = (method: string, params: object, answer: object, life = 1) => {
    const id = ++lastId;
    say('toServer', { id, method, params }, { life });
    say('fromServer', { id, ...answer }, { life });
  };
  return {
    analysis,
    clock,
    say,
    ask,
    add: (fact: FlowFact, source = 's') => store.append(source, 1, fact),
    call: (state: object, life = 1) =>
      ask('tools/call', { name: 'render' }, { result: { resultType: 'task', ...state } }, life),
    get: (state: object, life = 1) =>
      ask('tasks/get', { taskId: 't' }, { result: { resultType: 'complete', ...state } }, life),
    tasks: () => analysis.tasks.list(),
    taskOf: (seq: number) => analysis.taskOf(store.get(seq) as FrameEvent)?.id,
    latency: () => analysis.latency.rows().map(({ method, count, p99Ms }) => [method, count, p99Ms]),
  };
}

const modern = (status: string, others: object = {}) => ({ taskId: 't', status, ttlMs: null, ...others });
const experimental = (status: string, others: object = {}) => ({ taskId: 't', status, ttl: null, ...others });

describe('tasks of 2026-07-28', () => {
  it('have a history from the call to the end, which includes all their messages', () => {
    const { say, ask, call, get, tasks, taskOf } = setup();
    call(modern('working'));
    get(modern('working', { statusMessage: 'frame 1' }));
    get(modern('working', { statusMessage: 'frame 1' }));
    get(modern('input_required', { inputRequests: { size: { method: 'elicitation/create', params: {} } } }));
    ask('tasks/update', { taskId: 't', inputResponses: {} }, { result: { resultType: 'complete' } });
    say('fromServer', { method: 'notifications/tasks', params: modern('working', { statusMessage: 'frame 2' }) });
    get(modern('completed', { result: { content: [] } }));
    const [task] = tasks();
    expect(tasks()).toHaveLength(1);
    expect(task).toMatchObject({
      taskId: 't',
      form: '2026-07-28',
      status: 'completed',
      polls: 4,
      messages: 13,
      headSeq: 1,
    });
    expect(task!.call).toMatchObject({ method: 'tools/call', tool: 'render' });
    expect(task!.changes.map(({ seq, status, statusMessage }) => [seq, status, statusMessage])).toEqual([
      [2, 'working', undefined],
      [4, 'working', 'frame 1'],
      [8, 'input_required', undefined],
      [11, 'working', 'frame 2'],
      [13, 'completed', undefined],
    ]);
    expect(task).toMatchObject({ outcomeSeq: 13, questionsSeq: undefined });
    expect(durationMs(task!)).toBe(120);
    for (let seq = 1; seq <= 13; seq++) expect(taskOf(seq)).toBe(task!.id);
  });

  it('do not distort latencies: neither their duration nor their polls count for the call', () => {
    const { call, get, clock, latency } = setup();
    call(modern('working'));
    for (let poll = 0; poll < 5; poll++) {
      clock.advance(60_000);
      get(modern('working'));
    }
    get(modern('completed', { result: { content: [] } }));
    expect(latency()).toEqual([
      ['tools/call', 1, 10],
      ['tasks/get', 6, 10],
    ]);
  });

  it('distinguish a protocol error, a tool error and a cancellation, and none of them is a problem', () => {
    const { analysis, ask, call, get, tasks } = setup();
    call(modern('working'));
    get(modern('failed', { statusMessage: 'no queue', error: { code: -32050, message: 'no such queue' } }));
    call(modern('working'));
    get(modern('completed', { result: { content: [], isError: true } }));
    call(modern('working'));
    ask('tasks/cancel', { taskId: 't' }, { result: { resultType: 'complete' } });
    get(modern('cancelled'));
    get(modern('working')); // the first final state counts
    const [failed, wrong, cancelled] = tasks();
    expect(failed).toMatchObject({ status: 'failed', error: { code: -32050, message: 'no such queue' } });
    expect(wrong).toMatchObject({ status: 'completed', toolError: true });
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(analysis.problems).toEqual([]);
  });

  it('keep each new set of pending questions, and its message', () => {
    const { call, get, tasks } = setup();
    const question = { method: 'elicitation/create', params: { message: '?' } };
    call(modern('input_required'));
    get(modern('input_required', { inputRequests: { a: question, b: question } }));
    get(modern('input_required', { inputRequests: { a: question, b: question } }));
    get(modern('input_required', { inputRequests: { b: question } }));
    const [task] = tasks();
    expect(task).toMatchObject({ status: 'input_required', questions: { count: 1, keys: 'b' }, questionsSeq: 8 });
    expect(task!.changes.map(({ seq }) => seq)).toEqual([2, 8]);
  });

  it('include a subscription that is limited to them, with its end', () => {
    const { say, call, taskOf } = setup();
    const notifications = { taskIds: ['t'] };
    call(modern('working'));
    say('toServer', { id: 'l', method: 'subscriptions/listen', params: { notifications } });
    say('fromServer', { method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    say('toServer', { method: 'notifications/cancelled', params: { requestId: 'l' } });
    say('toServer', { id: 'm', method: 'subscriptions/listen', params: { notifications: { taskIds: ['t', 'u'] } } });
    expect([3, 4, 5, 6].map(taskOf)).toEqual([1, 1, 1, undefined]);
  });

  it('may be announced before the answer to the call', () => {
    const { say, tasks } = setup();
    say('toServer', { id: 1, method: 'tools/call', params: { name: 'render' } });
    say('fromServer', { method: 'notifications/tasks', params: modern('working') });
    say('fromServer', { method: 'notifications/tasks', params: modern('completed', { result: {} }) });
    say('fromServer', { id: 1, result: { resultType: 'task', ...modern('working') } });
    expect(tasks()).toMatchObject([{ headSeq: 1, messages: 4, status: 'completed', call: { tool: 'render' } }]);
  });

  it('are known from the first poll if the call was not recorded', () => {
    const { get, tasks, taskOf } = setup();
    get(modern('working'));
    get(modern('completed', { result: {} }));
    expect(tasks()).toMatchObject([{ headSeq: 1, polls: 2, messages: 4, status: 'completed' }]);
    expect(durationMs(tasks()[0]!)).toBeUndefined();
    expect(taskOf(1)).toBe(tasks()[0]!.id);
  });

  it('are other tasks if the next process uses the same ids', () => {
    const { call, get, tasks, taskOf, add } = setup();
    call(modern('working'));
    add({ kind: 'exit', exitCode: 1, signal: null });
    call(modern('working'), 2);
    get(modern('completed', { result: {} }), 2);
    expect(tasks().map(({ status, life }) => [status, life])).toEqual([
      ['lost', 1],
      ['completed', 2],
    ]);
    expect([1, 2, 4, 5, 6, 7].map(taskOf)).toEqual([1, 1, 2, 2, 2, 2]);
  });

  it('continue after an exit if the server still has them, and are lost if it does not', () => {
    const { ask, call, get, tasks, add } = setup();
    call(modern('working'));
    add({ kind: 'exit', exitCode: 1, signal: null });
    expect(tasks()).toMatchObject([{ status: 'lost' }]);
    get(modern('working'), 2);
    expect(tasks()).toMatchObject([{ status: 'working', endMs: undefined, life: 2 }]);
    ask('tasks/get', { taskId: 't' }, { error: { code: -32602, message: 'Task not found' } }, 2);
    expect(tasks()).toMatchObject([{ status: 'lost' }]);
  });

  it('the task of a client and that of the server behind it are one task', () => {
    const { say, add, tasks, analysis } = setup();
    const client = { source: 'client 1' };
    say('fromClient', { id: 7, method: 'tools/call', params: { name: 'render' } }, client);
    add({ kind: 'link', request: 7, wire: 's', wireLife: 1, direction: 'toServer', id: 1 }, 'client 1');
    say('toServer', { id: 1, method: 'tools/call', params: { name: 'render' } });
    say('fromServer', { id: 1, result: { resultType: 'task', ...modern('working') } });
    say('toClient', { id: 7, result: { resultType: 'task', ...modern('working'), taskId: 'handle of t' } }, client);
    expect(analysis.tasks.size).toBe(2);
    expect(tasks()).toMatchObject([{ server: 's', downstream: { server: 'client 1', taskId: 'handle of t' } }]);
  });
});

describe('tasks of 2025-11-25', () => {
  it('end with tasks/result, whose wait is not a latency, and include the questions during it', () => {
    const { say, ask, tasks, taskOf, latency } = setup();
    const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } };
    ask('tools/call', { name: 'render', task: {} }, { result: { task: experimental('working') } });
    ask('tasks/get', { taskId: 't' }, { result: experimental('input_required') });
    say('toServer', { id: 'r', method: 'tasks/result', params: { taskId: 't' } });
    say('fromServer', { id: 'q', method: 'elicitation/create', params: related });
    say('toServer', { id: 'q', result: { action: 'accept' } });
    say('fromServer', { method: 'notifications/tasks/status', params: experimental('completed') });
    say('fromServer', { id: 'r', result: { content: [], ...related } });
    expect(tasks()).toMatchObject([
      { form: '2025-11-25', status: 'completed', messages: 9, polls: 1, outcomeSeq: 9, call: { tool: 'render' } },
    ]);
    for (let seq = 1; seq <= 9; seq++) expect(taskOf(seq)).toBe(1);
    expect(latency().map(([method]) => method)).toEqual(['tools/call', 'tasks/get', 'elicitation/create']);
  });

  it('end with tasks/result even if no status was read', () => {
    const { ask, tasks } = setup();
    const run = (answer: object) => {
      ask('tools/call', { name: 'render', task: {} }, { result: { task: experimental('working') } });
      ask('tasks/result', { taskId: 't' }, answer);
    };
    run({ result: { content: [] } });
    run({ result: { content: [], isError: true } });
    run({ error: { code: -32050, message: 'no such queue' } });
    expect(tasks()).toMatchObject([
      { status: 'completed' },
      { status: 'failed', toolError: true },
      { status: 'failed', error: { code: -32050 } },
    ]);
  });

  it('are known from tasks/list, and both sides may run them', () => {
    const { say, ask, tasks } = setup();
    const listed = [experimental('working'), { ...experimental('completed'), taskId: 'u' }, { taskId: 1 }];
    ask('tasks/list', {}, { result: { tasks: listed } });
    say('fromServer', { id: 'q', method: 'sampling/createMessage', params: { task: {} } });
    say('toServer', { id: 'q', result: { task: experimental('working') } });
    ask('tasks/cancel', { taskId: 't' }, { result: experimental('cancelled') });
    expect(tasks().map(({ direction, taskId, status }) => [direction, taskId, status])).toEqual([
      ['toServer', 't', 'cancelled'],
      ['toServer', 'u', 'completed'],
      ['fromServer', 't', 'working'],
    ]);
  });
});

describe('a task is not', () => {
  it('a result that only has members of the same names', () => {
    const { ask, say, tasks } = setup();
    ask('tools/call', { name: 'jobs' }, { result: { ...modern('working'), content: [] } });
    ask('tools/call', { name: 'jobs' }, { result: { task: { taskId: 't', status: 'unknown' } } });
    ask(
      'tools/call',
      { name: 'jobs' },
      { result: { resultType: 'task', taskId: 'x'.repeat(5_000), status: 'working' } },
    );
    ask('tasks/get', { taskId: 't' }, { error: { code: -32602, message: 'Task not found' } });
    say('fromServer', { method: 'notifications/tasks', params: { taskId: ['t'], status: 'working' } });
    expect(tasks()).toEqual([]);
  });
});

describe('the memory of tasks', () => {
  it('keeps the newest tasks, and running ones longer than ended ones', () => {
    const { ask, analysis, tasks } = setup();
    const many = (count: number, status: string) => {
      for (let at = 0; at < count; at++) {
        const taskId = `${status} ${at}`;
        ask('tools/call', { name: 'render' }, { result: { resultType: 'task', ...modern(status), taskId } });
      }
    };
    many(10, 'working');
    many(3_000, 'completed');
    expect(analysis.tasks.size).toBe(2_000);
    expect(
      tasks()
        .slice(0, 11)
        .map(({ taskId }) => taskId),
    ).toEqual([...Array.from({ length: 10 }, (_, at) => `working ${at}`), 'completed 1010']);
    many(2_500, 'working');
    expect(analysis.tasks.size).toBe(2_000);
    expect(tasks().at(-1)!.taskId).toBe('working 2499');
  });

  it('keeps the first and the newest changes of a task', () => {
    const { call, get, tasks } = setup();
    call(modern('working'));
    for (let at = 0; at < 1_000; at++) get(modern('working', { statusMessage: `step ${at}` }));
    const { changes, changeCount, polls } = tasks()[0]!;
    expect([changes.length, changeCount, polls]).toEqual([200, 1_001, 1_000]);
    expect([changes[0]!.seq, changes[1]!.statusMessage, changes.at(-1)!.statusMessage]).toEqual([
      2,
      'step 801',
      'step 999',
    ]);
  });

  it('is bounded in characters', () => {
    const tasks = new Tasks(100, 50_000);
    const store = new FlowStore();
    const add = (taskId: string, statusMessage: string) => {
      store.appendFrame('s', 1, 'fromServer', new Uint8Array());
      const frame = store.get(store.lastSeq) as FrameEvent;
      const state = { taskId, form: '2026-07-28', status: 'working', statusMessage } as const;
      tasks.see(frame, { kind: 'notification', task: { taskId, fromReceiver: true, state } }, undefined);
    };
    for (let at = 0; at < 2_000; at++) add(`task ${at % 50}`, `${at} ${'x'.repeat(900)}`);
    expect(tasks.heldChars).toBeLessThanOrEqual(50_000);
    expect(tasks.size).toBeGreaterThan(0);
  });
});
