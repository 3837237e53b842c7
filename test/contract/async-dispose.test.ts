// Objects with a close() can be used with `await using`, on every Node.js that has the symbol.

import { expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { Host } from '../../src/entry/host.ts';
import { connectLiteMcp } from '../../src/entry/litemcp.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { fixtureTransport, isAlive } from '../fixtures/server.ts';

test('a transport is disposed and ends its child', async () => {
  const transport = fixtureTransport('peer-server');
  await transport.start();
  const pid = transport.pid!;
  await transport[Symbol.asyncDispose]();
  expect(isAlive(pid)).toBe(false);
});

test('a client, a server and a connection are disposed', async () => {
  const server = new Server({ name: 'test', version: '1' });
  const pairs = [memoryPair(), memoryPair()] as const;
  const connections = await Promise.all(pairs.map(([, far]) => server.connect(far)));
  const clients = await Promise.all(pairs.map(([near]) => connect(near)));
  await clients[0]![Symbol.asyncDispose]();
  await connections[0]!.closed;
  await server[Symbol.asyncDispose]();
  await clients[1]!.closed;
  await connections[1]![Symbol.asyncDispose]();
});

test('a peer is disposed', async () => {
  const [near, far] = memoryPair();
  const peer = new Peer(near);
  const ended = new Promise<void>((resolve) => {
    far.onclose = resolve;
  });
  await Promise.all([peer.start(), far.start()]);
  await peer[Symbol.asyncDispose]();
  await ended;
});

test('a host is disposed', async () => {
  const host = new Host({ servers: { one: { command: process.execPath, autoStart: false } } });
  await host.start();
  await host[Symbol.asyncDispose]();
  expect(host.status()).toMatchObject([{ name: 'one', state: 'stopped' }]);
});

test('misspelled options are type errors', () => {
  const written = () => {
    // @ts-expect-error: "command"
    void connect({ comand: 'node' });
    // @ts-expect-error: "command"
    void connectLiteMcp({ comand: 'node' });
    // @ts-expect-error: "command"
    new Host({ mcpServers: { one: { comand: 'node' } } });
    // @ts-expect-error: "args"
    new Host({ mcpServers: { one: { command: 'node', arg: [] } } });
    // @ts-expect-error: "mcpServers"
    new Host({ mcpServer: { one: { command: 'node' } } });
    // Keys of other hosts and comments are accepted.
    new Host({
      mcpServers: { one: { command: 'node', type: 'stdio', alwaysAllow: [], _comment: 'x' }, two: { url: 'x' } },
    });
  };
  expect(written).toBeTypeOf('function');
});
