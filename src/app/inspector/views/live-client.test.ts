import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { FlowStore } from '../../../observe/flow/store.ts';
import type { LiveMessages } from '../api.ts';
import type { InspectorSource } from '../sources/source.ts';
import { LiveClient } from './live-client.ts';
import { InspectorView } from './view.ts';

const BEFORE_IT_IS_READ_MS = 49;

function following() {
  const clock = new ManualClock();
  const flow = new FlowStore({ clock });
  const source: InspectorSource = {
    kind: 'host',
    title: 's',
    startedAt: flow.startedAt,
    live: true,
    flow,
    close: async () => undefined,
  };
  const view = new InspectorView(source, clock);
  const stream = new PassThrough({ encoding: 'utf8' });
  const client = new LiveClient(stream as unknown as ServerResponse, view, 0, view.masked, clock);
  view.onChange = ({ updated }) => {
    client.putUpdates(updated);
    client.pump();
  };
  /** Messages since the last call. */
  const told = <K extends keyof LiveMessages>(name: K): LiveMessages[K][] => {
    const pieces = String(stream.read() ?? '').split('\n\n');
    const wanted = pieces.filter((piece) => piece.includes(`event: ${name}\n`));
    return wanted.map((piece) => JSON.parse(/^data: (.*)$/m.exec(piece)![1]!));
  };
  return { clock, flow, view, client, told };
}

test('sends an answer only after its request is known, however often the page is served meanwhile', () => {
  const { clock, flow, view, client, told } = following();
  const source = flow.begin('s');
  source.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  clock.advance(100);
  expect(told('rows').flat()).toMatchObject([{ seq: 1, method: 'ping' }]);

  source.text('fromServer', '{"jsonrpc":"2.0","id":1,"result":{}}');
  clock.advance(BEFORE_IT_IS_READ_MS);
  client.put('call', {
    id: 'x',
    server: 's',
    request: { kind: 'resource', uri: 'u' },
    startedAtMs: 0,
    state: 'running',
  });
  client.pump();
  expect(view.seenSeq).toBe(1);
  expect(told('rows')).toEqual([]);

  clock.advance(100);
  expect(told('rows').flat()).toMatchObject([{ seq: 2, method: 'ping', pairSeq: 1, latencyMs: expect.any(Number) }]);
});

test('an answer changes the row of a request that was sent before', () => {
  const { clock, flow, told } = following();
  const source = flow.begin('s');
  source.text('toServer', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  clock.advance(100);
  told('rows');
  source.text('fromServer', '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}');
  clock.advance(100);
  expect(told('updates').flat()).toMatchObject([{ seq: 1, pairSeq: 2, error: '-1: no' }]);
});
