import { expect, it } from 'vitest';
import { FlowStore } from './store.ts';

it('records the events of a wire as those of one process run', () => {
  const store = new FlowStore();
  const observer = store.begin('weather');
  observer.spawned(12, 'node server.js');
  expect(observer.pid).toBe(12);
  observer.sentSpans(Buffer.from('{"id":1}\n{"id":2,"é":0}\n'), [0, 8, 9, 24]);
  observer.receivedSpan(Buffer.from('{"result":{}}'), 0, 13, 30);
  observer.fault({ code: 'FRAME_TRUNCATED', offset: 60, length: 3, prefix: Buffer.from('{"a') });
  observer.stderr(Buffer.from('bye'));
  observer.exited(null, 'SIGKILL');
  expect(observer.pid).toBeNull();
  observer.stopped('already-exited');
  expect(store.since(0)).toMatchObject([
    { kind: 'spawn', pid: 12, command: 'node server.js', server: 'weather', life: 1 },
    { kind: 'frame', direction: 'toServer', length: 8 },
    { kind: 'frame', direction: 'toServer', length: 15 },
    { kind: 'frame', direction: 'fromServer', length: 13, offset: 30 },
    { kind: 'fault', direction: 'fromServer', code: 'FRAME_TRUNCATED', offset: 60, length: 3 },
    { kind: 'stderr', length: 3 },
    { kind: 'exit', exitCode: null, signal: 'SIGKILL' },
    { kind: 'stop', rung: 'already-exited' },
  ]);
  observer.spawned(13, 'node server.js');
  expect(store.get(9)).toMatchObject({ kind: 'spawn', life: 2 });
});
