// The declarations of a server are valid, or refused at the call that makes them.

import { InMemoryTransport } from '@modelcontextprotocol/client';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { StandardSchema } from '../../src/mcp/server/schema.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { META, RawClient, resultOf } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0' };
const refused = (declare: () => unknown, message: RegExp) => {
  expect(declare).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(message) }));
};

describe('a raw shape', () => {
  function withShape(): Server {
    const server = new Server(info);
    server.tool(
      'forecast',
      {
        input: {
          city: z.string().describe('Where'),
          days: z.number().int().default(1),
          unit: z.enum(['C', 'F']).optional(),
        },
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number } & { unit?: 'C' | 'F' | undefined }>();
        return JSON.stringify(args);
      },
    );
    return server;
  }

  test('is an object schema for clients', async () => {
    const client = await RawClient.connect(withShape());
    const { tools } = resultOf<{ tools: { inputSchema: object }[] }>(await client.request('tools/list'));
    expect(tools[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where' },
        days: expect.objectContaining({ type: 'integer', default: 1 }),
        unit: { type: 'string', enum: ['C', 'F'] },
      },
      required: ['city'],
    });
  });

  test('is checked: defaults are set, unknown members are dropped, problems have their path', async () => {
    const client = await RawClient.connect(withShape());
    const call = async (args: object) =>
      resultOf<{ content: { text: string }[]; isError?: boolean }>(
        await client.request('tools/call', { name: 'forecast', arguments: args }),
      );
    const good = await call({ city: 'Oslo', more: true });
    expect(JSON.parse(good.content[0]!.text)).toEqual({ city: 'Oslo', days: 1 });
    const bad = await call({ days: 'two' });
    expect(bad.isError).toBe(true);
    expect(bad.content[0]!.text).toMatch(/city: .*days: /);
  });

  test('may come from any library, be checked asynchronously, and describe the output', async () => {
    const server = new Server(info);
    const later: StandardSchema<string> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => (value === 'no' ? { issues: [{ message: 'not that' }] } : { value: String(value) }),
        jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
      },
    };
    server.tool(
      'mixed',
      { input: { a: toStandardJsonSchema(v.number()), b: later }, output: { sum: z.number() } },
      ({ a, b }) => ({ sum: a + b.length }),
    );
    const client = await RawClient.connect(server);
    await client.initialize();
    const call = (b: string) => client.request('tools/call', { name: 'mixed', arguments: { a: 1, b } });
    expect(resultOf(await call('yes'))).toMatchObject({ structuredContent: { sum: 4 } });
    expect(resultOf(await call('no'))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('b: not that') }],
    });
    const { tools } = resultOf<{ tools: { outputSchema: object }[] }>(await client.request('tools/list'));
    expect(tools[0]?.outputSchema).toEqual({
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
    });
  });

  test('is refused if a member is not a schema or refers to itself', () => {
    const server = new Server(info);
    refused(
      () => server.tool('t', { input: { a: z.string(), b: 3 } }, () => ''),
      /"b" in the schema of tool t is not a schema/,
    );
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    refused(() => server.tool('t', { input: { tree } }, () => ''), /"tree" .* has references/);
    refused(
      () => server.tool('t', { input: { a: v.string() } as never }, () => ''),
      /"a" .*valibot.* does not provide JSON Schema/,
    );
  });

  test('does not affect JSON Schema and other schemas', () => {
    const server = new Server(info);
    server.tool('plain', { input: { type: 'object', properties: { a: { type: 'number' } } } }, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return '';
    });
    server.tool('none', {}, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return '';
    });
    server.tool('one', { input: z.object({ a: z.number() }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number }>();
      return '';
    });
    server.tool('anything', { input: {} }, () => '');
  });
});

describe('refuses a declaration that cannot work:', () => {
  const server = new Server(info);
  const tool = (name: unknown, input?: unknown) => () => server.tool(name as string, { input } as object, () => '');

  test.each([
    ['a string', z.string(), /does not accept an object: its type is "string"/],
    ['an array', z.array(z.string()), /does not accept an object/],
    ['a union without an object', { anyOf: [{ type: 'string' }, { type: 'null' }] }, /none of its alternatives/],
    ['JSON Schema of a string', { type: 'string' }, /does not accept an object/],
    ['names of types', { city: 'string' }, /no JSON Schema keyword, only city/],
    ['text', 'object', /is a string/],
    ['null', null, /is null/],
    ['a list', [z.string()], /is an array/],
  ])('input: %s', (_what, input, message) => refused(tool('t', input), message));

  test.each([
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }],
    ['several types', { type: ['object', 'null'] }],
  ])('but accepts %s', (what, input) => void tool(what, input)());

  test('without a name', () => {
    refused(tool(''), /A tool needs a name .* empty string/);
    refused(tool(undefined), /A tool needs a name .* undefined/);
    refused(() => server.prompt('', {}, () => ''), /A prompt needs a name/);
    refused(() => server.resource('', { name: 'x' }, () => ''), /A resource needs a name/);
    refused(() => server.resourceTemplate('', { name: 'x' }, () => ''), /A resource template needs a name/);
  });

  test('a server without a name or version', () => {
    refused(() => new (Server as unknown as new () => Server)(), /A server needs a "name"/);
    refused(() => new Server({ name: 'x' } as typeof info), /A server needs a "version"/);
  });
});

describe('the name of a question', () => {
  const capabilities = { elicitation: {}, roots: {} };
  const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } };
  function asking(): Server {
    const server = new Server(info);
    server.tool('greet', {}, async (_args, call) => {
      const [who, roots] = await Promise.all([
        call.elicit({ message: 'Who?', requestedSchema }, { name: 'user_name' }),
        call.roots(),
      ]);
      return `${who.action === 'accept' ? who.content?.name : 'nobody'} in ${roots.length}`;
    });
    server.tool('twice', {}, async (_args, call) => {
      const ask = () => call.elicit({ message: 'Who?', requestedSchema }, { name: 'input-1' });
      const first = ask();
      const refusal = await ask().catch((error: Error) => error.message);
      return `${(await first).action}, ${refusal}`;
    });
    return server;
  }

  test('is its key in inputRequests', async () => {
    const client = await RawClient.connect(asking());
    const first = resultOf<{ inputRequests: object; requestState: string }>(
      await client.modern('tools/call', { name: 'greet' }, capabilities),
    );
    expect(first.inputRequests).toEqual({
      user_name: expect.objectContaining({ method: 'elicitation/create' }),
      'input-1': { method: 'roots/list' },
    });
    const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } }, 'input-1': { roots: [] } };
    const { requestState } = first;
    expect(
      resultOf(await client.modern('tools/call', { name: 'greet', inputResponses, requestState }, capabilities)),
    ).toMatchObject({ content: [{ text: 'Ada in 0' }] });
  });

  test('cannot be used twice at a time', async () => {
    const client = await RawClient.connect(asking());
    const { requestState } = resultOf<{ requestState: string }>(
      await client.modern('tools/call', { name: 'twice' }, capabilities),
    );
    const inputResponses = { 'input-1': { action: 'decline' } };
    expect(
      resultOf(await client.modern('tools/call', { name: 'twice', inputResponses, requestState }, capabilities)),
    ).toMatchObject({ content: [{ text: 'decline, A question named "input-1" is still unanswered' }] });
  });
});

test('closing a server answers its subscriptions, also over a transport that closes at once', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new Server(info);
  server.tool('t', {}, () => '');
  const received: object[] = [];
  const acknowledged = new Promise<void>((resolve) => {
    near.onmessage = (message) => {
      received.push(message);
      if ('method' in message) resolve();
    };
  });
  await near.start();
  await server.connect(far);
  await near.send({
    jsonrpc: '2.0',
    id: 7,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: META },
  });
  await acknowledged;
  await server.close();
  expect(received.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } });
});
