// The clients that share a process of a server, through the HTTP gateway and the socket of one host.

import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { chooseServer } from '../../src/host/control/connect-host.ts';
import { type ControlServer, ownPrincipal, serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import type { Auth } from '../../src/host/gateway/access/auth.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { serverFile } from '../host/run-host.ts';

/** A header names the principal: these tests do not verify identities. */
const auth: Auth = { authenticate: (request) => ({ name: request.header('x-test-principal')! }) };

const modes = ['all', 'principal', 'client', 'call'] as const;
const closing: (() => unknown)[] = [];
const socketPath = join(temporaryFolder('sharing'), 'socket');
let host: Host;
let http: HttpServing;
let control: ControlServer;

beforeAll(async () => {
  const entry = { command: process.execPath, args: [serverFile('remembers')], autoStart: false };
  const servers = modes.map((share) => [share, { ...entry, revision: '2025-11-25' as const, share }]);
  host = new Host({ mcpServers: Object.fromEntries(servers) });
  const service = (name?: string) => (name === undefined || host.names.includes(name) ? host.service(name) : undefined);
  http = await serveHttp(service, { auth });
  control = await serveControl(host, socketPath);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await Promise.all(modes.map((name) => host.stopServer(name)));
  await host.start();
});
afterAll(async () => {
  await http?.close();
  await control?.close();
  await host?.stop();
});

/** Connects a client over HTTP. Without `server`: to all servers as one. */
async function overHttp(server: string | undefined, principal: string, revision: Revision = '2025-11-25') {
  const isModern = revision === '2026-07-28';
  const client = new Client(
    { name: `tester of ${principal}`, version: '1' },
    isModern ? { versionNegotiation: { mode: 'auto' } } : { supportedProtocolVersions: [revision] },
  );
  const requestInit = { headers: { 'x-test-principal': principal } };
  const transport = new StreamableHTTPClientTransport(
    new URL(server === undefined ? http.url : `${http.url}/${server}`),
    { requestInit },
  );
  await client.connect(transport);
  closing.push(() => client.close());
  const name = server === undefined ? 'client__add' : 'add';
  const add = async () => textOf(await client.callTool({ name, arguments: {} }));
  return { client, add, leave: () => transport.terminateSession() };
}

async function overSocket(server: string) {
  const socket = await connectLocal(socketPath);
  closing.push(() => socket.destroy());
  await chooseServer(socket, { server });
  const client = await connect(StreamTransport.over(socket));
  return { client, add: async () => textOf(await client.callTool('add', {})), leave: () => socket.destroy() };
}

const textOf = ({ content }: { content: unknown }): string => (content as { text: string }[])[0]!.text;

/** Owners of the processes of the server, without the host itself. */
const owners = (server: string): string[] =>
  host
    .status()
    .find(({ name }) => name === server)!
    .processes.map(({ owner }) => owner)
    .filter((owner) => owner !== 'host');

test('all: 50 clients over HTTP and the socket share one process', async () => {
  const clients = await Promise.all(
    Array.from({ length: 50 }, (_, at) => (at % 5 === 0 ? overSocket('all') : overHttp('all', `principal-${at}`))),
  );
  const counts = await Promise.all(clients.map(({ add }) => add()));
  expect(counts.map(Number).sort((a, b) => a - b)).toEqual(clients.map((_, at) => at + 1));
  expect(host.status().find(({ name }) => name === 'all')!.processes).toMatchObject([{ owner: 'all', state: 'ready' }]);
});

test('principal: its clients of every revision share a process', async () => {
  const [ada, too] = await Promise.all([overHttp('principal', 'ada'), overHttp('principal', 'ada', '2026-07-28')]);
  const grace = await overHttp('principal', 'grace', '2026-07-28');
  expect([await ada.add(), await too.add(), await grace.add()]).toEqual(['1', '2', '1']);
  expect(owners('principal')).toEqual(['ada', 'grace']);
  const [local, another] = [await overSocket('principal'), await overSocket('principal')];
  expect([await local.add(), await another.add()]).toEqual(['1', '2']);
  expect(owners('principal')).toEqual(['ada', 'grace', ownPrincipal()]);
  // The name of a token may equal that of the user.
  const token = await overHttp('principal', ownPrincipal().slice('user:'.length));
  expect(await token.add()).toBe('1');
});

test('client: a session or a connection has its own process until it ends', async () => {
  const [one, two, local] = await Promise.all([
    overHttp('client', 'ada'),
    overHttp('client', 'ada'),
    overSocket('client'),
  ]);
  expect([await one.add(), await one.add(), await two.add(), await local.add()]).toEqual(['1', '2', '1', '1']);
  expect(owners('client')).toHaveLength(3);
  expect(owners('client').filter((owner) => owner.includes('(tester of ada)'))).toHaveLength(2);
  await one.leave();
  local.leave();
  await until('only the other session has a process', () => owners('client').length === 1);
  expect(await two.add()).toBe('2');
});

test('client: a session of the merged service has its own process too', async () => {
  const [one, two] = await Promise.all([overHttp(undefined, 'ada'), overHttp(undefined, 'ada')]);
  expect([await one.add(), await one.add(), await two.add()]).toEqual(['1', '2', '1']);
  await Promise.all([one.leave(), two.leave()]);
  await until('the processes of both are gone', () => owners('client').length === 0);
});

test('client: requests without a session share the process of their principal', async () => {
  const [one, two] = await Promise.all([
    overHttp('client', 'ada', '2026-07-28'),
    overHttp('client', 'ada', '2026-07-28'),
  ]);
  const other = await overHttp('client', 'grace', '2026-07-28');
  expect([await one.add(), await two.add(), await other.add()]).toEqual(['1', '2', '1']);
  expect(owners('client')).toEqual(['requests without a session of ada', 'requests without a session of grace']);
});

test('client: a subscription gets notifications only from the process of its client', async () => {
  const [one, two] = [await overHttp('client', 'ada'), await overHttp('client', 'ada')];
  const heard: string[] = [];
  for (const [name, { client }] of Object.entries({ one, two })) {
    client.setNotificationHandler('notifications/resources/updated', () => void heard.push(name));
    await client.subscribeResource({ uri: 'memory://count' });
  }
  await one.client.callTool({ name: 'touch', arguments: {} });
  await until('it was notified', () => heard.length > 0);
  await two.client.callTool({ name: 'add', arguments: {} });
  expect(heard).toEqual(['one']);
});

test('call: the process of a call ends with it', async () => {
  const [one, two] = [await overHttp('call', 'ada'), await overSocket('call')];
  expect([await one.add(), await one.add(), await two.add()]).toEqual(['1', '1', '1']);
  await until('its process is gone', () => owners('call').length === 0);
});

test('the status names the owner of each process', async () => {
  const { add } = await overHttp('principal', 'lin');
  await add();
  const remote = (await RemoteHost.connect(socketPath))!;
  closing.push(() => remote.close());
  const { servers } = await remote.status();
  expect(servers.find(({ name }) => name === 'principal')).toMatchObject({
    share: 'principal',
    processes: [
      { owner: 'lin', state: 'ready', calls: 1, errors: 0, pid: expect.any(Number), generation: expect.any(Number) },
    ],
  });
});
