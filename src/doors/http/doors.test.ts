import { expect, test } from 'vitest';
import { Server } from '../../mcp/server/server.ts';
import { Doors } from './doors.ts';
import { WebExchange } from './web-exchange.ts';

const server = new Server({ name: 'notes', version: '1' });
const served = (name: string | undefined) => (name === undefined || name === 'notes' ? server.service : undefined);
const withTool = (tool: string) => ({ name: 'someone', tools: [tool] });

test('a path has one door, however it is written, and each set of rights its own', async () => {
  const doors = new Doors(served, { path: '/mcp' });
  const door = doors.at('/mcp/notes');
  expect(doors.at('/mcp/%6Eotes')).toBe(door);
  expect(doors.at('/mcp/notes', { name: 'someone' })).toBe(door);
  expect(doors.at('/mcp')).not.toBe(door);
  const restricted = doors.at('/mcp/notes', withTool('read'));
  expect(restricted).not.toBe(door);
  expect(doors.at('/mcp/notes', { name: 'another', tools: ['read'] })).toBe(restricted);
  expect(doors.at('/mcp/notes', withTool('write'))).not.toBe(restricted);
  for (const path of ['/mcp/', '/mcp/other', '/mcp/%', '/mcpx', '/', '', '/mcp/notes/', '//mcp']) {
    expect([path, doors.at(path)]).toEqual([path, undefined]);
  }
  await doors.close();
});

test('doors that are not used are closed when there are too many', async () => {
  const doors = new Doors(served, { path: '/mcp' });
  const [idle, used] = [doors.at('/mcp', withTool('idle')), doors.at('/mcp', withTool('used'))];
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
  for (let at = 0; at < 1000; at++) doors.at('/mcp', withTool(`tool-${at}`));
  expect(doors.at('/mcp', withTool('used'))).toBe(used);
  expect(doors.at('/mcp', withTool('idle'))).not.toBe(idle);
  await doors.close();
});
