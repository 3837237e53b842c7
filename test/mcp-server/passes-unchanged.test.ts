// `_meta` and unknown members pass unchanged through a protocol adapter, in both directions and in each revision.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { revisionsOfMcp } from '../../src/mcp/revisions.ts';
import type { Params } from '../../src/mcp/service.ts';
import { OpaqueService, sampled, sampling } from './opaque-service.ts';
import { RawClient, resultOf } from './raw-client.ts';

const numRuns = process.env.FC_PROFILE === 'deep' ? 2_000 : 40;
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'opaque', version: '1.0.0' } };

/** Members that no revision defines, with any JSON values. */
const unknown = fc
  .dictionary(
    fc.string({ maxLength: 8 }).map((name) => `com.example/${name}`),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 4 },
  )
  .map((members) => JSON.parse(JSON.stringify(members)) as Params);
const withMeta = fc.tuple(unknown, unknown).map(([members, _meta]): Params => ({ ...members, _meta }));

const results: Record<string, (members: Params) => Params> = {
  'tools/call': (members) => ({ content: [{ type: 'text', text: 'hi', ...members }], structuredContent: members }),
  'tools/list': (members) => ({ tools: [{ name: 't', inputSchema: { type: 'object', ...members }, ...members }] }),
  'resources/list': (members) => ({ resources: [{ uri: 'a:b', name: 'b', ...members }] }),
  'resources/templates/list': (members) => ({ resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'b', ...members }] }),
  'resources/read': (members) => ({ contents: [{ uri: 'a:b', text: '', ...members }] }),
  'prompts/list': (members) => ({ prompts: [{ name: 'p', arguments: [{ name: 'a', ...members }], ...members }] }),
  'prompts/get': (members) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'hi', ...members } }] }),
  'com.example/method': (members) => ({ any: members }),
};
const methods = fc.constantFrom(...Object.keys(results));

/** Structured content exists since 2025-06-18. */
function known(result: Params, revision: string): Params {
  if (revision >= '2025-06-18') return result;
  const { structuredContent: _left, ...rest } = result;
  return rest;
}

/** Removes the members that 2026-07-28 adds to every message. */
function withoutEnvelope(meta: Params): Params {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith('io.modelcontextprotocol/')));
}

describe.each(revisionsOfMcp)('a client of %s', (revision) => {
  const isModern = revision === '2026-07-28';
  const capabilities = { sampling: {} };
  const logLevel = { 'io.modelcontextprotocol/logLevel': 'debug' };

  async function connected(service: OpaqueService): Promise<RawClient> {
    const client = await RawClient.connect(service);
    if (!isModern) await client.initialize(revision, capabilities);
    return client;
  }
  const send = (client: RawClient, method: string, params: Params, meta: Params = {}) =>
    isModern
      ? client.modern(method, params, capabilities, { ...logLevel, ...(params._meta as Params), ...meta })
      : client.request(method, { ...params, _meta: { ...(params._meta as Params), ...meta } });

  test('and a service exchange parameters and results unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(methods, withMeta, withMeta, async (method, params, members) => {
        const result = { ...members, ...results[method]!(members) };
        const service = new OpaqueService(() => result);
        const client = await connected(service);
        const answer = resultOf(await send(client, method, params));
        const { _meta, ...passed } = service.requests[0]!.params;
        expect({ ...passed, _meta: withoutEnvelope(_meta as Params) }).toEqual(params);
        if (isModern) {
          const { resultType, ttlMs: _ttlMs, cacheScope: _cacheScope, ...rest } = answer;
          expect(resultType).toBe('complete');
          expect(rest).toEqual({ ...result, _meta: { ...serverInfo, ...(members._meta as Params) } });
        } else {
          expect(answer).toEqual(known(result, revision));
        }
        client.end();
        await client.closed;
      }),
      { numRuns },
    );
  });

  test('receives progress, log messages and questions unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(withMeta, withMeta, async (members, answer) => {
        let answered: unknown;
        const service = new OpaqueService(async (caller) => {
          caller.progress({ progress: 1, ...members });
          caller.log({ level: 'error', data: members, ...members });
          answered = await caller.ask(sampling(members), 'question');
          return {};
        });
        const client = await connected(service);
        const first = send(client, 'tools/call', {}, { progressToken: 'token' });
        if (isModern) {
          const { inputRequests, requestState } = resultOf<{
            inputRequests: Record<string, unknown>;
            requestState: string;
          }>(await first);
          expect(inputRequests).toEqual({ question: sampling(members) });
          await send(client, 'tools/call', { requestState, inputResponses: { question: sampled(answer) } });
        } else {
          const { id, params } = await client.notified('sampling/createMessage');
          expect(params).toEqual(sampling(members).params);
          client.write({ jsonrpc: '2.0', id, result: sampled(answer) });
          await first;
        }
        expect(answered).toEqual(sampled(answer));
        expect((await client.notified('notifications/progress')).params).toEqual({
          progressToken: 'token',
          progress: 1,
          ...members,
        });
        expect((await client.notified('notifications/message')).params).toEqual({
          level: 'error',
          data: members,
          ...members,
        });
        client.end();
        await client.closed;
      }),
      { numRuns },
    );
  });

  test('and a service exchange notifications unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(withMeta, withMeta, async (members, change) => {
        const service = new OpaqueService();
        const client = await connected(service);
        if (isModern) {
          void client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
          await client.notified('notifications/subscriptions/acknowledged');
        }
        client.notify('notifications/com.example/news', members);
        service.tell('toolsListChanged', 'notifications/tools/list_changed', change);
        const { params } = await client.notified('notifications/tools/list_changed');
        const { _meta } = params as { _meta: Params };
        expect({ ...params, _meta: withoutEnvelope(_meta) }).toEqual(change);
        expect('io.modelcontextprotocol/subscriptionId' in _meta).toBe(isModern);
        await client.request('ping');
        expect(service.notifications).toMatchObject([
          { method: 'notifications/com.example/news', params: members, client: { revision } },
        ]);
        expect(service.notifications[0]?.params).toEqual(members);
        client.end();
        await client.closed;
      }),
      { numRuns },
    );
  });
});
