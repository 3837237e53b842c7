// Strings that a peer sends in place of `_meta`, entries and declarations are dropped. Spreading a string would create a member for each of
// its characters, which takes minutes for a long one.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { type Result, silentCaller } from '../../src/mcp/service.ts';
import { TestCaller } from './test-caller.ts';

const file = fileURLToPath(new URL('../fixtures/odd-meta-server.mjs', import.meta.url));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gateway(era: string) {
  const host = new Host({ mcpServers: { odd: { command: process.execPath, args: [file, era] } } });
  closing.push(() => host.stop());
  await host.start();
  const serving = await serveHttp((name) => host.service(name));
  closing.push(() => serving.close());
  return serving;
}

/** Numeric member names, which result from spreading a string. */
const characters = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value).filter((key) => /^\d+$/.test(key));
  return [...own, ...Object.values(value).flatMap(characters)];
};

for (const server of ['modern', 'legacy']) {
  for (const era of ['modern', 'legacy'] as const) {
    for (const path of ['', '/odd']) {
      test(`a ${era} client at "${path}" gets no characters as members from a ${server} server`, async () => {
        const { url, token } = await gateway(server);
        const headers = { authorization: `Bearer ${token}`, traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
        const seen: unknown[] = [];
        const client = await connect({ url: url + path, headers }, { era });
        closing.push(() => client.close());
        await client.service.watch({ filter: { logs: 'debug' }, notified: (_method, params) => seen.push(params) });
        seen.push(client.server, await client.request('tools/list', {}));
        const name = path === '' ? 'odd__echo' : 'echo';
        const facts = { ...new TestCaller().client, revision: client.server.revision };
        const params = { name, arguments: {}, ...(era === 'legacy' && { _meta: 'characters' }) };
        const called: Result = await client.service.request('tools/call', params, silentCaller(facts));
        seen.push(called);
        expect(seen.flatMap(characters)).toEqual([]);
        expect(called.content).toEqual([{ type: 'text', text: '[]' }]);
      });
    }
  }
}
