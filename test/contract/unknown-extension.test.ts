// An extension that only a client and a server know passes unchanged through a host, a gateway and a fleet, in both eras. Tests in this
// file must not register the extension of the server, because a registration affects the whole process.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import { methodsOfMcp } from '../../src/mcp/methods.ts';
import { type ClientFacts, newClient, type Params } from '../../src/mcp/service.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { farHost } from '../fixtures/fleet/far-host.ts';
import { PARCELS } from '../fixtures/parcels/parcels.mjs';
import { contractServer } from './service.contract.ts';

const file = fileURLToPath(new URL('../fixtures/parcels/server.mjs', import.meta.url));
const post = { command: process.execPath, args: [file] };
const plain = { command: process.execPath, args: [contractServer] };
const eras = ['modern', 'legacy'] as const;
const capabilities = {
  extensions: { [PARCELS]: { opens: ['string'] }, 'com.example/other': {} },
  experimental: { 'com.example/mine': { deep: [1] } },
};
const declaredByServer = {
  extensions: { [PARCELS]: { wraps: ['paper'] } },
  experimental: { 'com.example/trial': { level: 3 } },
};
const content = [{ type: 'text', text: 'tea' }];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  expect([...methodsOfMcp.values()].filter(({ extension }) => extension === PARCELS)).toEqual([]);
  for (const close of closing.splice(0).reverse()) await close();
});

type Entry = typeof post & { era?: 'modern' | 'legacy'; share?: 'client' };

async function gateway(servers: Record<string, Entry>) {
  const host = new Host({ mcpServers: servers });
  closing.push(() => host.stop());
  const serving = await serveHttp((name) =>
    name === undefined || host.names.includes(name) ? host.service(name) : undefined,
  );
  closing.push(() => serving.close());
  const open = async (path: string, options: Parameters<typeof connect>[1] = {}) => {
    const headers = { authorization: `Bearer ${serving.token}` };
    const client = await connect({ url: serving.url + path, headers }, options);
    closing.push(() => client.close());
    return client as unknown as Client;
  };
  return { host, open };
}

const wrap = (client: Client, name = 'wrap', text = 'tea') =>
  client.request('tools/call', { name, arguments: { text } }, { unfinished: true });

describe.each(eras)('a client of the %s era', (era) => {
  test.each(eras)('and a server of the %s era exchange their declarations', async (serverEra) => {
    const { open } = await gateway({ post: { ...post, era: serverEra } });
    const client = await open('/post', { era, capabilities });
    expect(client.server.capabilities).toMatchObject(declaredByServer);
    if (era === 'legacy' && serverEra === 'modern') {
      // A client of an older revision cannot receive a parcel.
      return expect(wrap(client)).rejects.toThrow('The server answered tools/call with the resultType "parcel"');
    }
    const answer = await wrap(client);
    if (serverEra === 'legacy') return expect(answer).toMatchObject({ content, _meta: { declared: capabilities } });
    expect(answer).toMatchObject({ resultType: 'parcel', parcelId: 'parcel 1' });
    const { structuredContent } = await client.request('parcels/open', { parcelId: answer.parcelId });
    expect(structuredContent).toMatchObject(capabilities);
  });

  test('sends its notifications to the server', async () => {
    const { open } = await gateway({ post: { ...post, era } });
    await sendsLabels(await open('/post', { era, capabilities }));
  });

  test.each(['HTTP', 'a stream'])('that floods over %s is slowed down, and loses no notifications', async (way) => {
    const { open, host } = await gateway({ post: { ...post, era } });
    const overStream = async () => {
      const [here, there] = memoryPair();
      await serve(host.service('post'), there);
      const client = await connect(here, { era, capabilities });
      closing.push(() => client.close());
      return client as unknown as Client;
    };
    const client = way === 'HTTP' ? await open('/post', { era, capabilities }) : await overStream();
    await wrap(client); // waits until the process is ready
    const labels = Array.from({ length: 40 }, (_, at) => `${at + 10} ${'x'.repeat(64 * 1024)}`);
    const facts = factsOf(client);
    for (const label of labels) client.service.notify('notifications/parcels/label', { label }, facts);
    const arrived = async () => ((await labelsAt(client)) as string[]).map((label) => label.slice(0, 2)).sort();
    await expect.poll(arrived, { timeout: 60_000, interval: 250 }).toEqual(labels.map((label) => label.slice(0, 2)));
  });

  test('at /mcp reaches the only server with unknown extensions', async () => {
    const { open, host } = await gateway({ post: { ...post, era }, plain: { ...plain, era } });
    await host.start();
    const client = await open('', { era, capabilities });
    expect(client.server.capabilities).toMatchObject(declaredByServer);
    expect(await labelsAt(client)).toEqual([]);
    await expect(client.request('tools/unknown')).rejects.toMatchObject({ rpcCode: -32601 });
  });

  test('at /mcp is refused a method that several servers may have', async () => {
    const { open, host } = await gateway({ one: { ...post, era }, two: { ...post, era } });
    await host.start();
    const client = await open('', { era, capabilities });
    await expect(client.request('parcels/labels')).rejects.toMatchObject({ rpcCode: -32601 });
  });
});

describe('a server before 2026-07-28', () => {
  test('with a process per client gets exactly the declarations of its client', async () => {
    const { open } = await gateway({ post: { ...post, era: 'legacy', share: 'client' } });
    const [one, other] = [
      await open('/post', { era: 'legacy', capabilities }),
      await open('/post', { era: 'legacy', capabilities: { extensions: { 'com.example/third': { a: 1 } } } }),
    ];
    expect((await wrap(one))._meta).toMatchObject({ declared: capabilities });
    const { declared } = (await wrap(other))._meta as { declared: Params };
    expect(declared).toEqual({ extensions: { 'com.example/third': { a: 1 } } });
  });

  test('with a shared process gets the combined declarations of its clients, until it is used', async () => {
    const { open, host } = await gateway({ post: { ...post, era: 'legacy' } });
    await host.start();
    const one = await open('/post', { era: 'legacy', capabilities });
    const other = await open('/post', {
      era: 'legacy',
      capabilities: { extensions: { [PARCELS]: { opens: ['glue'], folds: true } } },
    });
    const { extensions, experimental } = capabilities;
    const together = { extensions: { ...extensions, [PARCELS]: { opens: ['string'], folds: true } }, experimental };
    for (const client of [one, other]) {
      expect((await wrap(client))._meta).toMatchObject({ declared: together });
    }
  });

  test('gets at most 32 extensions, and none that are too long', async () => {
    const { open } = await gateway({ post: { ...post, era: 'legacy', share: 'client' } });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`com.example/x${at}`, {}]));
    const long = { 'com.example/long': { text: 'x'.repeat(10_000) } };
    const client = await open('/post', { era: 'legacy', capabilities: { extensions: { ...long, ...many } } });
    const { declared } = (await wrap(client))._meta as { declared: { extensions: object } };
    expect(Object.keys(declared.extensions)).toHaveLength(32);
    expect(declared.extensions).not.toHaveProperty(['com.example/long']);
  });
});

describe('a subscription with unknown members of its filter', () => {
  test.each(['/post', ''])('passes a gateway at "%s"', async (path) => {
    const { open, host } = await gateway({ post, plain });
    await host.start();
    await hearsOfParcels(await open(path, { capabilities }), path === '' ? 'post__wrap' : 'wrap');
  });

  test('does not get the notifications of another client', async () => {
    const { open } = await gateway({ post });
    const [one, other] = [await open('/post', { capabilities }), await open('/post', { capabilities })];
    const [first, second] = [await wrap(one), await wrap(other)];
    const heard: unknown[] = [];
    const listen = (client: Client, parcelId: unknown, by: string) =>
      client.service.watch({
        filter: { further: { parcelIds: [parcelId] } },
        notified: (_method, params) => heard.push([by, params?.parcelId]),
      });
    const stops = [await listen(one, first.parcelId, 'one'), await listen(other, second.parcelId, 'other')];
    await one.request('parcels/open', { parcelId: first.parcelId });
    await other.request('parcels/open', { parcelId: second.parcelId });
    await expect.poll(() => heard.length).toBe(2);
    expect(new Map(heard as [string, unknown][])).toEqual(
      new Map([
        ['one', first.parcelId],
        ['other', second.parcelId],
      ]),
    );
    for (const stop of stops) stop();
  });

  test('is acknowledged without these members by a server that does not know them', async () => {
    const { open } = await gateway({ plain });
    const client = await open('/plain', { capabilities });
    const accepted: unknown[] = [];
    const watcher = { filter: { further: { parcelIds: ['1'] } }, notified: () => undefined };
    const stop = await client.service.watch({ ...watcher, accepted: (members) => accepted.push(members) });
    expect(accepted).toEqual([{}]);
    stop();
  });
});

test('a fleet of two nodes passes an unknown extension', async () => {
  const { host, close } = await farHost('post', post);
  closing.push(close);
  const serving = await serveHttp((name) => host.service(name));
  closing.push(() => serving.close());
  const headers = { authorization: `Bearer ${serving.token}` };
  const client = (await connect({ url: `${serving.url}/post`, headers }, { capabilities })) as unknown as Client;
  closing.push(() => client.close());
  expect(client.server.capabilities).toMatchObject(declaredByServer);
  await hearsOfParcels(client, 'wrap');
  await sendsLabels(client);
});

async function hearsOfParcels(client: Client, tool: string): Promise<void> {
  const { parcelId, resultType } = await wrap(client, tool);
  expect({ parcelId, resultType }).toEqual({ parcelId: 'parcel 1', resultType: 'parcel' });
  const heard: unknown[] = [];
  const accepted: unknown[] = [];
  const stop = await client.service.watch({
    filter: { further: { parcelIds: [parcelId, 'unknown'] } },
    accepted: (members) => accepted.push(members),
    notified: (method, params) => heard.push([method, params?.parcelId]),
  });
  expect(accepted).toEqual([{ parcelIds: [parcelId] }]);
  expect(await client.request('parcels/open', { parcelId })).toMatchObject({
    content,
    structuredContent: capabilities,
  });
  await expect.poll(() => heard).toEqual([['notifications/parcels/opened', parcelId]]);
  stop();
}

async function sendsLabels(client: Client): Promise<void> {
  await wrap(client);
  client.service.notify('notifications/parcels/label', { label: 'fragile' }, factsOf(client));
  await expect.poll(() => labelsAt(client)).toEqual(['fragile']);
}

function factsOf({ server: { revision } }: Client): ClientFacts {
  return { identity: newClient(), revision, capabilities, info: undefined, logLevel: undefined };
}

async function labelsAt(client: Client): Promise<unknown> {
  return (await client.request('parcels/labels')).labels;
}
