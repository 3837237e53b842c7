import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../../src/base/clock.ts';
import { legacyRevisions } from '../../src/mcp/revisions.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { META, RawClient, resultOf } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0', title: 'Test', icons: [{ src: 'data:,' }] };

function weather(): Server {
  const server = new Server(info, { instructions: 'Ask for a city.' });
  server.tool(
    'forecast',
    {
      description: 'Weather for a city',
      title: 'Forecast',
      input: z.object({ city: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ city }) => `Sunny in ${city}`,
  );
  return server;
}

describe('initialize', () => {
  test.each(legacyRevisions)('is answered with the same revision: %s', async (revision) => {
    const client = await RawClient.connect(weather());
    expect(resultOf(await client.initialize(revision))).toMatchObject({
      protocolVersion: revision,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'test', version: '1.0.0' },
      instructions: 'Ask for a city.',
    });
  });

  test.each(['1.0.0', '2099-01-01', '2026-07-28'])(
    'is answered with the newest legacy revision: %s',
    async (revision) => {
      const client = await RawClient.connect(weather());
      expect(resultOf(await client.initialize(revision))).toMatchObject({ protocolVersion: '2025-11-25' });
    },
  );

  test('hides members from an old client that its revision does not define', async () => {
    const client = await RawClient.connect(weather());
    const { serverInfo } = resultOf<{ serverInfo: object }>(await client.initialize('2024-11-05'));
    expect(serverInfo).toEqual({ name: 'test', version: '1.0.0' });
    const { tools } = resultOf<{ tools: object[] }>(await client.request('tools/list'));
    expect(Object.keys(tools[0]!).sort()).toEqual(['description', 'inputSchema', 'name']);
  });

  test('may be skipped, for manual tests of a server', async () => {
    const client = await RawClient.connect(weather());
    expect(resultOf(await client.request('tools/list'))).toMatchObject({ tools: [{ name: 'forecast' }] });
  });
});

describe('2026-07-28', () => {
  test('answers server/discover before any other request, and initialize afterwards', async () => {
    const client = await RawClient.connect(weather());
    expect(resultOf(await client.modern('server/discover'))).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { logging: {}, tools: { listChanged: true } },
      instructions: 'Ask for a city.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    });
    expect(resultOf(await client.initialize('2025-06-18'))).toMatchObject({ protocolVersion: '2025-06-18' });
    expect(resultOf(await client.request('tools/call', { name: 'forecast', arguments: { city: 'Oslo' } }))).toEqual({
      content: [{ type: 'text', text: 'Sunny in Oslo' }],
    });
  });

  test('serves any request without a handshake, with the result members of the revision', async () => {
    const client = await RawClient.connect(weather());
    expect(resultOf(await client.modern('tools/call', { name: 'forecast', arguments: { city: 'Oslo' } }))).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: 'Sunny in Oslo' }],
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    });
    expect(resultOf(await client.modern('tools/list'))).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  test.each([
    ['1900-01-01', -32022],
    ['2025-11-25', -32022],
  ])('refuses the version %s and names the supported ones', async (version, code) => {
    const client = await RawClient.connect(weather());
    const meta = { 'io.modelcontextprotocol/protocolVersion': version };
    expect(await client.modern('tools/list', {}, {}, meta)).toMatchObject({
      error: { code, data: { supported: ['2026-07-28'], requested: version } },
    });
    expect(resultOf(await client.modern('tools/list'))).toBeDefined();
  });

  test('refuses requests without the envelope after the first one with it', async () => {
    const client = await RawClient.connect(weather());
    await client.modern('tools/list');
    expect(await client.request('tools/list')).toMatchObject({ error: { code: -32602 } });
    expect(await client.request('server/discover')).toMatchObject({ error: { code: -32602 } });
    const { 'io.modelcontextprotocol/clientCapabilities': _left, ..._meta } = META;
    expect(await client.request('tools/list', { _meta })).toMatchObject({ error: { code: -32602 } });
    expect(await client.modern('tools/list', {}, {}, { 'io.modelcontextprotocol/logLevel': 'loud' })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test.each(['ping', 'logging/setLevel', 'resources/subscribe', 'roots/list', 'initialize', 'nope'])(
    'has no %s',
    async (method) => {
      const client = await RawClient.connect(weather());
      expect(await client.modern(method)).toMatchObject({ error: { code: -32601 } });
    },
  );
});

describe('a tool', () => {
  const schemas = {
    zod: z.object({ city: z.string(), days: z.number().optional() }),
    valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
    arktype: type({ city: 'string', 'days?': 'number' }),
    'JSON Schema': {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' } },
      required: ['city'],
    },
  };

  test.each(Object.entries(schemas))('takes its input schema from %s', async (_name, input) => {
    const server = new Server(info);
    server.tool('t', { input: input as typeof schemas.zod }, ({ city, days }) => `${city} ${days ?? 1}`);
    const client = await RawClient.connect(server);
    await client.initialize();
    const { tools } = resultOf<{ tools: { inputSchema: object }[] }>(await client.request('tools/list'));
    expect(tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
    expect(resultOf(await client.request('tools/call', { name: 't', arguments: { city: 'Oslo', days: 3 } }))).toEqual({
      content: [{ type: 'text', text: 'Oslo 3' }],
    });
    const wrong = resultOf<{ isError: boolean; content: { text: string }[] }>(
      await client.request('tools/call', { name: 't', arguments: { city: 5 } }),
    );
    expect(wrong.isError).toBe(true);
    expect(wrong.content[0]?.text).toMatch(/Invalid arguments for tool t: .*city.*string/);
    const missing = resultOf<{ content: { text: string }[] }>(
      await client.request('tools/call', { name: 't', arguments: {} }),
    );
    expect(missing.content[0]?.text).toMatch(/city/);
  });

  test('gives its handler the types of its schema', () => {
    const server = new Server(info);
    server.tool('a', { input: schemas.zod }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
      return '';
    });
    server.tool('b', { input: schemas.arktype }, (args) => {
      expectTypeOf(args.city).toEqualTypeOf<string>();
      return '';
    });
    server.tool(
      'c',
      { input: z.object({ n: z.coerce.number() }), output: z.object({ twice: z.number() }) },
      ({ n }) => ({ twice: n * 2 }),
    );
  });

  test.each([
    ['2025-11-25', 'result'],
    ['2025-06-18', 'error'],
    ['2024-11-05', 'error'],
  ])('answers invalid arguments according to %s: as %s', async (revision, kind) => {
    const client = await RawClient.connect(weather());
    await client.initialize(revision);
    const answer = await client.request('tools/call', { name: 'forecast', arguments: {} });
    expect(answer).toMatchObject(kind === 'result' ? { result: { isError: true } } : { error: { code: -32602 } });
  });

  test('unknown tools and malformed calls are protocol errors', async () => {
    const client = await RawClient.connect(weather());
    await client.initialize();
    for (const params of [
      { name: 'nope' },
      {},
      { name: 'forecast', arguments: [1] },
      { name: 'forecast', arguments: null },
    ]) {
      expect(await client.request('tools/call', params)).toMatchObject({ error: { code: -32602 } });
    }
    expect(await client.request('prompts/list')).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('no prompts') },
    });
  });

  test.each<[string, unknown, object]>([
    ['a string', 'hi', { content: [{ type: 'text', text: 'hi' }] }],
    [
      'a block',
      { type: 'image', data: 'aa', mimeType: 'image/png' },
      { content: [{ type: 'image', data: 'aa', mimeType: 'image/png' }] },
    ],
    ['blocks', [{ type: 'text', text: 'a' }], { content: [{ type: 'text', text: 'a' }] }],
    ['a result', { content: [], isError: true }, { content: [], isError: true }],
    ['a value', { n: 1 }, { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } }],
    ['nothing', undefined, { content: [] }],
  ])('may return %s', async (_name, returned, result) => {
    const server = new Server(info);
    server.tool('t', {}, () => returned);
    const client = await RawClient.connect(server);
    await client.initialize();
    expect(resultOf(await client.request('tools/call', { name: 't' }))).toEqual(result);
  });

  test('a tool that throws is a tool error without a stack', async () => {
    const server = new Server(info);
    server.tool('t', {}, async () => Promise.reject(new Error('disk full')));
    const client = await RawClient.connect(server);
    await client.initialize();
    expect(resultOf(await client.request('tools/call', { name: 't' }))).toEqual({
      content: [{ type: 'text', text: 'disk full' }],
      isError: true,
    });
  });

  test('has its structured output checked against its schema', async () => {
    const server = new Server(info);
    let value: unknown = { n: 1 };
    server.tool('t', { output: z.object({ n: z.number() }) }, () => value as { n: number });
    const client = await RawClient.connect(server);
    await client.initialize();
    expect(resultOf(await client.request('tools/call', { name: 't' }))).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
      structuredContent: { n: 1 },
    });
    value = { n: 'one' };
    expect(resultOf(await client.request('tools/call', { name: 't' }))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/does not match its output schema.*n/) }],
    });
  });

  test('structured output that is not an object is wrapped for clients before 2026-07-28', async () => {
    const server = new Server(info);
    server.tool('t', { output: z.array(z.number()) }, () => [1, 2]);
    const client = await RawClient.connect(server);
    expect(resultOf(await client.modern('tools/call', { name: 't' }))).toMatchObject({ structuredContent: [1, 2] });
    await client.initialize('2025-11-25');
    expect(resultOf(await client.request('tools/call', { name: 't' }))).toMatchObject({
      structuredContent: { result: [1, 2] },
    });
    expect(resultOf(await client.request('tools/list'))).toMatchObject({
      tools: [{ outputSchema: { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] } }],
    });
  });

  test('reports increasing progress, and logs at the requested level', async () => {
    const server = new Server(info);
    server.tool('t', {}, (_args, call) => {
      call.progress(1, 2, 'half');
      call.progress(1);
      call.progress(2, 2);
      call.log('debug', 'quiet');
      call.log('error', { loud: true }, 'me');
      return 'ok';
    });
    const client = await RawClient.connect(server);
    await client.initialize();
    await client.request('tools/call', { name: 't', _meta: { progressToken: 0 } });
    expect(client.received.filter((message) => message.method)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 1, total: 2, message: 'half' },
      },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 0, progress: 2, total: 2 } },
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'error', logger: 'me', data: { loud: true } },
      },
    ]);
    await client.request('logging/setLevel', { level: 'debug' });
    client.received.length = 0;
    await client.request('tools/call', { name: 't' });
    expect(client.received.filter((message) => message.method)).toHaveLength(2);
    client.received.length = 0;
    await client.modern('tools/call', { name: 't' });
    expect(client.received.filter((message) => message.method)).toHaveLength(0);
    await client.modern('tools/call', { name: 't' }, {}, { 'io.modelcontextprotocol/logLevel': 'error' });
    expect(client.received.filter((message) => message.method)).toHaveLength(1);
  });

  test('receives an abort signal when its call is cancelled, and sends nothing more', async () => {
    const server = new Server(info);
    let aborted: unknown;
    const done = new Promise<void>((resolve) => {
      server.tool('t', {}, async (_args, call) => {
        await new Promise<void>((stop) => call.signal.addEventListener('abort', () => stop()));
        aborted = call.signal.reason;
        call.progress(1);
        resolve();
        return 'late';
      });
    });
    const client = await RawClient.connect(server);
    await client.initialize();
    client.write({
      jsonrpc: '2.0',
      id: 'x',
      method: 'tools/call',
      params: { name: 't', _meta: { progressToken: 'x' } },
    });
    client.notify('notifications/cancelled', { requestId: 'x', reason: 'bored' });
    await done;
    await client.request('ping');
    expect(aborted).toBe('bored');
    expect(client.received.filter((message) => message.id === 'x' || message.method)).toEqual([]);
  });

  test('can be added and removed while clients are connected', async () => {
    const server = weather();
    const client = await RawClient.connect(server);
    await client.initialize();
    const extra = server.tool('extra', {}, () => 'x');
    await client.notified('notifications/tools/list_changed');
    expect(resultOf<{ tools: object[] }>(await client.request('tools/list')).tools).toHaveLength(2);
    extra.remove();
    expect(resultOf<{ tools: object[] }>(await client.request('tools/list')).tools).toHaveLength(1);
    expect(() => server.tool('forecast', {}, () => '')).toThrowError(/already/);
  });
});

describe('resources and prompts', () => {
  function library(): Server {
    const server = new Server(info, { pageSize: 2, cache: { ttlMs: 5000, cacheScope: 'public' } });
    server.resource('config://app', { name: 'config', mimeType: 'application/json' }, () => '{"a":1}');
    server.resource('bin://x', { name: 'bytes' }, () => new Uint8Array([0, 255, 16]));
    server.resource('many://x', { name: 'many' }, (uri) => [
      { uri, text: 'a' },
      { uri: `${uri}/2`, text: 'b' },
    ]);
    server.resourceTemplate(
      'users://{id}/files/{+path}',
      { name: 'user', complete: { id: (value) => ['ada', 'alan', 'grace'].filter((name) => name.startsWith(value)) } },
      ({ id, path }) => `${id}: ${path}`,
    );
    server.prompt(
      'review',
      {
        description: 'Review code',
        arguments: { code: { required: true }, style: { complete: async (value) => [`${value}!`] } },
      },
      ({ code, style }) => `Review ${code} ${style ?? ''}`.trim(),
    );
    return server;
  }

  test('are listed in pages, and an invalid cursor is refused', async () => {
    const client = await RawClient.connect(library());
    await client.initialize();
    const first = resultOf<{ resources: { name: string }[]; nextCursor: string }>(
      await client.request('resources/list'),
    );
    expect(first.resources.map(({ name }) => name)).toEqual(['config', 'bytes']);
    const second = resultOf<{ resources: { name: string }[] }>(
      await client.request('resources/list', { cursor: first.nextCursor }),
    );
    expect(second).toEqual({ resources: [{ uri: 'many://x', name: 'many' }] });
    expect(await client.request('resources/list', { cursor: 'zzz' })).toMatchObject({ error: { code: -32602 } });
  });

  test('are read as text, as bytes, and by template', async () => {
    const client = await RawClient.connect(library());
    await client.initialize();
    const read = async (uri: string) =>
      resultOf<{ contents: object[] }>(await client.request('resources/read', { uri })).contents;
    expect(await read('config://app')).toEqual([
      { uri: 'config://app', mimeType: 'application/json', text: '{"a":1}' },
    ]);
    expect(await read('bin://x')).toEqual([{ uri: 'bin://x', blob: 'AP8Q' }]);
    expect(await read('many://x')).toHaveLength(2);
    expect(await read('users://a%20b/files/x/y.txt')).toEqual([
      { uri: 'users://a%20b/files/x/y.txt', text: 'a b: x/y.txt' },
    ]);
  });

  test('resources and prompts that do not exist are an error with the code of the revision', async () => {
    const client = await RawClient.connect(library());
    expect(await client.modern('resources/read', { uri: 'no://x' })).toMatchObject({
      error: { code: -32602, data: { uri: 'no://x' } },
    });
    expect(await client.modern('resources/read', { uri: 'config://app' })).toMatchObject({
      result: { ttlMs: 5000, cacheScope: 'public' },
    });
    await client.initialize();
    expect(await client.request('resources/read', { uri: 'no://x' })).toMatchObject({
      error: { code: -32002, data: { uri: 'no://x' } },
    });
  });

  test('prompts insert their arguments and name missing ones', async () => {
    const client = await RawClient.connect(library());
    await client.initialize();
    expect(resultOf(await client.request('prompts/get', { name: 'review', arguments: { code: 'x=1' } }))).toEqual({
      description: 'Review code',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review x=1' } }],
    });
    expect(await client.request('prompts/get', { name: 'review' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('"code"') },
    });
    expect(await client.request('prompts/get', { name: 'nope' })).toMatchObject({ error: { code: -32602 } });
  });

  test('complete the arguments of prompts and the variables of templates', async () => {
    const client = await RawClient.connect(library());
    await client.initialize();
    const complete = async (ref: object, name: string, value: string) =>
      client.request('completion/complete', { ref, argument: { name, value } });
    expect(resultOf(await complete({ type: 'ref/prompt', name: 'review' }, 'style', 'a'))).toEqual({
      completion: { values: ['a!'], total: 1, hasMore: false },
    });
    expect(
      resultOf(await complete({ type: 'ref/resource', uri: 'users://{id}/files/{+path}' }, 'id', 'a')),
    ).toMatchObject({ completion: { values: ['ada', 'alan'] } });
    expect(resultOf(await complete({ type: 'ref/prompt', name: 'review' }, 'code', 'a'))).toMatchObject({
      completion: { values: [] },
    });
    expect(await complete({ type: 'ref/prompt', name: 'nope' }, 'x', 'a')).toMatchObject({ error: { code: -32602 } });
  });

  test('notify subscribers of a change, in both eras', async () => {
    const server = library();
    const client = await RawClient.connect(server);
    await client.initialize();
    await client.request('resources/subscribe', { uri: 'config://app' });
    client.write({
      jsonrpc: '2.0',
      id: 'L',
      method: 'subscriptions/listen',
      params: {
        _meta: META,
        notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['config://app'] },
      },
    });
    const acknowledged = await client.notified('notifications/subscriptions/acknowledged');
    expect(acknowledged.params).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'L' },
      // This server has no tools, so that member is omitted.
      notifications: { promptsListChanged: true, resourceSubscriptions: ['config://app'] },
    });
    server.resourceUpdated('config://app');
    server.resourceUpdated('bin://x');
    server.prompt('another', {}, () => 'x');
    await client.until(
      () => client.received.filter((message) => message.method?.includes('prompts/list_changed')).length === 2,
    );
    expect(
      client.received
        .filter((message) => message.method === 'notifications/resources/updated')
        .map(({ params }) => params),
    ).toEqual([
      { uri: 'config://app' },
      { uri: 'config://app', _meta: { 'io.modelcontextprotocol/subscriptionId': 'L' } },
    ]);
    client.notify('notifications/cancelled', { requestId: 'L' });
    await client.request('resources/unsubscribe', { uri: 'config://app' });
    client.received.length = 0;
    server.resourceUpdated('config://app');
    await client.request('ping');
    expect(client.received.filter((message) => message.method)).toEqual([]);
  });

  test('answers subscriptions/listen when the server ends', async () => {
    const server = library();
    const client = await RawClient.connect(server);
    const listening = client.modern('subscriptions/listen', { notifications: {} });
    const { params } = await client.notified('notifications/subscriptions/acknowledged');
    await server.close();
    expect(resultOf(await listening)).toMatchObject({ resultType: 'complete', _meta: params?._meta });
  });
});

describe('a handler that sends questions to its client', () => {
  function asking(clock?: ManualClock): { server: Server; runs: () => number; signals: AbortSignal[] } {
    const server = new Server(info, { clock, askTimeoutMs: 1000 });
    let runs = 0;
    const signals: AbortSignal[] = [];
    server.tool('greet', { input: z.object({ greeting: z.string() }) }, async ({ greeting }, call) => {
      runs++;
      signals.push(call.signal);
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } };
      const answer = await call.elicit({ message: 'Who are you?', requestedSchema });
      if (answer.action !== 'accept') return `No name (${answer.action})`;
      const [roots, sample] = await Promise.all([
        call.roots(),
        call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 }),
      ]);
      call.progress(5);
      return `${greeting}, ${answer.content?.name} in ${roots[0]?.uri} says ${sample.model}`;
    });
    return { server, runs: () => runs, signals };
  }
  const capabilities = { elicitation: {}, roots: {}, sampling: {} };
  const params = { name: 'greet', arguments: { greeting: 'Hello' } };
  const answers: Record<string, object> = {
    'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
    'roots/list': { roots: [{ uri: 'file:///home' }] },
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'yo' }, model: 'm1' },
  };
  type Required = { inputRequests: Record<string, { method: string }>; requestState: string };
  const answered = (required: Required) =>
    Object.fromEntries(Object.entries(required.inputRequests).map(([key, { method }]) => [key, answers[method]]));

  test('sends requests to a legacy client', async () => {
    const { server } = asking();
    const client = await RawClient.connect(server);
    await client.initialize('2025-11-25', capabilities);
    const calling = client.request('tools/call', params);
    for (const method of Object.keys(answers)) {
      void client
        .until((message) => message.method === method)
        .then(({ id }) => client.write({ jsonrpc: '2.0', id, result: answers[method] }));
    }
    expect(resultOf(await calling)).toMatchObject({ content: [{ text: 'Hello, Ada in file:///home says m1' }] });
  });

  test('answers input_required to a modern client, runs once, and sends concurrent questions together', async () => {
    const { server, runs } = asking();
    const client = await RawClient.connect(server);
    const first = resultOf<Required>(await client.modern('tools/call', params, capabilities));
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'input-1': { method: 'elicitation/create' } },
    });
    expect(first).not.toHaveProperty('ttlMs');
    const second = resultOf<Required>(
      await client.modern(
        'tools/call',
        { ...params, inputResponses: answered(first), requestState: first.requestState },
        capabilities,
      ),
    );
    expect(Object.values(second.inputRequests).map(({ method }) => method)).toEqual([
      'roots/list',
      'sampling/createMessage',
    ]);
    const last = await client.modern(
      'tools/call',
      { ...params, inputResponses: answered(second), requestState: second.requestState },
      capabilities,
      { progressToken: 'p' },
    );
    expect(resultOf(last)).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'Hello, Ada in file:///home says m1' }],
    });
    expect(client.received.find(({ method }) => method === 'notifications/progress')?.params).toMatchObject({
      progressToken: 'p',
    });
    expect(runs()).toBe(1);
    expect(client.received.filter((message) => message.method && message.id !== undefined)).toEqual([]);
  });

  test('repeats questions that the retry did not answer', async () => {
    const { server } = asking();
    const client = await RawClient.connect(server);
    const first = resultOf<Required>(await client.modern('tools/call', params, capabilities));
    const again = resultOf<Required>(
      await client.modern('tools/call', { ...params, requestState: first.requestState }, capabilities),
    );
    expect(again.inputRequests).toEqual(first.inputRequests);
    expect(again.requestState).not.toBe(first.requestState);
  });

  test('detects a state that was altered, used before, or issued for another request', async () => {
    const { server } = asking();
    const client = await RawClient.connect(server);
    const { requestState, ...first } = resultOf<Required>(await client.modern('tools/call', params, capabilities));
    const inputResponses = answered(first as Required);
    const retry = (state: unknown, changed: object = {}) =>
      client.modern('tools/call', { ...params, ...changed, inputResponses, requestState: state }, capabilities);
    for (const wrong of [
      `${requestState}x`,
      'forged',
      requestState.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      7,
    ]) {
      expect(await retry(wrong)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('Unknown requestState') },
      });
    }
    expect(await retry(requestState, { arguments: { greeting: 'Bye' } })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('another request') },
    });
    expect(
      await client.modern('tools/call', { ...params, inputResponses: { 'input-1': 5 }, requestState }, capabilities),
    ).toMatchObject({ error: { code: -32602, message: expect.stringContaining('input-1') } });
    expect(resultOf(await retry(requestState))).toMatchObject({ resultType: 'input_required' });
    expect(await retry(requestState)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('used before') },
    });
  });

  test('is aborted if the answer does not arrive in time', async () => {
    const clock = new ManualClock();
    const { server, signals } = asking(clock);
    const client = await RawClient.connect(server);
    const first = resultOf<Required>(await client.modern('tools/call', params, capabilities));
    clock.advance(1001);
    expect(signals[0]?.aborted).toBe(true);
    expect(
      await client.modern('tools/call', { ...params, requestState: first.requestState }, capabilities),
    ).toMatchObject({ error: { code: -32602 } });
  });

  test('limits the number of suspended calls', async () => {
    const server = new Server(info, { maxSuspended: 2 });
    server.tool('ask', {}, async (_args, call) => ({ roots: await call.roots() }));
    const client = await RawClient.connect(server);
    const states: string[] = [];
    for (let n = 0; n < 3; n++)
      states.push(resultOf<Required>(await client.modern('tools/call', { name: 'ask' }, { roots: {} })).requestState);
    expect(await client.modern('tools/call', { name: 'ask', requestState: states[0] }, { roots: {} })).toMatchObject({
      error: { code: -32602 },
    });
    expect(
      resultOf(
        await client.modern(
          'tools/call',
          { name: 'ask', requestState: states[2], inputResponses: { 'input-1': { roots: [] } } },
          { roots: {} },
        ),
      ),
    ).toMatchObject({ structuredContent: { roots: [] } });
  });

  test('gets the error of the revision if the client has no capability', async () => {
    const { server } = asking();
    const client = await RawClient.connect(server);
    expect(await client.modern('tools/call', params)).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
    expect(await client.modern('tools/call', params, { elicitation: { url: {} } })).toMatchObject({
      error: { code: -32021 },
    });
    await client.initialize('2025-03-26', capabilities);
    expect(await client.request('tools/call', params)).toMatchObject({ error: { code: -32021 } });
  });
});

describe('the call flow of the tutorials', () => {
  test('works as written, message by message', async () => {
    const server = new Server({ name: 'example-server', version: '1.0.0' });
    server.tool(
      'hello_world',
      {
        description: 'A simple greeting tool',
        input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      ({ name }) => `Hello, ${name}!`,
    );
    const client = await RawClient.connect(server);
    expect(
      await client.request(
        'initialize',
        { client_info: { name: 'Cursor', version: '0.10.0' }, capabilities: { tools: {}, resources: {}, prompts: {} } },
        1,
      ),
    ).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { server_info: { name: 'example-server', version: '1.0.0' }, capabilities: { tools: {} } },
    });
    expect(await client.request('mcp/tools/list', {}, 2)).toEqual({
      jsonrpc: '2.0',
      id: 2,
      result: {
        tools: [
          {
            name: 'hello_world',
            description: 'A simple greeting tool',
            parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          },
        ],
      },
    });
    expect(await client.request('mcp/tools/call', { name: 'hello_world', arguments: { name: 'World' } }, 3)).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: { content: 'Hello, World!', is_error: false },
    });
    expect(await client.request('mcp/tools/call', { name: 'hello_world', arguments: {} }, 4)).toMatchObject({
      result: { is_error: true },
    });
    expect(await client.request('mcp/nope', {}, 5)).toMatchObject({ error: { code: -32601 } });
  });

  test('gets an error for a result that cannot be serialized', async () => {
    const server = new Server(info);
    server.tool('count', {}, async () => ({ content: [{ type: 'image', data: 1n } as never] }));
    const client = await RawClient.connect(server);
    expect(await client.request('mcp/tools/call', { name: 'count' }, 1)).toMatchObject({ error: { code: -32603 } });
  });
});

test('reports mistakes in a declaration at once', () => {
  const server = new Server(info) as unknown as { tool(...args: unknown[]): void };
  expect(() => server.tool('t', () => 'hi')).toThrowError(/no handler/);
  expect(() => server.tool('t', { inputSchema: {} }, () => 'hi')).toThrowError(/"inputSchema"; here it is "input"/);
});

test('answers a batch with a batch in 2025-03-26, and refuses it in other revisions', async () => {
  const client = await RawClient.connect(weather());
  await client.initialize('2025-03-26');
  client.write([
    { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'forecast', arguments: { city: 'Oslo' } } },
    { jsonrpc: '2.0', id: 'b', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/whatever' },
  ]);
  const batch = await client.until((message) => Array.isArray(message));
  expect(batch).toMatchObject([{ id: 'a' }, { id: 'b', result: {} }]);
  const other = await RawClient.connect(weather());
  await other.initialize('2025-06-18');
  other.write([{ jsonrpc: '2.0', id: 'a', method: 'ping' }]);
  expect(await other.until((message) => message.error !== undefined)).toMatchObject({ error: { code: -32600 } });
});
