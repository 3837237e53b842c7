// A client can use a server on another node like a server on its own machine: questions, progress, cancellation, subscriptions, log
// messages, long messages. The server runs on one node, and the clients connect to the gateway of another. Secrets of the server stay on
// its node.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connect as connectNats } from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import { contractServer, serviceContract } from '../contract/service.contract.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const eras = ['modern', 'legacy'] as const;
const KEY = 'k3y-0f-0ne-n0de';
const elicit = () => ({ action: 'decline' as const });
let fleet: TestFleet;
/** Tokens of the gateway, by the names of the servers that they permit. */
const tokens: Record<string, string> = {};

/** URL and headers of the gateway, for a principal with this token. */
function gateway(token = 'all') {
  const { http } = fleet.nodes.get('gateway')!.events.find(({ http }) => http !== undefined)!;
  return { url: http!, headers: { authorization: `Bearer ${tokens[token]}` } };
}

/** Connects once the gateway knows the server, because its copy of the directory may be older than that of the test. */
async function whenServed(name: string): Promise<Awaited<ReturnType<typeof connect>>> {
  const { url, headers } = gateway();
  let client: Awaited<ReturnType<typeof connect>> | undefined;
  await until(`the gateway knows ${name}`, async () => {
    client = await connect({ url: `${url}/${name}`, headers }).catch(() => undefined);
    return client !== undefined;
  });
  return client!;
}

beforeAll(async () => {
  fleet = await TestFleet.open(20_000);
  const file = join(temporaryFolder('tokens'), 'tokens.json');
  tokens.all = await addToken(file, { name: 'all' });
  for (const name of ['legacy', 'contract']) tokens[name] = await addToken(file, { name, servers: [name] });
  const entry = { command: process.execPath, args: [contractServer] };
  await Promise.all([
    fleet.start('gateway', { args: ['--tokens', file, '--record', 'gateway.jsonl'] }),
    fleet.start('worker', {
      args: ['--labels', 'work', '--record', 'worker.jsonl'],
      servers: { own: entry },
      env: { WORKER_KEY: KEY },
      inspector: true,
    }),
  ]);
  await fleet.addEntry('contract', entry, { labels: ['work'] });
  await fleet.addEntry('legacy', { ...entry, era: 'legacy' }, { labels: ['work'] });
  expect(await fleet.whenHeld('contract')).toMatchObject({ node: 'worker', generation: 1 });
  expect(await fleet.whenHeld('legacy')).toMatchObject({ node: 'worker' });
  for (const name of ['contract', 'legacy']) await (await whenServed(name)).close();
});

for (const era of eras) {
  serviceContract(
    `a server on another node, for a client of the ${era} era,`,
    async () => {
      const { url, headers } = gateway();
      const client = await connect({ url: `${url}/contract`, headers }, { era, elicit });
      return { service: client.service, close: () => client.close() };
    },
    {
      skip: {
        'a subscriber gets log messages that are unrelated to a request': '2026-07-28 has no such messages',
        ...(era === 'legacy' && {
          'each of several callers gets only its own question':
            'a question of a legacy server does not name its request',
          'a log message goes to the caller of its request':
            'a log message of a legacy server does not name its request',
        }),
      },
    },
  );
}

describe.each(eras)('an official client of the %s era', (era) => {
  // `contract` is a server of the fleet, `own@worker` a server of the config of the other node.
  test.each(['contract', 'own@worker'])('uses every feature of calls to %s', async (server) => {
    const client = new Client(
      { name: 'official', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        ...(era === 'modern'
          ? { versionNegotiation: { mode: 'auto' } }
          : { supportedProtocolVersions: ['2025-11-25'] }),
      },
    );
    const updates: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
    client.setRequestHandler(
      'elicitation/create',
      ({ params }) => ({ action: 'accept', content: { name: params.message } }) as never,
    );
    const { url, headers } = gateway();
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/${encodeURIComponent(server)}`), { requestInit: { headers } }),
    );
    const call = (name: string, args: object, options = {}) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, options);

    const asked = await call('ask', { message: 'Ada' });
    expect(asked.structuredContent).toEqual({ answer: { action: 'accept', content: { name: 'Ada' } } });

    const steps: number[] = [];
    await call(
      'slow-echo',
      { text: 'x' },
      { onprogress: ({ progress }: { progress: number }) => steps.push(progress) },
    );
    expect(steps).toEqual([1, 2]);

    const cancelledSoFar = async (atLeast: number) => {
      const { content } = await call('cancelled', { atLeast });
      return Number((content as { text: string }[])[0]!.text);
    };
    const before = await cancelledSoFar(0);
    const giveUp = new AbortController();
    const waiting = call('wait', {}, { signal: giveUp.signal, onprogress: () => giveUp.abort() });
    await expect(waiting).rejects.toThrow();
    expect(await cancelledSoFar(before + 1)).toBe(before + 1);

    const uri = 'mem://watched';
    const listening = era === 'modern' ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
    if (!listening) await client.subscribeResource({ uri });
    await call('touch', { uri });
    await until('the client is notified', () => updates.length > 0);
    expect(updates).toEqual([uri]);
    await listening?.close();

    const long = 'ä'.repeat(2_600_000);
    const { content } = await call('echo', { text: long });
    expect((content as { text: string }[])[0]!.text === long).toBe(true);
    await client.close();
  });
});

test('log messages of a legacy server that are unrelated to a request reach each legacy client at its level, once', async () => {
  const open = async (path: string, supportedProtocolVersions?: string[], token?: string) => {
    const { url, headers } = gateway(token);
    const heard: unknown[] = [];
    const client = new Client(
      { name: 'official', version: '1' },
      supportedProtocolVersions ? { supportedProtocolVersions } : { versionNegotiation: { mode: 'auto' } },
    );
    client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data));
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit: { headers } }));
    const say = (level: string, data: string) => client.callTool({ name: 'say', arguments: { level, data } });
    return { client, heard, say };
  };
  const legacy = ['2025-11-25'];
  const loud = await open('/legacy', legacy);
  const quiet = await open('/legacy', legacy);
  const all = await open('', legacy);
  const permitted = await open('', legacy, 'legacy');
  const restricted = await open('', legacy, 'contract');
  await expect(open('/legacy', legacy, 'contract')).rejects.toThrow();
  const other = await open('/contract', legacy);
  const modern = await open('/legacy');
  // The gateway sends notifications to a client from its first call on.
  await Promise.all([loud, quiet, modern].map(({ say }) => say('debug', 'first')));
  await loud.client.setLoggingLevel('notice');
  await quiet.client.setLoggingLevel('error');
  await until('the level has arrived', async () => {
    await modern.say('notice', 'ready');
    return loud.heard.includes('ready');
  });
  await modern.say('info', 'too little');
  await modern.say('warning', 'a warning');
  await loud.say('error', 'an error');
  await until('it is heard', () => [loud, quiet, all, permitted].every(({ heard }) => heard.includes('an error')));
  expect(loud.heard.filter((data) => data !== 'ready')).toEqual(['a warning', 'an error']);
  expect(quiet.heard).toEqual(['an error']);
  expect(all.heard.filter((data) => data === 'an error')).toHaveLength(1);
  expect([...other.heard, ...modern.heard, ...restricted.heard]).toEqual([]);
  await Promise.all([loud, quiet, all, permitted, restricted, other, modern].map(({ client }) => client.close()));
});

test('the value of a secret in the environment of a node is never sent, stored, recorded or shown', async () => {
  const told: Record<string, string> = { nats: '' };
  const nats = await connectNats({ servers: fleet.nats.url });
  nats.subscribe('>', {
    callback: (_, message) => {
      told.nats += `${message.string()}\n`;
    },
  });
  await nats.flush();
  const entry = (name: string, restart: object) => ({
    command: process.execPath,
    args: [fileURLToPath(new URL(`../fixtures/servers/${name}.mjs`, import.meta.url)), '--token', '${WORKER_KEY}'],
    env: { API_KEY: '${WORKER_KEY}' },
    restart,
  });
  const place = { labels: ['work'] };
  await fleet.addEntry('keyed', entry('complains-of-its-key', { backoffMs: 10 }), place);
  await fleet.addEntry('broken', entry('complains-and-exits', { maxRestarts: 0 }), place);
  const [node, worker] = ['gateway', 'worker'].map((name) => fleet.nodes.get(name)!);
  await fleet.whenHeld('keyed');
  const client = await whenServed('keyed');
  const failure = async (tool: string) => inspect(await client.callTool(tool).catch((error) => error), { depth: 9 });
  told.refused = await failure('refuse');
  told.lost = await failure('exit');
  await client.close();
  await worker!.untilEvent('it has failed', ({ server, to }) => server === 'broken#1' && to === 'failed');

  told.called = await node!.run('call', 'broken', 'x', '--json');
  told.fleet = await node!.run('ls', '--fleet', '--json');
  told.logs = await node!.run('logs', 'keyed', '--json');
  told.status = await worker!.run('ls', '--json');
  const page = new URL(worker!.events.find(({ inspector }) => inspector !== undefined)!.inspector!);
  const token = page.searchParams.get('token')!;
  const api = async (path: string, body?: object) => {
    const json = body && { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'x-standpipe-token': token, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(new URL(`/api/${path}`, page), { headers, ...json });
    expect(response.status).toBe(200);
    return response.text();
  };
  told.overview = await api('overview');
  told.stderr = await api('stderr');
  told.events = await api('events');
  told.export = await api('export', { ranges: [[1, JSON.parse(told.events).newest]] });
  await nats.close();
  await Promise.all([node!.end(), worker!.end()]);
  for (const { name, output, files } of [node!, worker!])
    Object.assign(told, { [name]: output, [`files of ${name}`]: files });

  const have = (text: RegExp) => Object.keys(told).filter((where) => text.test(told[where]!));
  expect(have(new RegExp(KEY))).toEqual([]);
  // The masked form shows that the secret was part of these texts.
  const hidden = ['nats', 'refused', 'lost', 'called', 'fleet', 'logs', 'stderr', 'worker', 'files of worker'];
  expect(have(/key \[env (API|WORKER)_KEY\]/)).toEqual(expect.arrayContaining(hidden));
  expect(told.worker).toContain('Change the config of the fleet, or fix the server');
});
