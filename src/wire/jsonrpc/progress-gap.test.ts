// Tests which messages share a write, with a clock that the test advances.

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { SENT } from '../requests/pending-requests.ts';
import { StdioServerTransport } from '../transport/stdio-server.ts';
import type { JsonRpcMessage, RequestId } from './message.ts';
import { ProgressGap } from './progress-gap.ts';

const progress = (progressToken: RequestId): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: 1 },
});
const result = (id: RequestId): JsonRpcMessage => ({ jsonrpc: '2.0', id, result: {} });
const changed: JsonRpcMessage = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** A server transport, and the messages of each of its writes: `p1` is progress of request 1, `r1` its answer. */
async function started() {
  const clock = new ManualClock();
  const input = new PassThrough();
  const output = new PassThrough();
  const writes: string[][] = [];
  output.on('data', (chunk: Buffer) => writes.push(chunk.toString().trim().split('\n').map(nameOf)));
  const transport = new StdioServerTransport(input, output, { clock });
  await transport.start();
  return { clock, input, transport, writes };
}

function nameOf(line: string): string {
  const { id, method, params } = JSON.parse(line);
  if (method === undefined) return `r${id}`;
  return method === 'notifications/progress' ? `p${params.progressToken}` : method;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('writes an answer after its progress, in a later write', async () => {
  const { clock, transport, writes } = await started();
  for (const message of [progress(1), progress(1), result(1)]) void transport.send(message);
  await turn();
  expect(writes).toEqual([['p1', 'p1']]);
  clock.advance(3);
  await turn();
  expect(writes).toEqual([['p1', 'p1'], ['r1']]);
  await transport.close();
});

test('only answers after their own progress wait, and those of one time are written together', async () => {
  const { clock, transport, writes } = await started();
  const messages = [progress(1), result(1), progress(2), result(3), changed, result(2), progress('other'), result(4)];
  for (const message of messages) void transport.send(message);
  await turn();
  expect(writes).toEqual([['p1', 'p2', 'r3', 'notifications/tools/list_changed', 'pother', 'r4']]);
  clock.advance(3);
  await turn();
  expect(writes[1]).toEqual(['r1', 'r2']);
  await transport.close();
});

test('an answer some time after its progress does not wait', async () => {
  const { clock, transport, writes } = await started();
  void transport.send(progress(1));
  await turn();
  clock.advance(1);
  void transport.send(result(1));
  await turn();
  expect(writes).toEqual([['p1'], ['r1']]);
  expect(clock.pending).toBe(0);
  await transport.close();
});

test('an answer in the tick of its progress waits, however long the tick takes', async () => {
  const { clock, transport, writes } = await started();
  void transport.send(progress(1));
  clock.advance(1000);
  void transport.send(result(1));
  await turn();
  expect(writes).toEqual([['p1']]);
  clock.advance(3);
  await turn();
  expect(writes).toEqual([['p1'], ['r1']]);
  await transport.close();
});

test('a batch of answers waits for the progress of each', async () => {
  const { clock, transport, writes } = await started();
  void transport.send(progress(2));
  void transport.sendBatch([result(1), result(2)]);
  await turn();
  expect(writes).toEqual([['p2']]);
  clock.advance(3);
  await turn();
  expect(writes).toHaveLength(2);
  await transport.close();
});

test.each([
  ['close', async ({ transport }: Awaited<ReturnType<typeof started>>) => transport.close()],
  ['the end of the input', async ({ input }: Awaited<ReturnType<typeof started>>) => void input.end()],
])('%s loses no waiting answer', async (_what, end) => {
  const server = await started();
  const { transport, writes } = server;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  void transport.send(progress(1));
  const sent = transport.send(result(1));
  await end(server);
  await Promise.all([sent, closed]);
  expect(writes.flat()).toEqual(['p1', 'r1']);
});

test('an answer waits as long as its progress waits for a client that does not read', async () => {
  const clock = new ManualClock();
  const gap = new ProgressGap(clock, { writes: 0 });
  let written: () => void = () => undefined;
  gap.sent(
    progress(1) as never,
    new Promise((resolve) => {
      written = resolve;
    }),
  );
  const sent: number[] = [];
  expect(gap.concerns(1)).toBe(true);
  const held = gap.hold(1, () => {
    sent.push(1);
    return SENT;
  });
  clock.advance(1000);
  expect(sent).toEqual([]);
  written();
  await turn();
  clock.advance(3);
  await held;
  expect(sent).toEqual([1]);
  expect(clock.pending).toBe(0);
});

test('forgets tokens whose answers never arrive', () => {
  const clock = new ManualClock();
  const wire = { writes: 0 };
  const gap = new ProgressGap(clock, wire);
  for (; wire.writes < 1000; wire.writes++) {
    gap.sent(progress(`token ${wire.writes}`) as never, SENT);
    clock.advance(1);
  }
  expect(gap.size).toBe(1);
});

test('does not read the parameters of a message that is not progress', () => {
  const gap = new ProgressGap(new ManualClock(), { writes: 0 });
  const call = {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'tools/call',
    get params(): Record<string, unknown> {
      throw new Error('read');
    },
  };
  expect(() => gap.sent(call, SENT)).not.toThrow();
});
