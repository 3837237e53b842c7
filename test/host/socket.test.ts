// The socket of a host: any MCP client can use it, in either era, without affecting others.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client as OfficialClient } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { chooseServer } from '../../src/host/control/connect-host.ts';
import { type ControlServer, ownPrincipal, serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import type { Unanswered } from '../../src/host/services/process-service.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import type { ClientIdentity } from '../../src/mcp/service.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf } from './run-host.ts';

const notes = (own: string) => ({ command: process.execPath, args: [serverFile('notes')], env: { OWN: own } });

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

let sockets = 0;
async function serveHost(options?: HostOptions, onDown?: () => void): Promise<{ host: Host; control: ControlServer }> {
  const host = await openHost({ a: notes('a'), b: notes('b') }, options);
  const control = await serveControl(host, join(folder, `socket-${++sockets}`), { onDown });
  opened.push(control);
  return { host, control };
}

async function open(path: string): Promise<Socket> {
  const socket = await connectLocal(path);
  opened.push({ close: () => socket.destroy() });
  return socket;
}

async function clientOf(path: string, options: ClientOptions, server?: string) {
  const socket = await open(path);
  if (server !== undefined) await chooseServer(socket, { server });
  const client = await connect(StreamTransport.over(socket), options);
  opened.push(client);
  return client;
}

async function remoteOf(path: string): Promise<RemoteHost> {
  const remote = (await RemoteHost.connect(path))!;
  opened.push(remote);
  return remote;
}

describe.each(['modern', 'legacy'] as const)('a client of the %s era', (era) => {
  test('uses the merged service, and cannot choose a server afterwards', async () => {
    const { control } = await serveHost();
    const client = await clientOf(control.path, { era });
    expect(client.server.info.name).toBe('standpipe');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('b__write');
    expect(await client.callTool('only_b')).toMatchObject({ content: [{ text: 'b' }] });
    await expect(client.request('standpipe/use', { server: 'b' })).rejects.toThrow('must be the first request');
    expect(await client.callTool('only_a')).toMatchObject({ content: [{ text: 'a' }] });
  });

  test('uses only the server that its first line chose', async () => {
    const { control } = await serveHost();
    const client = await clientOf(control.path, { era }, 'b');
    expect(client.server.info.name).toBe('notes');
    const own = await client.listTools();
    expect(own.tools.map(({ name }) => name)).toEqual(['write', 'only_b', 'declare', 'asks', 'die']);
    expect(await client.callTool('write', { text: 'x' })).toMatchObject({ content: [{ text: 'b has x' }] });
    const ref = { type: 'ref/resource' as const, uri: 'b://{id}' };
    expect((await client.complete(ref, { name: 'id', value: 'a' })).values).toEqual(['a1', 'a2']);
  });

  test('is notified of changed resources, also after a restart of the server', async () => {
    const { host, control } = await serveHost();
    const client = await clientOf(control.path, { era }, 'a');
    let updates = 0;
    await client.subscribe('notes://shared', () => updates++);
    await client.callTool('write', { text: 'x' });
    await until('it is received', () => updates === 1);
    await host.restartServer('a');
    await until('the new process sends notifications', () => updates === 2);
    await client.callTool('write', { text: 'y' });
    await until('its update is received', () => updates === 3);
  });

  test.each(['modern', 'legacy'] as const)('receives the questions of its server of the %s era', async (serverEra) => {
    const eraMemory = { get: () => serverEra, set: () => undefined };
    const { control } = await serveHost({ eraMemory, inputs: () => ({ elicit: () => ({ action: 'decline' }) }) });
    const asked: string[] = [];
    const elicit: ClientOptions['elicit'] = ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: { name: era } };
    };
    const client = await clientOf(control.path, { era, elicit }, 'a');
    expect(await client.callTool('asks')).toMatchObject({ content: [{ text: `accept: ${era}` }] });
    expect(asked).toEqual(['Who asks a?']);
  });
});

test("the official SDK's client uses a host through its socket", async () => {
  const { control } = await serveHost();
  const client = new OfficialClient({ name: 'official', version: '1.0.0' });
  await client.connect(StreamTransport.over(await open(control.path)));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('a__only_a');
  expect(await client.callTool({ name: 'only_a', arguments: {} })).toMatchObject({ content: [{ text: 'a' }] });
  await client.close();
});

test('a caller without input handlers is notified of the answers given for it', async () => {
  const { control } = await serveHost({ inputs: () => ({ elicit: () => ({ action: 'cancel' }) }) });
  const [caller, other] = [await remoteOf(control.path), await remoteOf(control.path)];
  const heard: Unanswered[] = [];
  caller.onUnanswered = (question) => heard.push(question);
  other.onUnanswered = () => expect.unreachable('it has called nothing');
  expect(await caller.client('a').callTool('asks')).toMatchObject({ content: [{ text: 'cancel: undefined' }] });
  expect(heard).toEqual([{ server: 'a', message: 'Who asks a?', action: 'cancel' }]);
});

test('requests to several servers reach the right server', async () => {
  const { control } = await serveHost();
  const remote = await remoteOf(control.path);
  const calls = Array.from({ length: 50 }, (_, at) => (at % 2 ? 'a' : 'b')).map(async (server) => {
    const { content } = await remote.client(server).callTool(`only_${server}`);
    return (content[0] as { text: string }).text === server;
  });
  expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
});

test('subscriptions at several servers of one host do not affect requests to others', async () => {
  const { control } = await serveHost();
  const remote = await remoteOf(control.path);
  const heard: string[] = [];
  for (const server of ['a', 'b']) {
    await remote.service(server).watch({
      filter: { resourceSubscriptions: ['notes://shared'] },
      notified: () => heard.push(server),
    });
  }
  await remote.client('a').callTool('write', { text: 'x' });
  await until('it is received', () => heard.length === 1);
  await remote.client('b').callTool('write', { text: 'x' });
  await until('the other is received', () => heard.length === 2);
  expect(heard).toEqual(['a', 'b']);
});

test('an unknown name is refused with the existing names', async () => {
  const { host, control } = await serveHost();
  const socket = await open(control.path);
  await expect(chooseServer(socket, { server: 'unknown' })).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  await expect(connect(StreamTransport.over(socket))).rejects.toThrow('There is no server named "unknown"');
  const remote = await remoteOf(control.path);
  const refused = { name: 'UsageError', code: 'NAME_UNKNOWN', hint: 'There are: a, b' };
  await expect(remote.client('unknown').listTools()).rejects.toMatchObject(refused);
  await expect(remote.control('standpipe/start', { server: 'unknown' })).rejects.toMatchObject(refused);
  await expect(remote.control('standpipe/start')).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(stateOf(host, 'a')).toBe('stopped');
});

test('control methods start and stop servers, read their stderr, and end the host', async () => {
  let down = false;
  const { host, control } = await serveHost({}, () => {
    down = true;
  });
  const remote = await remoteOf(control.path);
  expect(await remote.control('standpipe/start', { server: 'a' })).toMatchObject({ server: { state: 'ready' } });
  expect(await remote.control('standpipe/logs', { server: 'a', since: 0 })).toMatchObject({ text: '' });
  expect(await remote.control('standpipe/stop', { server: 'a' })).toMatchObject({ server: { state: 'stopped' } });
  expect(await remote.control('standpipe/config')).toEqual(expect.objectContaining({ rejected: [], problems: [] }));
  expect(await remote.control('standpipe/down')).toMatchObject({ pid: process.pid });
  await until('it ends', () => down);
  expect(stateOf(host, 'b')).toBe('stopped');
});

test('a client that has sent its last request receives its answers before the connection closes', async () => {
  const { control } = await serveHost();
  const socket = await open(control.path);
  await chooseServer(socket, { server: 'a' });
  const request = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'only_a', arguments: {} } };
  socket.write(`${JSON.stringify(request)}\n{"jsonrpc":"2.0","method":"standpipe/end"}\n`);
  expect(await text(socket)).toMatch(/"id":7.*"text":"a"/);
});

test('connections to the socket are different clients of one user', async () => {
  const { host, control } = await serveHost();
  const seen: ClientIdentity[] = [];
  const { request } = host.service('a');
  host.service('a').request = (method, params, caller) => {
    seen.push(caller.client.identity);
    return request.call(host.service('a'), method, params, caller);
  };
  for (const era of ['modern', 'legacy'] as const) {
    const client = await clientOf(control.path, { era }, 'a');
    for (const _ of [1, 2]) await client.callTool('only_a');
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(2);
  expect(new Set(seen.map(({ principal }) => principal))).toEqual(new Set([ownPrincipal()]));
});

describe('a misused socket', () => {
  const stillServes = async (path: string) => {
    const remote = await remoteOf(path);
    expect(await remote.client('a').callTool('only_a')).toMatchObject({ content: [{ text: 'a' }] });
  };

  test('answers invalid bytes with errors, and other clients receive their answers', async () => {
    const { control } = await serveHost();
    const socket = await open(control.path);
    const answers = once(socket, 'data');
    socket.write('GET / HTTP/1.1\r\n\0\n[[[[\n{"jsonrpc":"2.0","id":1,"method":7}\n');
    expect(String((await answers)[0])).toContain('"error"');
    await stillServes(control.path);
  });

  test('answers a line of 128 MB with an error, and other clients receive their answers meanwhile', async () => {
    const { control } = await serveHost();
    const socket = await open(control.path);
    const answers = once(socket, 'data');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let megabytes = 0; megabytes < 128; megabytes++) {
      if (!socket.write(piece)) await once(socket, 'drain');
    }
    await stillServes(control.path);
    socket.write('\n');
    expect(String((await answers)[0])).toMatch(/"error".*larger|"error".*limit|"error".*bytes/);
  });

  test('a connection with 20,000 unread answers does not delay others', async () => {
    const { control } = await serveHost();
    const socket = await open(control.path);
    socket.pause();
    const request = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"standpipe/status"}\n`;
    socket.write(Array.from({ length: 20_000 }, (_, id) => request(id)).join(''));
    await stillServes(control.path);
  });
});

test('the node may be omitted from the name of a server that only one node has', async () => {
  const host = await openHost({ 'own@two': notes('own'), 'both@one': notes('one'), 'both@two': notes('two') });
  const path = join(folder, 'socket-short');
  opened.push(await serveControl(host, path));
  const client = await clientOf(path, {}, 'own');
  expect(await client.callTool('only_own')).toMatchObject({ content: [{ text: 'own' }] });
  const hint = 'Nodes of the fleet have it: both@one, both@two.';
  await expect(clientOf(path, {}, 'both')).rejects.toMatchObject({ code: 'NAME_UNKNOWN', hint });
});
