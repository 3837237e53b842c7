// Servers that change their definitions for some clients, in some processes, or in other kinds of definitions.

import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { until } from '../fixtures/server.ts';
import { called, callerNamed, EVIL, evil, Locking, listed, refused, tool } from './locking.ts';

const eras = ['legacy', 'modern'] as const;

test.each(eras)('%s: with "refuse", does not use a server whose definitions differ at its start', async (era) => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('write')] } }, { era });
  locking.serve('a', { tools: [tool('read'), evil('write')] });
  locking.write(['a'], { file: { locked: 'refuse' } });
  const host = await locking.host();
  const [status] = await host.start();
  expect(status).toMatchObject({ state: 'failed', pid: null, restarts: 0 });
  await expect(called(host.service('a'), 'read')).rejects.toMatchObject({
    code: 'SERVER_FAILED',
    cause: { code: 'DEFINITION_NOT_APPROVED' },
  });
});

test('with "refuse", stops the server when a later listing differs', async () => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('announce')] } });
  locking.write(['a'], { entry: { locked: 'refuse' } });
  const host = await locking.host();
  await host.start();
  expect(await called(host.service('a'), 'read')).toBe('called read');
  locking.serve('a', { tools: [evil('read'), tool('announce')] });
  await called(host.service('a'), 'announce');
  const error = await called(host.service('a'), 'read').catch((thrown) => thrown);
  expect(['DEFINITION_NOT_APPROVED', 'SERVER_STOPPED']).toContain(error.code);
  expect(error.message).not.toContain(EVIL);
  await until('the server is stopped', () => host.status()[0]!.state === 'stopped');
  await expect(called(host.service('a'), 'announce')).rejects.toMatchObject({ code: 'SERVER_STOPPED' });
  expect(host.status()[0]!.reason).toContain('mcp-lock.json');
});

test('2026-07-28: a change is found when the cache time of the list is over', async () => {
  const locking = new Locking(
    { a: { tools: [tool('read'), tool('write')], announces: false, ttlMs: 0 } },
    { era: 'modern' },
  );
  const service = (await locking.host()).service('a');
  expect(await listed(service)).toEqual(['read', 'write']);
  locking.serve('a', { tools: [tool('read'), evil('write')], announces: false, ttlMs: 0 });
  await refused(called(service, 'write'));
  expect(await called(service, 'read')).toBe('called read');
});

test('a tool that is listed for one client only can be called by that client', async () => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('own')] } }, { era: 'modern' });
  locking.serve('a', { tools: [tool('read')], perClient: { owner: { tools: [tool('read'), tool('own')] } } });
  const service = (await locking.host()).service('a');
  expect(await called(service, 'own', callerNamed('owner'))).toBe('called own');
});

test('a tool that is listed to nobody is refused, although it is approved', async () => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('own')] } }, { era: 'modern' });
  locking.serve('a', { tools: [tool('read')] });
  await refused(called((await locking.host()).service('a'), 'own', callerNamed('guest')));
});

test.each(['client', 'principal', 'call'])('with a process for each %s, every process is checked', async (share) => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('write')] } });
  locking.write(['a'], { entry: { share } });
  const service = (await locking.host()).service('a');
  const [one, two] = [callerNamed('one'), callerNamed('two')];
  expect(await listed(service, one)).toEqual(['read', 'write']);
  expect(await called(service, 'write', one)).toBe('called write');
  locking.serve('a', { tools: [tool('read'), evil('write')] });
  await refused(called(service, 'write', two));
  expect(await called(service, 'read', two)).toBe('called read');
});

test('checks the process after a restart before a call runs there', async () => {
  const tools = [tool('read'), tool('write'), tool('exit')];
  const locking = new Locking({ a: { tools } });
  const host = await locking.host();
  const service = host.service('a');
  expect(await called(service, 'write')).toBe('called write');
  locking.serve('a', { tools: [tool('read'), evil('write'), tool('exit')] });
  await expect(called(service, 'exit')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await refused(called(service, 'write'));
  expect(await listed(service)).toEqual(['read', 'exit']);
  expect(host.status()[0]!.restarts).toBe(1);
});

test('a name that is listed twice must be approved in both definitions', async () => {
  const locking = new Locking({ a: { tools: [tool('read')] } });
  locking.serve('a', { tools: [tool('read'), evil('read')] });
  const service = (await locking.host()).service('a');
  await listed(service);
  await refused(called(service, 'read'));
  const twice = new Locking({ a: { tools: [tool('read'), tool('read', { title: 'Again' })] } });
  expect(await called((await twice.host()).service('a'), 'read')).toBe('called read');
});

test('leaves out prompts, templates, instructions and views that are not approved', async () => {
  const prompt = (description: string) => ({ name: 'greet', description });
  const template = (description: string) => ({ uriTemplate: 'a://{id}', name: 'a', description });
  const approved = {
    tools: [tool('read')],
    prompts: [prompt('Greets.')],
    resourceTemplates: [template('All of a.')],
    instructions: 'Be kind.',
    contents: { 'ui://page': '<p>kind</p>', 'ui://other': '<p>other</p>' },
  };
  const changed = {
    tools: [tool('read')],
    prompts: [prompt(EVIL)],
    resourceTemplates: [template(EVIL)],
    instructions: EVIL,
    contents: { 'ui://page': EVIL, 'ui://other': '<p>other</p>', 'ui://new': EVIL, 'data://plain': 'data' },
  };
  const locking = new Locking({ a: approved });
  const ask = async (host: Host, method: string, params: Record<string, unknown> = {}) =>
    host.service('a').request(method, params, new TestCaller());
  const before = await locking.host();
  expect(await before.service('a').describe()).toMatchObject({ instructions: 'Be kind.' });
  expect(await ask(before, 'prompts/list')).toMatchObject({ prompts: approved.prompts });
  expect(await ask(before, 'resources/templates/list')).toMatchObject(
    approved.resourceTemplates ? { resourceTemplates: approved.resourceTemplates } : {},
  );
  expect(await ask(before, 'resources/read', { uri: 'ui://page' })).toMatchObject({
    contents: [{ text: '<p>kind</p>' }],
  });
  expect(locking.unapproved).toEqual([]);
  locking.serve('a', changed);
  const host = await locking.host();
  const { instructions } = await host.service('a').describe();
  expect(instructions).toBeUndefined();
  expect(await ask(host, 'prompts/list')).toMatchObject({ prompts: [] });
  expect(await ask(host, 'resources/templates/list')).toMatchObject({ resourceTemplates: [] });
  await refused(ask(host, 'prompts/get', { name: 'greet' }));
  await refused(ask(host, 'resources/read', { uri: 'ui://page' }));
  await refused(ask(host, 'resources/read', { uri: 'ui://new' }));
  await refused(ask(host, 'resources/read', { uri: 'UI://page' }));
  expect(await ask(host, 'resources/read', { uri: 'data://plain' })).toMatchObject({ contents: [{ text: 'data' }] });
});
