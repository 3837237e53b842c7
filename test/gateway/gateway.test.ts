// The servers of a host over HTTP: one process serves many clients of every revision.

import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { isModernRevision, type Revision, revisionsOfMcp } from '../../src/mcp/revisions.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const everything = fileURLToPath(new URL('../fixtures/cli/everything.mjs', import.meta.url));

async function gateway(revision: Revision) {
  const entry = { command: process.execPath, args: [everything], revision };
  const host = new Host({ mcpServers: { first: entry, second: entry } });
  closing.push(() => host.stop());
  const serving = await serveHttp((name) =>
    name === undefined || host.names.includes(name) ? host.service(name) : undefined,
  );
  closing.push(() => serving.close());
  return { host, ...serving };
}

async function connected(url: string, token: string | undefined, revision: Revision, answer: string) {
  const client = new Client(
    { name: 'official', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      ...(isModernRevision(revision)
        ? { versionNegotiation: { mode: 'auto' } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: answer } }));
  closing.push(() => client.close());
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

const eras: readonly Revision[] = ['2025-11-25', '2026-07-28'];

test.each(eras.flatMap((server) => eras.map((client) => [server, client] as const)))(
  'a server of %s asks the client of %s that made the call',
  async (server, client) => {
    const { url, token, host } = await gateway(server);
    const one = await connected(`${url}/first`, token, client, 'Ada');
    const two = await connected(`${url}/first`, token, client, 'Grace');
    expect(JSON.stringify(await one.callTool({ name: 'asks', arguments: {} }))).toContain('Ada');
    expect(JSON.stringify(await two.callTool({ name: 'asks', arguments: {} }))).toContain('Grace');
    const isModern = isModernRevision(server);
    expect(host.status().find(({ name }) => name === 'first')).toMatchObject({
      state: 'ready',
      restarts: 0,
      questions: {
        attribution: isModern ? 'result' : 'pending calls',
        alone: isModern ? [] : ['asks'],
        refused: 0,
      },
    });
    expect(host.status().find(({ name }) => name === 'second')).toMatchObject({ pid: null });
  },
);

test.each(revisionsOfMcp.filter((revision) => revision > '2025-03-26'))(
  'all servers as one, in %s',
  async (revision) => {
    const { url, token, host } = await gateway('2025-11-25');
    await host.start();
    const client = await connected(url, token, revision, 'Ada');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^(first|second)__[a-zA-Z0-9_-]{1,56}$/);
    const greeting = await client.callTool({ name: 'second__greet', arguments: { name: 'Ada' } });
    expect(JSON.stringify(greeting.content)).toContain('Ada');
  },
);
