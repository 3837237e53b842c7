// A protocol adapter over a session is the bridge between eras: a client of any revision uses a server of any other.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClientOptions, connect, type Revision } from '../../src/entry/client.ts';
import { memoryPair } from '../../src/entry/testing.ts';
import { serve } from '../../src/mcp/adapter/client-adapters.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION_KEY, SERVER_INFO } from '../../src/mcp/meta.ts';
import { has, revisionsOfMcp } from '../../src/mcp/revisions.ts';
import type { Caller, Params, Result, Service, Watcher } from '../../src/mcp/service.ts';

/** Answers every request with the function of the test. */
class Answering implements Service {
  readonly watchers = new Set<Watcher>();
  answer: (params: Params, caller: Caller) => Result | Promise<Result> = () => ({});

  describe() {
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
    return { info: { name: 'answering', version: '1.0.0' }, capabilities, instructions: undefined };
  }

  request(_method: string, params: Params, caller: Caller) {
    return this.answer(params, caller);
  }

  notify(): void {
    // notifications of the client are ignored
  }

  async watch(watcher: Watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

async function clientOver(service: Service, options: ClientOptions) {
  const [near, far] = memoryPair();
  await serve(service, far);
  return connect(near, { checkOutput: false, ...options });
}

/** client --revision--> adapter, session --serverRevision--> adapter, service. */
async function bridge(revision: Revision, serverRevision: Revision, options: ClientOptions = {}) {
  const service = new Answering();
  const declared = { elicitation: { form: {} } };
  const relay = await clientOver(service, { revision: serverRevision, capabilities: declared });
  const client = await clientOver(relay.service, { ...options, revision });
  return { service, client, close: () => Promise.all([client.close(), relay.close()]) };
}

const pairs = revisionsOfMcp.flatMap((client) => revisionsOfMcp.map((server) => ({ client, server })));

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
/** Names without a meaning in MCP and JSON-RPC. */
const members = fc
  .dictionary(
    fc.string().map((name) => `x-${name}`),
    fc.jsonValue(),
  )
  .map(plain);

const envelope: readonly string[] = [PROTOCOL_VERSION_KEY, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL];
const dress: readonly string[] = ['resultType', SERVER_INFO, 'ttlMs', 'cacheScope'];

function without(names: readonly string[], value: Params): Params {
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept);
}

function bare(names: readonly string[], { _meta, ...rest }: Params): Params {
  const meta = without(names, (_meta ?? {}) as Params);
  return { ...without(names, rest), ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

test.each(pairs)('a client of $client and a server of $server: passes unknown members unchanged', async (pair) => {
  const { service, client, close } = await bridge(pair.client, pair.server);
  const methods = fc.constantFrom('tools/call', 'resources/read', 'com.example/any');
  const property = fc.asyncProperty(methods, members, members, members, members, async (method, ...parts) => {
    const [more, meta, resultMore, resultMeta] = parts;
    const own = method === 'tools/call' ? { content: [] } : method === 'resources/read' ? { contents: [] } : {};
    const params = bare([], { name: 'any', arguments: more, ...more, _meta: meta });
    const result = bare([], { ...own, ...resultMore, _meta: resultMeta });
    let received: Params | undefined;
    service.answer = (got) => {
      received = got;
      return plain(result);
    };
    const answered = await client.request(method, plain(params));
    expect(bare(envelope, received!)).toEqual(params);
    expect(bare(dress, answered)).toEqual(result);
  });
  await fc.assert(property, { numRuns: 20 });
  await close();
});

test.each(pairs)('a client of $client and a server of $server: passes progress with all its members', async (pair) => {
  const { service, client, close } = await bridge(pair.client, pair.server);
  service.answer = async (_params, caller) => {
    caller.progress({ progress: 1, total: 2, 'x-unknown': { a: [null] } });
    return {};
  };
  const heard: object[] = [];
  await client.request('com.example/any', {}, { onProgress: (progress) => heard.push(progress) });
  expect(heard).toEqual([{ progress: 1, total: 2, 'x-unknown': { a: [null] }, progressToken: expect.anything() }]);
  await close();
});

test.each(revisionsOfMcp)('a client of %s and a modern server: uses the log level of the client', async (revision) => {
  const { service, client, close } = await bridge(revision, '2026-07-28');
  const levels: unknown[] = [];
  service.answer = (_params, caller) => {
    levels.push(caller.client.logLevel);
    return {};
  };
  for (const level of ['error', 'debug'] as const) {
    await client.setLogLevel(level);
    await client.request('com.example/any');
  }
  expect(levels).toEqual(['error', 'debug']);
  await close();
});

const asking = pairs.filter(({ client, server }) => has(client, 'elicitation') && has(server, 'elicitation'));

test.each(asking)('a client of $client and a server of $server: passes a question to the caller', async (pair) => {
  const { service, client, close } = await bridge(pair.client, pair.server, {
    elicit: ({ message }) => ({ action: 'accept', content: { heard: message } }),
  });
  const requestedSchema = { type: 'object' as const, properties: {} };
  service.answer = async (_params, caller) => ({
    content: [],
    structuredContent: {
      answer: await caller.ask({ method: 'elicitation/create', params: { message: 'Who?', requestedSchema } }),
    },
  });
  const { structuredContent } = await client.callTool('any');
  expect(structuredContent).toEqual({ answer: { action: 'accept', content: { heard: 'Who?' } } });
  await close();
});

test.each(pairs)('a client of $client and a server of $server: delivers changes', async (pair) => {
  const { service, client, close } = await bridge(pair.client, pair.server);
  const updated = new Promise<unknown>((resolve) => {
    void client.subscribe('mem://a', resolve).then(() => {
      for (const { filter, notified } of service.watchers) {
        const isSubscribed = filter.resourceSubscriptions?.includes('mem://a');
        if (isSubscribed) notified('notifications/resources/updated', { uri: 'mem://a' });
      }
    });
  });
  expect(await updated).toMatchObject({ uri: 'mem://a' });
  await close();
});
