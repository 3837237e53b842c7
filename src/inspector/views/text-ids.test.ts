import { expect, test } from 'vitest';
import { FlowStore } from '../../flow/store.ts';
import type { InspectorSource } from '../sources/source.ts';
import { InspectorView } from './view.ts';

test('an answer with the id as text belongs to its request, keeps its type, and is a problem', async () => {
  const flow = new FlowStore();
  const source: InspectorSource = { kind: 'recording', title: 'x', startedAt: new Date(0), live: false, flow } as never;
  const view = new InspectorView(source);
  const server = flow.begin('s');
  server.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  server.frame('fromServer', new TextEncoder().encode('{"jsonrpc":"2.0","id":"1","result":{}}'));
  const { rows } = await view.page({ limit: 10 }, view.masked);
  expect(rows.map(({ id, pairSeq }) => [id, pairSeq])).toEqual([
    [1, 2],
    ['1', 1],
  ]);
  expect(view.problems.list()).toMatchObject([
    { kind: 'schema-violation', seq: 2, explanation: expect.stringContaining('"1" for 1') },
  ]);
  view.close();
});
