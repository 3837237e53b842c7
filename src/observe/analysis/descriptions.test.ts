import { afterEach, expect, test, vi } from 'vitest';
import type { FrameEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { Descriptions } from './describe-frame.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function flowOf(frames: readonly string[]): FlowStore {
  const flow = new FlowStore();
  const source = flow.begin('s');
  for (const frame of frames) source.text('fromServer', frame);
  return flow;
}

const answers = (count: number) =>
  Array.from({ length: count }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, result: {} }));

test('parses a frame once, although the store creates a new object each time', () => {
  const flow = flowOf([...answers(50), '{"version":[1,0,0],"id":1,"type":"info","data":{}}', 'text']);
  const descriptions = new Descriptions();
  const readAll = () => flow.since(0).map((event) => descriptions.of(event as FrameEvent));
  const parse = vi.spyOn(JSON, 'parse');
  const first = readAll();
  expect(parse).toHaveBeenCalledTimes(51);
  expect(readAll()).toEqual(first);
  expect(parse).toHaveBeenCalledTimes(51);
});

test('limits the memory of descriptions: the oldest are dropped, and created again when needed', () => {
  const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'm'.repeat(10_000) });
  const flow = flowOf([...answers(100), ...Array.from({ length: 100 }, () => long)]);
  const descriptions = new Descriptions(100_000);
  for (const event of flow.since(0)) {
    descriptions.of(event as FrameEvent);
    expect(descriptions.heldBytes).toBeLessThanOrEqual(100_000);
  }
  const parse = vi.spyOn(JSON, 'parse');
  expect(descriptions.of(flow.get(200) as FrameEvent)).toMatchObject({ kind: 'request' });
  expect(parse).not.toHaveBeenCalled();
  expect(descriptions.of(flow.get(1) as FrameEvent)).toEqual({
    kind: 'response',
    messages: [{ kind: 'response', id: 0 }],
  });
  expect(parse).toHaveBeenCalledTimes(1);
});

test('dropping the oldest does not scan those that were dropped before', () => {
  const flow = flowOf(answers(5000));
  const descriptions = new Descriptions(30_000);
  const started = [vi.spyOn(Map.prototype, Symbol.iterator), vi.spyOn(Map.prototype, 'entries')];
  const before = started.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  for (const event of flow.since(0)) descriptions.of(event as FrameEvent);
  const after = started.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  expect(descriptions.heldBytes).toBeLessThanOrEqual(30_000);
  expect(after - before).toBeLessThan(10);
});
