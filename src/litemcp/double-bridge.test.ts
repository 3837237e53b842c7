// LiteMCP bridged to MCP and back to LiteMCP: both bridges preserve everything.

import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Client } from '../mcp/client/client.ts';
import { LiteMcpClient } from './client.ts';
import { mcpToolAsLiteMcp } from './from-mcp.ts';
import { connected, mcpClientOf, mcpClientOfLite, wireOver } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';
import { litemcpAsMcp } from './service.ts';
import { mcpNameOf } from './tool-as-mcp.ts';

const odd = fc.constantFrom(
  '\ud800',
  '\udfff',
  '\u2028',
  '\u0000',
  '\n\n\n',
  '\r\n\r\n\r\n',
  '😀',
  '"',
  '\\',
  '5',
  '{}',
);
const anyString = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), odd), { maxLength: 6 })
  .map((parts) => parts.join(''));

type Bridge = (server: LiteMcpServer) => Promise<Pick<Client, 'listTools' | 'callTool' | 'close'>>;
const bridges: [string, Bridge][] = [
  ['as an MCP server', async (server) => mcpClientOf(await litemcpAsMcp((await connected(server)).client))],
  ['on the channel', async (server) => (await mcpClientOfLite(server)).client],
];

async function throughBoth(server: LiteMcpServer, bridge: Bridge) {
  const mcp = await bridge(server);
  const name = mcpNameOf(server.tool.name);
  const [near, far] = duplexPair();
  await (await mcpToolAsLiteMcp(mcp, name)).serve(wireOver(far));
  const client = new LiteMcpClient(wireOver(near));
  await client.start();
  return { client, close: () => Promise.all([client.close(), mcp.close()]) };
}

describe.each(bridges)('%s', async (_name, bridge) => {
  const echo = new LiteMcpServer(
    {
      name: 'Echo',
      parameters: [
        { name: 'one', type: 'string' },
        { name: 'two', type: 'word' },
        { name: 'fails', type: 'boolean' },
      ],
    },
    ({ one, two, fails }) => ({
      content: [
        { type: one, data: two },
        { type: two, data: one },
      ],
      error: fails,
    }),
  );
  const { client, close } = await throughBoth(echo, bridge);
  afterAll(close);

  test('any strings and contents pass unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyString, anyString, fc.boolean(), async (one, two, fails) => {
        const { params, response } = await client.call({ one, two, fails });
        expect(params).toEqual({ one, two, fails: String(fails) });
        expect(response).toEqual({
          content: [
            { type: one, data: two },
            { type: two, data: one },
          ],
          error: fails,
        });
      }),
      { numRuns: 200 },
    );
  });
  test('a thousand concurrent calls', async () => {
    const texts = Array.from({ length: 1000 }, (_, n) => `${n}\n\n\n😀`);
    const results = await Promise.all(texts.map((text) => client.call([text, 'x', 'false'])));
    expect(results.map(({ response }) => response.content[1]!.data)).toEqual(texts);
  });
  test('any names of parameters keep their order', async () => {
    const names = fc.uniqueArray(fc.oneof(anyString, fc.nat(20).map(String), fc.constant('__proto__')), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(names, anyString, async (parameters, text) => {
        const joins = new LiteMcpServer(
          { name: 'Join', parameters: parameters.map((name) => ({ name, type: 'string' })) },
          (_values, call) => call.arguments.map((data) => ({ type: 'string', data })),
        );
        const joined = await throughBoth(joins, bridge);
        expect((await joined.client.info()).parameters.map(({ name }) => name)).toEqual(parameters);
        const texts = parameters.map((_, i) => `${i}${text}`);
        const { response } = await joined.client.call(texts);
        const wanted =
          texts.length === 0 ? [{ type: 'array', data: '[]' }] : texts.map((data) => ({ type: 'string', data }));
        expect(response.content).toEqual(wanted);
        await joined.close();
      }),
      { numRuns: 50 },
    );
  });
});
