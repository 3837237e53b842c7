// A client that floods a process, beside a client that makes one call at a time. The test counts how many calls of the flood are answered
// during a call of the other client: in a shared queue, that would be all calls in flight.

import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';

const IN_FLIGHT = 300;
const CALLS = 20;

const flooding = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** Connects before the flood, because Node.js accepts one connection at a time. */
const calling = new Agent({ keepAlive: true, maxSockets: 1 });
let host: Host;
let http: HttpServing;

beforeAll(async () => {
  const args = [fileURLToPath(new URL('../fixtures/gateway/says-who-called.mjs', import.meta.url))];
  host = new Host({ mcpServers: { said: { command: process.execPath, args } } });
  await host.start();
  http = await serveHttp((name) => (name === 'said' ? host.service(name) : undefined), { token: false });
});
afterAll(async () => {
  flooding.destroy();
  calling.destroy();
  await http.close();
  await host.stop();
});

function post(body: object, headers: object, agent = calling): Promise<{ text: string; session: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${http.url}/said`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ text, session: response.headers['mcp-session-id'] as string }));
    });
    sent.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
  });
}

const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'say' };
const modern = (name: string, who: string, agent?: Agent) => () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return post({ id: 1, method: 'tools/call', params: { name: 'say', arguments: { who }, _meta } }, headers, agent);
};

async function inSession(): Promise<() => Promise<{ text: string }>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'other', version: '1' } };
  const { session } = await post({ id: 0, method: 'initialize', params }, {});
  let id = 0;
  return () =>
    post(
      { id: ++id, method: 'tools/call', params: { name: 'say', arguments: { who: 'other' } } },
      { 'mcp-session-id': session },
    );
}

test.each([
  ['short requests', 'x', async () => modern('other', 'other')],
  ['long requests', 'x'.repeat(20_000), inSession],
] as const)('a flood of %s is not served before the calls of another client', async (_what, who, open) => {
  let isFlooding = true;
  let answered = 0;
  const call = await open();
  await call();
  const flood = modern('flood', who, flooding);
  const floods = Array.from({ length: IN_FLIGHT }, async () => {
    while (isFlooding) {
      await flood();
      answered++;
    }
  });
  await expect.poll(() => answered, { timeout: 60_000 }).toBeGreaterThan(0);
  const before = answered;
  for (let made = 0; made < CALLS; made++) expect((await call()).text).toContain('other');
  const perCall = (answered - before) / CALLS;
  isFlooding = false;
  await Promise.all(floods);
  expect(perCall).toBeLessThan(IN_FLIGHT / 5);
});
