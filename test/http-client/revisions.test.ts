// Our client over HTTP, against our own server, in each revision.

import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/doors/http/serve-http.ts';
import { revisionsOfMcp } from '../../src/mcp/revisions.ts';
import { Server } from '../../src/mcp/server/server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving() {
  const server = new Server({ name: 'http-test', version: '1.0.0' });
  server.tool('echo', {}, (args) => JSON.stringify(args));
  server.tool('counts', {}, async (_, call) => {
    for (let step = 1; step <= 3; step++) call.progress(step, 3, `step ${step}`);
    return 'counted';
  });
  server.tool('asks', {}, async (_, call) => {
    const answer = await call.elicit({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return JSON.stringify(answer);
  });
  server.tool('adds', {}, () => {
    server.tool('added', {}, () => 'new');
    return 'added';
  });
  const http = await serveHttp(server);
  closing.push(() => http.close());
  return http;
}

const overHttp = revisionsOfMcp.filter((revision) => revision >= '2025-03-26');

test.each(overHttp)('calls, progress, questions and changes of lists in %s', async (revision) => {
  const { url, token } = await serving();
  const client = await connect(
    { url, headers: { authorization: `Bearer ${token}` } },
    { revision, elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }) },
  );
  closing.push(() => client.close());
  expect(client.server.revision).toBe(revision);
  expect((await client.callTool('echo', { a: 1 })).content).toEqual([{ type: 'text', text: '{"a":1}' }]);
  const progress: unknown[] = [];
  await client.callTool('counts', {}, { onProgress: (step) => progress.push(step) });
  expect(progress).toHaveLength(3);
  if (revision >= '2025-06-18') {
    expect(JSON.stringify(await client.callTool('asks'))).toContain('Ada');
  }
  if (revision >= '2026-07-28') return;
  const changed = new Promise<void>((resolve) => client.onListChanged('tools', resolve));
  await client.callTool('adds');
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('added');
});
