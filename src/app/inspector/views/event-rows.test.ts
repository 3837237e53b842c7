import { expect, test } from 'vitest';
import { Analysis } from '../../../observe/analysis/analysis.ts';
import { FlowStore } from '../../../observe/flow/store.ts';
import type { EventRow } from '../api.ts';
import { toRow } from './event-rows.ts';

function rowsOf(tell: (source: ReturnType<FlowStore['begin']>) => void): EventRow[] {
  const flow = new FlowStore();
  const analysis = new Analysis();
  flow.subscribe((event) => analysis.see(event, 0));
  tell(flow.begin('s'));
  return flow.since(0).map((event) => toRow(event, analysis));
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('a request has the result of its answer, and progress keeps its own name', () => {
  const [request, progress, answer] = rowsOf((source) => {
    const params = '{"name":"sum","_meta":{"progressToken":7}}';
    source.text('toServer', `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":${params}}`);
    const told = '{"progressToken":7,"progress":1}';
    source.frame('fromServer', bytes(`{"jsonrpc":"2.0","method":"notifications/progress","params":${told}}`));
    source.frame('fromServer', bytes('{"jsonrpc":"2.0","id":"a","result":{"isError":true,"content":[]}}'), 5);
  });
  expect(request).toMatchObject({ method: 'tools/call', tool: 'sum', id: 'a', pairSeq: 3 });
  expect(request!.error).toBe('the tool reported an error');
  expect(progress).toMatchObject({ method: 'notifications/progress', type: 'notification', pairSeq: 1 });
  expect(progress!.latencyMs).toBeUndefined();
  expect(answer).toMatchObject({ method: 'tools/call', type: 'response', pairSeq: 1, latencyMs: request!.latencyMs });
});

test('sizes are bytes on the pipe, and summaries are one short line', () => {
  const text = `{"jsonrpc":"2.0","method":"m","params":{"text":"${'ä\\n '.repeat(500)}"}}`;
  const rows = rowsOf((source) => {
    source.text('toServer', text);
    source.frame('fromServer', bytes(text));
    source.frame('fromServer', bytes('  printed\tby\n mistake '));
  });
  expect(rows.map(({ size }) => size)).toEqual([bytes(text).length, bytes(text).length, 22]);
  expect(rows[0]!.summary).toHaveLength(160);
  expect(rows[1]!.summary).toBe(rows[0]!.summary);
  expect(rows[2]).toMatchObject({ type: 'noise', summary: 'printed by mistake' });
});

test('bytes that are not text have a row too', () => {
  const [row] = rowsOf((source) => source.frame('fromServer', Uint8Array.of(0xff, 0xfe, 0x00, 0x80)));
  expect(row).toMatchObject({ type: 'noise', size: 4 });
});

test('describes process events as sentences', () => {
  const rows = rowsOf((source) => {
    source.add({ kind: 'spawn', pid: 7, command: 'node server.js' });
    source.add({ kind: 'state', from: 'starting', to: 'failed', reason: 'it fell' });
    source.add({ kind: 'signal', signal: 'SIGTERM' });
    source.add({ kind: 'exit', exitCode: null, signal: 'SIGKILL' });
    source.add({ kind: 'exit', exitCode: 0, signal: null });
    source.add({ kind: 'stop', rung: 'SIGTERM' });
  });
  expect(rows.map(({ summary }) => summary)).toEqual([
    'started as process 7: node server.js',
    'failed (it fell)',
    'received SIGTERM',
    'ended by SIGKILL',
    'exited with code 0',
    'all processes of the server have exited (SIGTERM)',
  ]);
  expect(rows.map(({ error }) => error)).toEqual([undefined, 'failed', undefined, 'SIGKILL', undefined, undefined]);
});

test('messages of LiteMCP are shown by their type and tool', () => {
  const call =
    '{"version":[1,0,0],"id":2,"type":"call","data":{"version":[1,0,0],"tool":"Calculator","arguments":["2"]}}';
  const [request, answer] = rowsOf((source) => {
    source.text('toServer', call);
    source.frame('fromServer', bytes('{"version":[1,0,0],"id":2,"type":"result","data":{}}'));
  });
  expect(request).toMatchObject({ type: 'request', method: 'call', tool: 'Calculator', id: 2, pairSeq: 2 });
  expect(answer).toMatchObject({ type: 'response', method: 'result', tool: 'Calculator', id: 2, pairSeq: 1 });
  expect(answer!.latencyMs).toBe(request!.latencyMs);
});

test('any answer of a server has a row', () => {
  for (const result of ['null', '5', '"text"', '[]', '{},"error":null', '{},"error":5', '{"isError":"x"}']) {
    const [row] = rowsOf((source) => source.frame('fromServer', bytes(`{"jsonrpc":"2.0","id":1,"result":${result}}`)));
    expect(row).toMatchObject({ kind: 'frame', size: expect.any(Number) });
  }
});

test('a batch names its messages, its slowest one and its first failure', () => {
  const [asked, first, rest] = rowsOf((source) => {
    const call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sum"}}';
    source.text('toServer', `[{"jsonrpc":"2.0","id":1,"method":"ping"},${call},{"jsonrpc":"2.0","method":"n"}]`);
    source.frame('fromServer', bytes('{"jsonrpc":"2.0","id":1,"result":{}}'));
    source.frame('fromServer', bytes('[{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}]'));
  });
  expect(asked).toMatchObject({ type: 'batch', summary: 'batch of 3: ping #1, tools/call sum #2, n', pairSeq: 2 });
  expect(asked!.error).toBe('-1: no');
  expect(asked!.latencyMs).toBe(rest!.latencyMs);
  expect(first).toMatchObject({ type: 'response', method: 'ping', pairSeq: 1 });
  expect(rest).toMatchObject({
    type: 'answers',
    summary: 'batch of 1: tools/call sum #2',
    pairSeq: 1,
    error: '-1: no',
  });
});

test('names progress by its method, both in a live row and in all rows later', () => {
  const rows = rowsOf((source) => {
    const params = '{"name":"sum","_meta":{"progressToken":7}}';
    source.text('toServer', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    for (const progress of [1, 2]) {
      const told = `{"progressToken":7,"progress":${progress}}`;
      source.frame('fromServer', bytes(`{"jsonrpc":"2.0","method":"notifications/progress","params":${told}}`));
    }
  });
  expect(rows.map(({ tool }) => tool)).toEqual(['sum', undefined, undefined]);
});
