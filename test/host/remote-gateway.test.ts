// A host with remote servers behind its own gateway: effects of remote servers on clients, and data of clients that
// remote servers receive.

import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { connect } from '../../src/connect/connect.ts';
import type { Auth } from '../../src/host/gateway/access/auth.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import type { Host } from '../../src/host/host.ts';
import { later } from '../fixtures/later.ts';
import { remoteUp, States, text } from './remote-servers.ts';
import { openHost, serverFile, writeConfig } from './run-host.ts';

const near = { command: process.execPath, args: [serverFile('remembers')] };

async function gateway(host: Host, auth?: Auth) {
  const service = (name?: string) => (name === undefined || host.names.includes(name) ? host.service(name) : undefined);
  const serving = await serveHttp(service, auth ? { auth } : { token: false });
  later(() => serving.close());
  return serving;
}

/** Accepts all requests, and records the headers of each. */
function noting(): Auth & { seen: Record<'authorization' | 'session' | 'principal', string | undefined>[] } {
  const seen: Record<'authorization' | 'session' | 'principal', string | undefined>[] = [];
  return {
    seen,
    authenticate: (request) => {
      const [authorization, session, principal] = ['authorization', 'mcp-session-id', 'x-test-principal'].map((name) =>
        request.header(name),
      );
      seen.push({ authorization, session, principal });
      return { name: principal ?? 'anybody' };
    },
  };
}

for (const era of ['modern', 'legacy'] as const) {
  test(`clients keep their sessions while a server of the ${era} era restarts, and are notified of changes`, async () => {
    const remote = await remoteUp();
    const states = new States();
    const host = await openHost({ far: { url: remote.url, era }, near }, { onStateChange: states.changed });
    const { url } = await gateway(host);
    const client = await connect({ url }, { era: 'legacy' });
    later(() => client.close());
    const { sessionId } = client.transport;
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const changed = new Promise<void>((resolve) => {
      const look = async () => (await names()).includes('far__new') && resolve();
      client.onListChanged('tools', () => void look().catch(() => undefined));
    });
    expect(await names()).toEqual(expect.arrayContaining(['far__count', 'near__add']));
    expect(await client.callTool('far__count')).toMatchObject(text('1'));
    await remote.down();
    remote.server.tool('new', {}, () => 'new');
    const waiting = client.callTool('far__count');
    await states.next('backoff');
    await client.callTool('near__pid');
    await remote.up();
    expect(await waiting).toMatchObject(text('2'));
    await changed;
    expect(await client.callTool('far__new')).toMatchObject(text('new'));
    expect(client.transport.sessionId).toBe(sessionId);
  });
}

test('a remote server gets no credentials of clients, and each client has its own session if the server is not shared', async () => {
  const seenFar = noting();
  const remote = await remoteUp({ auth: seenFar });
  const headers = { 'X-Own': 'ours', authorization: 'Bearer of-the-entry' };
  const far = { url: remote.url, headers, era: 'legacy', share: 'client' };
  const host = await openHost({ far });
  const { url } = await gateway(host, noting());
  const clients = await Promise.all(
    ['ada', 'grace'].map((name) =>
      connect(
        { url: `${url}/far`, headers: { authorization: `Bearer token-of-${name}`, 'x-test-principal': name } },
        { era: 'legacy' },
      ),
    ),
  );
  for (const client of clients) later(() => client.close());
  seenFar.seen.length = 0;
  await Promise.all(clients.map((client) => client.callTool('count')));
  const { seen } = seenFar;
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer of-the-entry']));
  expect(new Set(seen.map(({ principal }) => principal))).toEqual(new Set([undefined]));
  expect(new Set(seen.flatMap(({ session }) => session ?? [])).size).toBeGreaterThanOrEqual(2); // one may be that of the host
  const owners = host.status()[0]!.processes.map(({ owner, pid }) => ({ owner, pid }));
  expect(owners.filter(({ owner }) => owner.startsWith('client '))).toHaveLength(2);
  expect(owners.every(({ pid }) => pid === null)).toBe(true);
});

test('applies a changed address or header without affecting other servers', async () => {
  const seen = noting();
  const [first, second] = [await remoteUp(), await remoteUp({ auth: seen })];
  const host = await openHost({ far: { url: first.url }, other: { url: first.url } });
  await host.start();
  await host.callTool('far', 'count');
  const headers = { authorization: 'Bearer renewed' };
  const file = writeConfig({ far: { url: second.url, headers }, other: { url: first.url } });
  const { changed, unchanged } = await host.reload(await loadConfig({ file }));
  expect([changed.length, unchanged.length]).toEqual([1, 1]);
  expect(await host.callTool('far', 'count')).toMatchObject(text('1'));
  expect([first.calls, second.calls]).toEqual([1, 1]);
  expect(new Set(seen.seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer renewed']));
  expect(host.status().map(({ url, restarts }) => ({ url, restarts }))).toEqual([
    { url: second.url, restarts: 0 },
    { url: first.url, restarts: 0 },
  ]);
});
