// A generated recording of tasks, with a given number of tasks and polls.

import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import type { FlowStore } from '../../src/observe/flow/store.ts';

/** Every second task fails. Polls are one second apart. The last exchange is a call without a task. */
export function taskRecording(Store: typeof FlowStore, wanted: { tasks: number; polls: number }): InspectorSource {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, after: () => ({ cancel: () => undefined, keepAlive: () => undefined }) };
  const flow = new Store({ maxEvents: 1_000_000, maxBytes: 1e9, clock });
  const server = flow.begin('renders');
  let id = 0;
  const say = (direction: 'toServer' | 'fromServer', message: object) =>
    server.text(direction, JSON.stringify({ jsonrpc: '2.0', ...message }));
  const ask = (method: string, params: object, result: object) => {
    say('toServer', { id: ++id, method, params });
    nowMs += 1;
    say('fromServer', { id, result });
  };
  for (let at = 0; at < wanted.tasks; at++) {
    const task = (status: string, more: object = {}) => ({ taskId: `task ${at}`, status, ttlMs: null, ...more });
    ask('tools/call', { name: 'render' }, { resultType: 'task', ...task('working') });
    for (let poll = 0; poll < wanted.polls; poll++) {
      nowMs += 1_000;
      ask('tasks/get', { taskId: `task ${at}` }, task('working', { statusMessage: `frame ${poll}` }));
    }
    const failed = task('failed', { error: { code: -32050, message: 'no such queue' } });
    const completed = task('completed', { result: { content: [{ type: 'text', text: 'rendered' }] } });
    ask('tasks/get', { taskId: `task ${at}` }, at % 2 ? failed : completed);
  }
  ask('tools/call', { name: 'quick' }, { content: [] });
  return {
    kind: 'recording',
    title: 'tasks.jsonl',
    startedAt: flow.startedAt,
    live: false,
    flow,
    close: async () => undefined,
  };
}
