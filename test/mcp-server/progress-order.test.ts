// A tool that reports progress and returns in one turn. A client that may lose progress gets the response in a later
// write; our client handles messages in order, and needs no delay.

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { Server, StdioServerTransport } from '../../src/entry/server.ts';
import { ownInfo } from '../../src/mcp/own-info.ts';
import { until } from '../fixtures/server.ts';

const PROGRESS = 'notifications/progress';

test.each([
  ['another program', { name: 'editor', version: '1' }, [[PROGRESS, PROGRESS], ['response']]],
  ['ours', ownInfo, [[PROGRESS, PROGRESS, 'response']]],
])('the writes of one call for a client that is %s', async (_whose, clientInfo, expected) => {
  const server = new Server({ name: 'counts', version: '1' });
  server.tool('count', {}, (_input, call) => {
    for (const done of [1, 2]) call.progress(done, 2);
    return 'done';
  });
  const clock = new ManualClock();
  const input = new PassThrough();
  const output = new PassThrough();
  const writes: string[][] = [];
  output.on('data', (chunk: Buffer) => {
    const lines = chunk.toString().trim().split('\n');
    writes.push(lines.map((line) => JSON.parse(line).method ?? 'response'));
  });
  const connection = await server.connect(new StdioServerTransport(input, output, { clock }));
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await until('it is connected', () => writes.length === 1);
  send({ method: 'notifications/initialized' });
  send({ id: 1, method: 'tools/call', params: { name: 'count', arguments: {}, _meta: { progressToken: 1 } } });
  await until('it has reported', () => writes.length === 2);
  expect(writes.slice(1)).toEqual(expected.slice(0, 1));
  clock.advance(3);
  await until('it has responded', () => writes.flat().filter((each) => each === 'response').length === 2);
  expect(writes.slice(1)).toEqual(expected);
  await connection.close();
});
