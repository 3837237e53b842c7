// Notifications of a shared process reach each subscribed client once, and continue after a restart. Errors of lost calls name the process
// that ran them. Official clients in sessions and of 2026-07-28 over HTTP, and our client at the socket.

import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Era } from '../../src/mcp/revisions.ts';
import { contractServer } from '../contract/service.contract.ts';
import { TestWatcher } from '../contract/test-caller.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const eras = ['legacy', 'modern'] as const;
const folder = temporaryFolder('news');

let host: Host;
let http: HttpServing;
let control: ControlServer;
beforeAll(async () => {
  const entry = (era: Era) => ({ command: process.execPath, args: [contractServer], era });
  host = new Host({ mcpServers: { legacy: entry('legacy'), modern: entry('modern') } });
  await host.start();
  http = await serveHttp((name) => host.service(name));
  control = await serveControl(host, join(folder, 'socket'));
});
afterAll(async () => {
  await control?.close();
  await http?.close();
  await host?.stop();
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Connects an official client, in a session unless it is of 2026-07-28, and collects its notifications. */
async function connected(path: string, era: Era = 'legacy') {
  const client = new Client(
    { name: 'official', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : { supportedProtocolVersions: ['2025-11-25'] },
  );
  const logs: unknown[] = [];
  const updates: string[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${http.url}${path}`), { requestInit });
  await client.connect(transport);
  const leave = async () => {
    await transport.terminateSession();
    await client.close();
  };
  closing.push(() => client.close());
  return { client, transport, logs, updates, leave };
}

type Connected = Awaited<ReturnType<typeof connected>>;
const call = ({ client }: Connected, name: string, args: object = {}) =>
  client.callTool({ name, arguments: { ...args } });

/** Messages of a method that the host has sent to a server since `after`. */
const sent = (server: string, after: number, method: string): Record<string, unknown>[] =>
  host.flow
    .since(after)
    .flatMap((event) =>
      event.kind === 'frame' && event.direction === 'toServer' && event.server === server ? [event.payload] : [],
    )
    .map((payload) => JSON.parse(Buffer.from(payload).toString()))
    .filter((message) => message.method === method)
    .map(({ params }) => params);

describe('the log level', () => {
  test('the log level of a server is the most verbose that a client chose, and each client gets its own', async () => {
    const after = host.flow.lastSeq;
    const levels = () => sent('legacy', after, 'logging/setLevel').map(({ level }) => level);
    const [quiet, loud, usual] = [await connected('/legacy'), await connected('/legacy'), await connected('/legacy')];
    expect(levels()).toEqual([]);
    await quiet.client.setLoggingLevel('error');
    await loud.client.setLoggingLevel('debug');
    // The gateway answers a client before it has set the level of the server.
    await until('the server has both levels', () => levels().length === 2);
    for (const level of ['debug', 'info', 'error']) await call(usual, 'say', { level, data: level });
    await until('all have heard the last', () => [quiet, loud, usual].every(({ logs }) => logs.includes('error')));
    expect([quiet.logs, loud.logs, usual.logs]).toEqual([['error'], ['debug', 'info', 'error'], ['info', 'error']]);
    await loud.leave();
    await until('the server has another level', () => levels().length === 3);
    await quiet.leave();
    await until('the server has the usual level', () => levels().length === 4);
    expect(levels()).toEqual(['error', 'debug', 'error', 'info']);
  });

  test('is set again in the next process', async () => {
    const one = await connected('/legacy');
    await one.client.setLoggingLevel('debug');
    await host.restartServer('legacy');
    await call(one, 'say', { level: 'debug', data: 'after the restart' });
    await until('it is heard', () => one.logs.includes('after the restart'));
  });

  test('reaches every server at /mcp, and a message names its server', async () => {
    const one = await connected('');
    const metas: unknown[] = [];
    one.client.setNotificationHandler('notifications/message', ({ params }) => void metas.push(params._meta));
    await one.client.setLoggingLevel('debug');
    const heard = async () => {
      await call(one, 'legacy__say', { level: 'debug', data: 'x' });
      return metas[0];
    };
    await expect.poll(heard).toEqual({ 'dev.standpipe/server': 'legacy' });
  });
});

describe.each(eras)('a subscription to a server of the %s era', (era) => {
  test('is one for all clients, each of which is notified once', async () => {
    const after = host.flow.lastSeq;
    const [one, other, third] = [await connected(`/${era}`), await connected(`/${era}`), await connected('')];
    const uri = 'mem://watched';
    const shared = `standpipe://${era}/${uri}`;
    await Promise.all([one.client.subscribeResource({ uri }), other.client.subscribeResource({ uri })]);
    await third.client.subscribeResource({ uri: shared });
    if (era === 'legacy') expect(sent(era, after, 'resources/subscribe')).toEqual([{ uri }]);
    await call(one, 'touch', { uri: 'mem://other' });
    await call(one, 'touch', { uri });
    await until('all are notified', () => [one, other, third].every(({ updates }) => updates.length > 0));
    await one.client.unsubscribeResource({ uri });
    await call(one, 'touch', { uri });
    await until('the others are notified', () => other.updates.length > 1 && third.updates.length > 1);
    expect([one.updates, other.updates, third.updates]).toEqual([[uri], [uri, uri], [shared, shared]]);
    expect(sent(era, after, 'resources/unsubscribe')).toEqual([]);
    await other.leave();
    await third.leave();
    if (era === 'legacy') await until('it ends', () => sent(era, after, 'resources/unsubscribe').length === 1);
  });

  test('subscriptions to a resource and to a part of it give one notification of the part', async () => {
    const [whole, part] = ['mem://watched', 'mem://watched/part'];
    const one = await connected(`/${era}`);
    for (const uri of [whole, part]) await one.client.subscribeResource({ uri });
    for (const uri of [part, whole]) await call(one, 'touch', { uri });
    await until('the last is heard', () => one.updates.includes(whole));
    expect(one.updates).toEqual([part, whole]);
  });

  test('continues after a restart, in the same session and on the same streams', async () => {
    const uri = 'mem://watched';
    const one = await connected(`/${era}`);
    await one.client.subscribeResource({ uri });
    const remote = (await RemoteHost.connect(control.path))!;
    closing.push(() => remote.close());
    const watcher = new TestWatcher({ resourceSubscriptions: [uri] });
    await remote.service(era).watch(watcher);
    const modern = await connected(`/${era}`, 'modern');
    const listening = await modern.client.listen({ resourceSubscriptions: [uri] });
    const heard = (times: number) =>
      [one.updates, watcher.heard, modern.updates].every(({ length }) => length === times);
    const { sessionId } = one.transport;
    await host.restartServer(era);
    await until('all are notified', () => heard(1));
    await call(one, 'touch', { uri });
    await until('all are notified again', () => heard(2));
    expect([one.transport.sessionId, watcher.isEnded]).toEqual([sessionId, false]);
    await listening.close();
  });
});

describe.each(['legacy', 'modern'] as const)('a client of the %s era', (era) => {
  const processOf = (server: string) => {
    const { pid, generation } = host.status().find(({ name }) => name === server)!.processes[0]!;
    return { server, pid, generation };
  };

  test('gets the process that ran a call on request', async () => {
    const { client } = await connected('', era);
    const _meta = { 'dev.standpipe/ran': true };
    for (const server of ['legacy', 'modern']) {
      const result = await client.callTool({ name: `${server}__echo`, arguments: { text: 'x' }, _meta });
      expect(result._meta).toMatchObject({ 'dev.standpipe/ran': processOf(server) });
    }
    const other = await client.callTool({ name: 'legacy__echo', arguments: { text: 'x' } });
    expect(Object.keys(other._meta ?? {})).not.toContain('dev.standpipe/ran');
  });

  test.each(eras)(
    'learns which process of a server of the %s era may have run a call that was lost',
    async (server) => {
      const { client } = await connected(`/${server}`, era);
      await client.callTool({ name: 'echo', arguments: { text: 'it runs' } });
      const ran = processOf(server);
      const lost = new Promise<unknown>((resolve, reject) => {
        const kill = () => process.kill(ran.pid!, 'SIGKILL');
        client.callTool({ name: 'wait', arguments: {} }, { onprogress: kill }).then(reject, resolve);
      });
      expect(await lost).toMatchObject({
        code: -32603,
        message: expect.stringContaining('may have run'),
        data: { 'dev.standpipe/error': { kind: 'PeerError', code: 'OUTCOME_UNKNOWN', ran } },
      });
      expect(JSON.stringify(((await lost) as { data: unknown }).data)).not.toContain('evidence');
      const again = await client.callTool({
        name: 'echo',
        arguments: { text: 'again' },
        _meta: { 'dev.standpipe/ran': true },
      });
      expect(again._meta).toMatchObject({ 'dev.standpipe/ran': { generation: ran.generation + 1 } });
    },
  );
});
