// A client of a service in this process: the same calls without a connection.

import { expect, test } from 'vitest';
import { clientOf, type LogMessage, type Progress } from '../../src/entry/client.ts';
import { Server } from '../../src/mcp/server/server.ts';

const any = { input: { type: 'object' } } as const;

test('calls, questions, progress, log messages and changes need no connection', async () => {
  const server = new Server({ name: 'here', version: '1.0.0' });
  server.tool('ask', any, async ({ message }, call) => {
    call.progress(1, 2);
    call.log('warning', 'asking');
    const requestedSchema = { type: 'object' as const, properties: {} };
    const { content } = await call.elicit({ message: String(message), requestedSchema });
    return `${content?.name}`;
  });
  const client = await clientOf(server.service, {
    elicit: ({ message }) => ({ action: 'accept', content: { name: `${message} Ada` } }),
  });
  expect(client.server).toMatchObject({ info: { name: 'here' }, era: 'modern' });
  const logged: LogMessage[] = [];
  client.onLog((message) => logged.push(message));
  const steps: Progress[] = [];
  const result = await client.callTool(
    'ask',
    { message: 'Who?' },
    { logLevel: 'info', onProgress: (step) => steps.push(step) },
  );
  expect(result.content).toEqual([{ type: 'text', text: 'Who? Ada' }]);
  expect(steps).toMatchObject([{ progress: 1, total: 2 }]);
  expect(logged).toEqual([{ level: 'warning', data: 'asking' }]);

  const changed = new Promise<void>((resolve) => client.onListChanged('tools', resolve));
  server.tool('late', any, () => 'here');
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask', 'late']);
  await expect(client.callTool('nope')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

test('closing the client leaves its service open', async () => {
  const server = new Server({ name: 'here', version: '1.0.0' });
  server.tool('echo', any, ({ text }) => String(text));
  const client = await clientOf(server.service);
  const ends: unknown[] = [];
  client.onclose = (cause) => ends.push(cause);
  await client.close();
  await client.close();
  expect(await client.closed).toBeUndefined();
  expect(ends).toEqual([undefined]);
  const other = await clientOf(server.service);
  expect((await other.callTool('echo', { text: 'still' })).content).toEqual([{ type: 'text', text: 'still' }]);
});
