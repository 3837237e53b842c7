// Messages within the size limit that a parser would expand to twenty times their length: each fails only its own
// request.

import { expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { connectLiteMcp } from '../../src/entry/litemcp.ts';
import { closing } from '../fixtures/server.ts';
import { openHost } from '../host/run-host.ts';
import { hostileEntry, RawServer } from './raw-server.ts';

const entry = (...args: string[]) => hostileEntry('answers-with-many-values', ...args);
const refused = (limit: number) => ({
  code: 'TOO_MANY_VALUES',
  message: expect.stringContaining(`more than ${limit} JSON values (maxFrameValues)`),
  hint: expect.stringMatching(/Raise maxFrameValues .*key of the server in a config/),
});

test('a host refuses an answer of 60 MB of empty objects by its length, and one of 200,000 by their number', async () => {
  const host = await openHost({ many: entry(), more: { ...entry(), maxFrameValues: 500_000 } });
  await host.start();
  const { pid } = host.status()[0]!;
  const tooLong = host.callTool('many', 'tool', { count: 20_000_000 });
  await expect(tooLong).rejects.toMatchObject({
    code: 'FRAME_TOO_LONG',
    hint: expect.stringContaining('maxFrameBytes'),
  });
  for (const idLast of [false, true]) {
    const beside = host.callTool('many', 'tool', { count: 10 });
    await expect(host.callTool('many', 'tool', { count: 200_000, idLast })).rejects.toMatchObject(refused(250_000));
    expect((await beside).content).toEqual([{ type: 'text', text: '10 objects' }]);
  }
  // The limit is raised for this server only.
  expect((await host.callTool('more', 'tool', { count: 200_000 })).content).toHaveLength(1);
  expect(host.status()[0]).toMatchObject({ state: 'ready', pid });
});

test('a client of one server reads messages up to its configured limit', async () => {
  const client = closing(await connect({ ...entry(), stderr: 'ignore' }));
  expect((await client.callTool('tool', { count: 200_000 })).content).toHaveLength(1);
  await expect(client.callTool('tool', { count: 600_000 })).rejects.toMatchObject(refused(1_000_000));
  const strict = closing(await connect({ ...entry(), stderr: 'ignore', maxFrameValues: 100 }));
  await expect(strict.callTool('tool', { count: 60 })).rejects.toMatchObject(refused(100));
  expect((await strict.callTool('tool', { count: 10 })).content).toHaveLength(1);
});

test('answers of a LiteMCP server are limited for a client and in a host', async () => {
  const client = closing(await connectLiteMcp({ ...entry('litemcp'), stderr: 'ignore' }));
  await expect(client.call(['600000'])).rejects.toMatchObject(refused(1_000_000));
  expect((await client.call(['10'])).response.error).toBe(false);
  const host = await openHost({ many: { ...entry('litemcp'), protocol: 'litemcp' } });
  await expect(host.callTool('many', 'many', { count: '200000' })).rejects.toMatchObject(refused(250_000));
  expect((await host.callTool('many', 'many', { count: '10' })).isError ?? false).toBe(false);
});

test('a request to our server is refused with its id, and the next one is answered', async () => {
  const server = new RawServer('takes-odd-requests');
  await server.initialize('2025-11-25');
  server.write(`{"jsonrpc":"2.0","method":"ping","params":{"x":[${Array(600_000).fill('{}').join()}]},"id":7}`);
  expect(await server.until(({ id }) => id === 7)).toMatchObject({
    error: { code: -32600, message: expect.stringContaining('maxFrameValues') },
  });
  expect(await server.request(8, 'ping')).toMatchObject({ result: {} });
});
