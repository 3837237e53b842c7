import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { FlowSource } from '../flow/source.ts';
import { FlowStore } from '../flow/store.ts';
import { Problems } from './problems.ts';

let clock: ManualClock;
let flow: FlowStore;
let problems: Problems;
beforeEach(() => {
  clock = new ManualClock();
  flow = new FlowStore({ clock });
  problems = new Problems();
  flow.subscribe((event) => problems.see(event));
});

const kinds = () => problems.list().map(({ kind }) => kind);
const bytes = (text: string) => new TextEncoder().encode(text);

function started(server = 's'): FlowSource {
  const source = flow.begin(server);
  source.add({ kind: 'spawn', pid: 1, command: 'c' });
  return source;
}

test('a timely answer is not a problem', () => {
  const source = started();
  source.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  source.frame('fromServer', bytes('{"jsonrpc":"2.0","id":1,"result":{}}'));
  source.add({ kind: 'exit', exitCode: 0, signal: null });
  expect(problems.list()).toEqual([]);
});

test('simultaneous processes of one server are distinguished', () => {
  const [stopped, runs] = [started(), started()];
  stopped.add({ kind: 'state', from: 'ready', to: 'stopping' });
  started();
  stopped.add({ kind: 'exit', exitCode: null, signal: 'SIGTERM' });
  expect(problems.list()).toEqual([]);
  runs.add({ kind: 'exit', exitCode: null, signal: 'SIGKILL' });
  expect(kinds()).toEqual(['exit-with-error']);
});

test('a slow start is reported at the first answer only', () => {
  const source = started();
  clock.advance(5_001);
  source.frame('fromServer', bytes('{"jsonrpc":"2.0","id":1,"result":{}}'));
  clock.advance(60_000);
  source.frame('fromServer', bytes('{"jsonrpc":"2.0","id":2,"result":{}}'));
  expect(problems.list()).toMatchObject([{ kind: 'slow-start', seq: 2, count: 1 }]);
});

test('each problem is listed once per server, with a count and its first event', () => {
  const source = started();
  for (let i = 0; i < 3; i++) source.frame('fromServer', bytes('debug: hello'));
  started('other').frame('fromServer', bytes('debug: hello'));
  expect(problems.list()).toMatchObject([
    { kind: 'stdout-pollution', server: 's', seq: 2, count: 3 },
    { kind: 'stdout-pollution', server: 'other', count: 1 },
  ]);
});

test('oversized and truncated frames are distinguished', () => {
  const source = started();
  source.badFrame('fromServer', { code: 'FRAME_TOO_LONG', offset: 0, length: 99, prefix: bytes('{"id"') });
  source.badFrame('fromServer', { code: 'FRAME_TRUNCATED', offset: 99, length: 5, prefix: bytes('{"id"') });
  expect(kinds()).toEqual(['oversized-frame', 'truncated-frame']);
});

test('a broken JSON-RPC message is a protocol problem', () => {
  started().frame('fromServer', bytes('{"jsonrpc":"2.0","id":1}'));
  expect(kinds()).toEqual(['schema-violation']);
});

describe('an era fallback is detected by the next request', () => {
  const discover = '{"jsonrpc":"2.0","id":1,"method":"server/discover"}';
  const initialize = '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}';

  test('after an error, or silence', () => {
    const source = started();
    source.text('toServer', discover);
    source.text('toServer', initialize);
    expect(kinds()).toEqual(['era-fallback']);
  });

  test('after the exit of the process that received the probe', () => {
    const source = started();
    source.text('toServer', discover);
    source.add({ kind: 'exit', exitCode: 1, signal: null });
    started().text('toServer', initialize);
    expect(kinds()).toEqual(['exit-with-error', 'era-fallback']);
  });

  test('not if a server received only initialize, or accepted the modern request', () => {
    started().text('toServer', initialize);
    const modern = started('modern');
    modern.text('toServer', discover);
    modern.add({ kind: 'state', from: 'starting', to: 'ready' });
    modern.text('toServer', initialize);
    expect(kinds()).toEqual([]);
  });
});

describe('exits', () => {
  test('exits with an error code or by a signal are problems', () => {
    started('a').add({ kind: 'exit', exitCode: 1, signal: null });
    started('b').add({ kind: 'exit', exitCode: null, signal: 'SIGSEGV' });
    expect(kinds()).toEqual(['exit-with-error', 'exit-with-error']);
  });

  test('exits that were requested are not problems', () => {
    const source = started();
    source.add({ kind: 'state', from: 'ready', to: 'stopping' });
    source.add({ kind: 'exit', exitCode: null, signal: 'SIGTERM' });
    const passed = started('tapped');
    passed.add({ kind: 'signal', signal: 'SIGTERM' });
    passed.add({ kind: 'exit', exitCode: null, signal: 'SIGTERM' });
    expect(kinds()).toEqual([]);
  });

  test('in quick succession are a loop, whether a host failed the server or another program restarts it', () => {
    for (let i = 0; i < 4; i++) {
      started('tapped').add({ kind: 'exit', exitCode: 1, signal: null });
      clock.advance(1_000);
    }
    expect(kinds()).toEqual(['exit-with-error', 'crash-loop']);
    const reason = 'it fell — it was started 5 times within 30 s';
    started('hosted').add({ kind: 'state', from: 'starting', to: 'failed', reason });
    expect(problems.list().at(-1)).toMatchObject({ kind: 'crash-loop', server: 'hosted' });
  });

  test('exits at long intervals are no loop', () => {
    for (let i = 0; i < 6; i++) {
      started().add({ kind: 'exit', exitCode: 1, signal: null });
      clock.advance(20_000);
    }
    expect(kinds()).toEqual(['exit-with-error']);
  });
});

test('accepts LiteMCP as another protocol', () => {
  const source = started();
  source.frame('fromServer', bytes('{\n  "version": [1, 0, 0],\n  "id": 1,\n  "type": "info",\n  "data": {}\n}'));
  expect(kinds()).toEqual([]);
});

test('has an explanation for every problem, and limits the number of problems', () => {
  for (let i = 0; i < 2_000; i++) problems.note('unanswered', `server ${i}`, i);
  expect(problems.list()).toHaveLength(1_000);
  expect(problems.list()[0]!.explanation).toMatch(/\.$/);
});
