// What a client can do with a server of its own machine, it can do with one on another node: questions, progress, cancellation,
// subscriptions, log messages, long messages. The server runs on one node, the clients are at the gateway of another.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { contractServer, serviceContract } from '../contract/service.contract.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { until } from '../fixtures/server.ts';

const eras = ['modern', 'legacy'] as const;
const elicit = () => ({ action: 'decline' as const });
let fleet: TestFleet;

beforeAll(async () => {
  fleet = await TestFleet.open(20_000);
  const entry = { command: process.execPath, args: [contractServer] };
  await Promise.all([
    fleet.start('gateway'),
    fleet.start('worker', { args: ['--labels', 'work'], servers: { own: entry } }),
  ]);
  await fleet.addEntry('contract', entry, { labels: ['work'] });
  await fleet.addEntry('legacy', { ...entry, era: 'legacy' }, { labels: ['work'] });
  expect(await fleet.whenHeld('contract')).toMatchObject({ node: 'worker', generation: 1 });
  expect(await fleet.whenHeld('legacy')).toMatchObject({ node: 'worker' });
});

for (const era of eras) {
  serviceContract(
    `a server on another node, for a client of the ${era} era,`,
    async () => {
      const { url, headers } = fleet.nodes.get('gateway')!.gateway;
      const client = await connect({ url: `${url}/contract`, headers }, { era, elicit });
      return { service: client.service, close: () => client.close() };
    },
    {
      skip: {
        'a watcher hears of log messages that belong to no request': 'the server speaks 2026-07-28, which has none',
        ...(era === 'legacy' && {
          'questions of several callers go to each its own':
            'a legacy server does not say which request a question is about',
          'a log message goes to the caller of its request':
            'a legacy server does not say which request a message is about',
        }),
      },
    },
  );
}

describe.each(eras)('an official client of the %s era', (era) => {
  // A server of the fleet, and one of the other node's own.
  test.each(['contract', 'own@worker'])('asks %s for all that a call can do', async (server) => {
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
    const { url, headers } = fleet.nodes.get('gateway')!.gateway;
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

test('log messages of a legacy server that belong to no request reach the legacy clients that want them, once', async () => {
  const { url, headers } = fleet.nodes.get('gateway')!.gateway;
  const open = async (path: string, supportedProtocolVersions?: string[]) => {
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
  const other = await open('/contract', legacy);
  const modern = await open('/legacy');
  // Notifications begin with the first call.
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
  await until('it is heard', () => [loud, quiet, all].every(({ heard }) => heard.includes('an error')));
  expect(loud.heard.filter((data) => data !== 'ready')).toEqual(['a warning', 'an error']);
  expect(quiet.heard).toEqual(['an error']);
  expect(all.heard.filter((data) => data === 'an error')).toHaveLength(1);
  expect([...other.heard, ...modern.heard]).toEqual([]);
  await Promise.all([loud, quiet, all, other, modern].map(({ client }) => client.close()));
});
