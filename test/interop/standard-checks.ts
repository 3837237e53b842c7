// One check per family, for the servers in test/fixtures/interop, which all have the same features.

import { expect } from 'vitest';
import type { CallToolResult } from '../../src/mcp/types.ts';
import { until } from '../fixtures/server.ts';
import { type AnyClient, codeOf, type ListKind } from './any-client.ts';
import { Absent, type Family } from './families.ts';

export type Check = (client: AnyClient) => Promise<Absent | undefined>;
export type Checks = Record<Family, Check>;

const ALL_BLOCKS_SINCE = '2025-06-18';
const STRUCTURED_SINCE = '2025-06-18';
const ELICITATION_SINCE = '2025-06-18';
const PAGE_ELICITATION_SINCE = '2025-11-25';

export const NOT_IN_REVISION = 'not part of this revision';

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join();
}

/** The code of the error with which a call ends. */
export async function refused(call: Promise<unknown>): Promise<unknown> {
  return call.then((result) => `it was answered: ${JSON.stringify(result)}`, codeOf);
}

export const standardChecks: Checks = {
  async connect(client) {
    expect(client).toMatchObject({ name: 'interop', instructions: 'Call what you like.' });
    expect(client.capabilities).toMatchObject({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
    return undefined;
  },

  async tools(client) {
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'roots']));
    expect(tools.find(({ name }) => name === 'echo')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    });
    const text = 'grüße 🙂 e\u0301 漢字 \u2028 "\\'.repeat(1000);
    expect(textOf(await client.callTool('echo', { text })) === text).toBe(true);
    const { content } = await client.callTool('blocks');
    const kinds = content.map(({ type }) => type);
    if (client.revision >= ALL_BLOCKS_SINCE) {
      expect(kinds).toEqual(['text', 'image', 'audio', 'resource_link', 'resource']);
    } else expect(kinds).toEqual(expect.arrayContaining(['text', 'image', 'resource']));
    return undefined;
  },

  async 'tool error'(client) {
    expect(await client.callTool('fail')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('failed on purpose') }],
    });
    await refusesArguments(client.callTool('echo', { text: 1 }));
    await refusesArguments(client.callTool('no-such-tool'));
    return undefined;
  },

  async 'structured output'(client) {
    const result = await client.callTool('add', { a: 1, b: 2 });
    expect(textOf(result)).toMatch('3');
    if (client.revision < STRUCTURED_SINCE) return new Absent(NOT_IN_REVISION);
    expect(result.structuredContent).toEqual({ sum: 3 });
    const tools = await client.listTools();
    expect(tools.find(({ name }) => name === 'add')?.outputSchema).toMatchObject({
      properties: { sum: { type: 'number' } },
    });
    return undefined;
  },

  async resources(client) {
    expect((await client.listResources())[0]).toMatchObject({ uri: 'mem://a', name: 'a', mimeType: 'text/plain' });
    expect(await client.readResource('mem://a')).toMatchObject({ contents: [{ uri: 'mem://a', text: 'A' }] });
    expect(await client.readResource('mem://blob')).toMatchObject({ contents: [{ uri: 'mem://blob', blob: 'AQID' }] });
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'mem://item/{id}', name: 'item' }]);
    expect(await client.readResource('mem://item/seven')).toMatchObject({ contents: [{ text: 'item seven' }] });
    expect([-32002, -32602]).toContain(await refused(client.readResource('mem://nowhere')));
    return undefined;
  },

  async subscriptions(client) {
    const updates: string[] = [];
    const unsubscribe = await client.subscribe('mem://a', (uri) => updates.push(uri));
    await client.callTool('touch');
    await until('the update arrives', () => updates.length > 0);
    await unsubscribe();
    await client.callTool('touch');
    await client.callTool('echo', { text: 'all earlier messages have arrived' });
    expect(updates).toEqual(['mem://a']);
    return undefined;
  },

  async prompts(client) {
    const greet = (await client.listPrompts()).find(({ name }) => name === 'greet');
    expect(greet).toMatchObject({ description: 'A greeting', arguments: [{ name: 'name', required: true }] });
    expect(await client.getPrompt('greet', { name: 'Ada' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada' } }],
    });
    expect(await refused(client.getPrompt('nobody'))).toBe(-32602);
    return undefined;
  },

  async completion(client) {
    const forPrompt = await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' });
    expect(forPrompt.values).toEqual(['Ada', 'Alan']);
    const forTemplate = await client.complete(
      { type: 'ref/resource', uri: 'mem://item/{id}' },
      { name: 'id', value: 'si' },
    );
    expect(forTemplate.values).toEqual(['six']);
    return undefined;
  },

  async logging(client) {
    await client.setLogLevel('warning');
    client.logs.length = 0;
    await client.callTool('log');
    await until('the message arrives', () => client.logs.length > 0);
    await client.callTool('echo', { text: 'all earlier messages have arrived' });
    expect(client.logs).toMatchObject([{ level: 'error', logger: 'interop', data: { text: 'loud' } }]);
    return undefined;
  },

  async progress(client) {
    const steps: number[] = [];
    const counting = client.callTool('count', { to: 3 }, { onProgress: (step) => steps.push(step) });
    await until('all progress arrives', () => steps.length === 3);
    await client.callTool('finish');
    expect(textOf(await counting)).toBe('3');
    expect(steps).toEqual([1, 2, 3]);
    return undefined;
  },

  async cancellation(client) {
    const before = Number(textOf(await client.callTool('cancelled')));
    const abort = new AbortController();
    const waiting = client.callTool('wait', undefined, { signal: abort.signal });
    await client.callTool('echo', { text: 'the server has the other call by now' });
    abort.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await until(
      'the server has stopped',
      async () => Number(textOf(await client.callTool('cancelled'))) === before + 1,
    );
    return undefined;
  },

  async 'list changed'(client) {
    const changed = new Set<ListKind>();
    const kinds: ListKind[] = ['tools', 'resources', 'prompts'];
    await client.onListChanged(kinds, (kind) => changed.add(kind));
    // Our client subscribes asynchronously; changes after its request are delivered.
    await until('the server was notified', () => client.revision < '2026-07-28' || hasListenedFor(client, kinds));
    await client.callTool('grow');
    await until(`all three changes arrive; came: ${[...changed]}`, () => changed.size === 3);
    expect((await client.listTools()).map(({ name }) => name)).toContain('late');
    return undefined;
  },

  async pagination(client) {
    const resources = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['mem://a', ...[1, 2, 3, 4, 5, 6].map((n) => `mem://page/${n}`)]),
    );
    expect(requestsFor(client, 'resources/list').some(({ cursor }) => cursor !== undefined)).toBe(true);
    return undefined;
  },

  async elicitation(client) {
    if (client.revision < ELICITATION_SINCE) return new Absent(NOT_IN_REVISION);
    expect(textOf(await client.callTool('ask'))).toBe('accept: blue');
    expect(client.asked).toContain('elicitation/create');
    if (client.revision >= PAGE_ELICITATION_SINCE) {
      expect(textOf(await client.callTool('ask-by-page'))).toBe('accept');
      expect(client.asked).toContain('elicitation/create by page');
    }
    return undefined;
  },

  async sampling(client) {
    expect(textOf(await client.callTool('sample'))).toBe('something');
    expect(client.asked).toContain('sampling/createMessage');
    return undefined;
  },

  async roots(client) {
    expect(textOf(await client.callTool('roots'))).toBe('file:///interop');
    expect(client.asked).toContain('roots/list');
    await client.notifyRootsChanged();
    return undefined;
  },

  async ping(client) {
    return (await client.ping()) ? undefined : new Absent('removed in this revision');
  },
};

/** Expects a protocol error or a tool error, depending on the revision and the server. */
async function refusesArguments(call: Promise<CallToolResult>): Promise<void> {
  const outcome = await call.then(({ isError }) => isError, codeOf);
  expect([true, -32602]).toContain(outcome);
}

function requestsFor(client: AnyClient, method: string): Record<string, unknown>[] {
  const messages = client.wire().map(({ message }) => message as { method?: string; params?: Record<string, unknown> });
  return messages.filter((message) => message.method === method).map(({ params = {} }) => params);
}

function hasListenedFor(client: AnyClient, kinds: ListKind[]): boolean {
  return requestsFor(client, 'subscriptions/listen').some(({ notifications }) =>
    kinds.every((kind) => (notifications as Record<string, unknown>)[`${kind}ListChanged`]),
  );
}
