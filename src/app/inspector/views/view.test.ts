import { afterEach, expect, test, vi } from 'vitest';
import { FlowStore } from '../../../observe/flow/store.ts';
import { InspectorView } from './view.ts';

let view: InspectorView;
afterEach(() => {
  view.close();
  vi.restoreAllMocks();
});

function viewOf(flow: FlowStore): InspectorView {
  view = new InspectorView({ kind: 'recording', title: 'x', startedAt: new Date(0), live: false, flow } as never);
  return view;
}

test('an answer with the id as a string belongs to its request, keeps its type, and is a problem', async () => {
  const flow = new FlowStore();
  viewOf(flow);
  const server = flow.begin('s');
  server.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  server.frame('fromServer', new TextEncoder().encode('{"jsonrpc":"2.0","id":"1","result":{}}'));
  const { rows } = await view.page({ limit: 10 }, view.masked);
  expect(rows.map(({ id, pairSeq }) => [id, pairSeq])).toEqual([
    [1, 2],
    ['1', 1],
  ]);
  expect(view.analysis.problems).toMatchObject([
    { kind: 'schema-violation', seq: 2, explanation: expect.stringContaining('"1" instead of 1') },
  ]);
});

test('parses a frame once, however many pages show it', async () => {
  const flow = new FlowStore();
  const server = flow.begin('s');
  for (let id = 0; id < 100; id++) {
    server.text('toServer', `{"jsonrpc":"2.0","id":"counted ${id}","method":"ping"}`);
    server.text('fromServer', `{"jsonrpc":"2.0","id":"counted ${id}","result":{}}`);
  }
  const parse = vi.spyOn(JSON, 'parse');
  viewOf(flow);
  const [first, second] = [await view.page({ limit: 200 }, view.masked), await view.page({ limit: 50 }, view.masked)];
  expect([first.rows.length, second.rows.length]).toEqual([200, 50]);
  expect(parse.mock.calls.filter(([text]) => text.includes('counted'))).toHaveLength(200);
});
