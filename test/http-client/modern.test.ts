// Our client over HTTP in 2026-07-28, against our server: the requests that are sent, and outcomes of requests whose
// stream is cut.

import { Client as OfficialClient, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { Server } from '../../src/mcp/server/server.ts';
import type { Channel } from '../../src/wire/jsonrpc/channel.ts';
import { HttpClientTransport } from '../../src/wire/transport/http/http-client.ts';
import { adapterOf } from '../fixtures/http-client/adapter.ts';
import { later } from '../fixtures/later.ts';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const withRegion = { type: 'object', properties: { region } } as const;

async function start(declare: (server: Server) => void, options?: ClientOptions) {
  const server = new Server({ name: 'modern', version: '1.0.0' });
  declare(server);
  const serving = await serveHttp(server, { token: false });
  later(() => serving.close());
  const adapter = await adapterOf(String(serving.url));
  // On a busy machine, a slow answer to the probe must not count as a server of an earlier revision.
  const patient = { probeTimeoutMs: 1_000_000, startupTimeoutMs: 2_000_000 };
  const client = await connect({ url: adapter.url }, { ...patient, ...options });
  later(() => client.close());
  expect(client.server.revision).toBe('2026-07-28');
  return { server, adapter, client };
}

test('headers repeat the body, there is no session, and only requests have streams', async () => {
  const { adapter, client } = await start((server) => {
    server.tool('place', { input: withRegion }, ({ region }) => String(region));
    server.tool('größe', {}, () => 'XL');
    server.resource('memo://ä b', { name: 'memo' }, () => 'noted');
  });
  await client.listTools();
  expect((await client.callTool('place', { region: ' süd ' })).content).toEqual([{ type: 'text', text: ' süd ' }]);
  await client.callTool('place', { region: 'north' }, { meta: { trace: '1' } });
  await client.callTool('größe');
  const { seen } = adapter;
  expect(seen.map(({ verb, headers }) => [verb, headers['mcp-protocol-version'], headers['mcp-session-id']])).toEqual(
    seen.map(() => ['POST', '2026-07-28', undefined]),
  );
  expect(seen.map(({ headers }) => headers['mcp-method'])).toEqual(adapter.steps);
  const header = (name: string) => seen.slice(-3).map(({ headers }) => headers[name]);
  expect(header('mcp-name')).toEqual(['place', 'place', '=?base64?Z3LDtsOfZQ==?=']);
  expect(header('mcp-param-region')).toEqual(['=?base64?IHPDvGQg?=', 'north', undefined]);
});

test('lists the tools if a call is refused because of its headers, and repeats the call once', async () => {
  let runs = 0;
  const { adapter, client } = await start((server) => {
    server.tool('place', { input: withRegion }, ({ region }) => {
      runs++;
      return String(region);
    });
  });
  const calls = await Promise.all(['north', 'south'].map((region) => client.callTool('place', { region })));
  expect(calls.map(({ content }) => content)).toEqual(['north', 'south'].map((text) => [{ type: 'text', text }]));
  expect(runs).toBe(2);
  const rest = adapter.steps.slice(1).sort();
  expect(rest).toEqual(['tools/call', 'tools/call', 'tools/call', 'tools/call', 'tools/list']);
  await client.callTool('place', { region: 'west' });
  expect(adapter.steps).toHaveLength(7);
});

test('omits a tool with invalid headers, with a warning', async () => {
  const { client } = await start((server) => {
    const properties = { region: { ...region, type: 'number' } };
    server.tool('wrong', { input: { type: 'object', properties } }, () => 'called');
    server.tool('right', {}, () => 'called');
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['right']);
  expect(client.warnings).toMatchObject([{ topic: 'tool-left-out', message: expect.stringContaining('wrong') }]);
});

test('progress, log messages and questions belong to their calls', async () => {
  const { client } = await start(
    (server) => {
      server.tool('asks', {}, async (_, call) => {
        call.progress(1, 2);
        call.log('info', 'asks now');
        return JSON.stringify(
          await call.elicit({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } }),
        );
      });
    },
    { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) },
  );
  const logged: unknown[] = [];
  client.onLog(({ data }) => logged.push(data));
  const progress: number[] = [];
  const options = {
    onProgress: (step: { progress: number }) => progress.push(step.progress),
    logLevel: 'info',
  } as const;
  const { content } = await client.callTool('asks', {}, options);
  expect(JSON.stringify(content)).toContain('Ada');
  expect(logged).toContain('asks now');
  expect(progress).toContain(1);
});

test('log messages of several clients of one connection reach the caller on whose stream they arrive', async () => {
  const { client } = await start((server) => {
    const waiting: (() => void)[] = [];
    server.tool('logs', {}, async ({ name }, call) => {
      // Both calls are pending when the first message is sent.
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 2) for (const go of waiting) go();
      });
      call.log('info', name);
      return 'logged';
    });
  });
  const names = ['ada', 'bob'];
  const logged = await Promise.all(
    names.map(async (name) => {
      const each = await clientOf(client.service);
      const messages: unknown[] = [];
      each.onLog(({ data }) => messages.push(data));
      await each.callTool('logs', { name }, { logLevel: 'info' });
      return messages;
    }),
  );
  expect(logged).toEqual(names.map((name) => [name]));
});

type Waits = (url: string, signal: AbortSignal, onProgress: () => void) => Promise<unknown>;

async function officialWaits(url: string, signal: AbortSignal, onprogress: () => void) {
  const client = new OfficialClient({ name: 'official', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new HttpClientTransport({ url }) as unknown as Transport);
  later(() => client.close());
  return client.callTool({ name: 'waits', arguments: {} }, { signal, onprogress });
}

async function oursWaits(url: string, signal: AbortSignal, onProgress: () => void) {
  const client = await connect({ url });
  later(() => client.close());
  return client.callTool('waits', {}, { signal, onProgress });
}

test.each<[string, Waits]>([
  ['our client', oursWaits],
  ['the official client over our transport', officialWaits],
])('%s cancels a call by closing its stream, without a notification', async (_, wait) => {
  let aborted: (() => void) | undefined;
  const stopped = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  const { adapter } = await start((server) => {
    server.tool('waits', {}, (_args, call) => {
      call.progress(1);
      return new Promise<string>((resolve) => {
        call.signal.addEventListener('abort', () => {
          aborted!();
          resolve('stopped');
        });
      });
    });
  });
  const giveUp = new AbortController();
  const call = wait(adapter.url, giveUp.signal, () => giveUp.abort(new Error('no longer needed')));
  await expect(call).rejects.toThrow('no longer needed');
  await stopped;
  expect(adapter.steps.at(-1)).toBe('tools/call');
  expect(adapter.steps).not.toContain('notifications/cancelled');
});

test('our client mirrors arguments in headers over the official transport too', async () => {
  const { adapter } = await start((server) => {
    server.tool('place', { input: withRegion }, ({ region }) => String(region));
  });
  const client = await connect(new StreamableHTTPClientTransport(new URL(adapter.url)) as unknown as Channel);
  later(() => client.close());
  await client.listTools();
  await client.callTool('place', { region: 'north' });
  expect(adapter.seen.at(-1)?.headers['mcp-param-region']).toBe('north');
});

test('a call whose stream is cut may have run, and is not sent again', async () => {
  let runs = 0;
  const { adapter, client } = await start((server) => {
    server.tool('waits', {}, (_, call) => {
      runs++;
      call.progress(1);
      return new Promise<string>(() => undefined);
    });
  });
  const call = client.callTool('waits', {}, { onProgress: () => adapter.cut() });
  await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(runs).toBe(1);
  await client.ping();
});

test('reopens a subscription that is cut, and reports possible missed changes', async () => {
  const { server, adapter, client } = await start((server) => {
    server.resource('memo://a', { name: 'memo' }, () => 'noted');
  });
  const news: string[] = [];
  let heard: (() => void) | undefined;
  const next = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  const hear = (what: string) => {
    news.push(what);
    heard?.();
  };
  await client.subscribe('memo://a', ({ uri }) => hear(uri));
  const first = next();
  server.resourceUpdated('memo://a');
  await first;
  const afterCut = next();
  adapter.cut();
  await afterCut;
  const third = next();
  server.resourceUpdated('memo://a');
  await third;
  expect(news).toEqual(['memo://a', 'memo://a', 'memo://a']);
  expect(adapter.steps.filter((step) => step === 'subscriptions/listen')).toHaveLength(2);
  await client.close();
  expect(adapter.steps).not.toContain('notifications/cancelled');
});

test('a subscription uses no slot for calls', async () => {
  const { server, adapter } = await start((server) => {
    server.tool('echo', {}, () => 'echoed');
    server.resource('memo://a', { name: 'memo' }, () => 'noted');
  });
  const client = await connect({ url: adapter.url, maxConcurrent: 1, maxQueued: 0 });
  later(() => client.close());
  const updated = new Promise<void>((resolve) => {
    void client.subscribe('memo://a', () => resolve()).then(() => server.resourceUpdated('memo://a'));
  });
  await updated;
  expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'echoed' }]);
  await client.close();
});

test('repeats a request if the server refuses its revision and names another', async () => {
  const { adapter, client } = await start((server) => server.tool('echo', {}, () => 'echoed'));
  let refusals = 0;
  adapter.intercept = ({ params }, response) => {
    if (refusals++ > 0) return false;
    const error = { code: -32022, message: 'not yet', data: { supported: ['2026-07-28'], requested: '' } };
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', error, params }));
    return true;
  };
  expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'echoed' }]);
});
