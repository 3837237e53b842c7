import { expect, test } from 'vitest';
import { Server } from '../../../mcp/server/server.ts';
import { WebExchange } from './exchange.ts';
import { Gateways } from './gateways.ts';

const server = new Server({ name: 'notes', version: '1' });
const served = (name: string | undefined) => (name === undefined || name === 'notes' ? server.service : undefined);
const withTool = (tool: string) => ({ name: 'someone', tools: [tool] });

test('a path has one gateway for each set of rights, in any encoding of the path', async () => {
  const gateways = new Gateways(served, { path: '/mcp' });
  const gateway = gateways.at('/mcp/notes');
  expect(gateways.at('/mcp/%6Eotes')).toBe(gateway);
  expect(gateways.at('/mcp/notes', { name: 'someone' })).toBe(gateway);
  expect(gateways.at('/mcp')).not.toBe(gateway);
  const restricted = gateways.at('/mcp/notes', withTool('read'));
  expect(restricted).not.toBe(gateway);
  expect(gateways.at('/mcp/notes', { name: 'another', tools: ['read'] })).toBe(restricted);
  expect(gateways.at('/mcp/notes', withTool('write'))).not.toBe(restricted);
  for (const path of ['/mcp/', '/mcp/other', '/mcp/%', '/mcpx', '/', '', '/mcp/notes/', '//mcp']) {
    expect([path, gateways.at(path)]).toEqual([path, undefined]);
  }
  await gateways.close();
});

test('closes idle gateways above a limit', async () => {
  const gateways = new Gateways(served, { path: '/mcp' });
  const [idle, used] = [gateways.at('/mcp', withTool('idle')), gateways.at('/mcp', withTool('used'))];
  const exchange = new WebExchange(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}',
    }),
  );
  exchange.principal = withTool('used');
  used!.handle(exchange);
  expect((await exchange.response).status).toBe(200);
  for (let at = 0; at < 1000; at++) gateways.at('/mcp', withTool(`tool-${at}`));
  expect(gateways.at('/mcp', withTool('used'))).toBe(used);
  expect(gateways.at('/mcp', withTool('idle'))).not.toBe(idle);
  await gateways.close();
});
