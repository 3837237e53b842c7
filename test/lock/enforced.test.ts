// Definitions that are not approved reach no client, and calls of them are refused.

import { expect, test } from 'vitest';
import { TestCaller } from '../contract/test-caller.ts';
import { called, callerNamed, EVIL, evil, Locking, listed, refused, tool } from './locking.ts';

const eras = ['legacy', 'modern'] as const;

test.each(eras)('%s: lists and calls only approved tools, and reports the others once', async (era) => {
  const locking = new Locking({ a: { tools: [tool('read'), tool('write')] } }, { era });
  locking.serve('a', { tools: [tool('read'), evil('write'), evil('extra')] });
  const host = await locking.host();
  for (let time = 0; time < 3; time++) expect(await listed(host.service('a'))).toEqual(['read']);
  expect(await called(host.service('a'), 'read')).toBe('called read');
  for (const name of ['write', 'extra', 'unheard-of', ['write'], undefined])
    await expect(called(host.service('a'), name)).rejects.toThrow();
  for (const name of ['write', 'extra', 'unheard-of']) await refused(called(host.service('a'), name));
  expect(locking.unapproved.map(({ kind, name, change, mode }) => [kind, name, change, mode])).toEqual([
    ['tools', 'write', 'changed', 'hide'],
    ['tools', 'extra', 'added', 'hide'],
  ]);
  expect(JSON.stringify([locking.unapproved, host.warnings('a')])).not.toContain(EVIL);
  expect(host.warnings('a').map(({ topic }) => topic)).toEqual(['definition-not-approved', 'definition-not-approved']);
});

test('with "warn", passes everything and reports each change once', async () => {
  const locking = new Locking({ a: { tools: [tool('read')], instructions: 'Be kind.' } });
  locking.serve('a', { tools: [evil('read'), tool('more')], instructions: EVIL });
  locking.write(['a'], { entry: { locked: 'warn' } });
  const host = await locking.host();
  for (let time = 0; time < 3; time++) expect(await listed(host.service('a'))).toEqual(['read', 'more']);
  expect(await called(host.service('a'), 'read')).toBe('called read');
  expect((await host.service('a').describe()).instructions).toBe(EVIL);
  expect(locking.unapproved.map(({ kind, name }) => [kind, name])).toEqual([
    ['instructions', ''],
    ['tools', 'read'],
    ['tools', 'more'],
  ]);
});

test.each([true, false])('a change between list and call is found: announced %s', async (announces) => {
  const tools = [tool('read'), tool('write'), tool('announce')];
  const locking = new Locking({ a: { tools, announces } });
  const service = (await locking.host()).service('a');
  expect(await listed(service)).toEqual(['read', 'write', 'announce']);
  expect(await called(service, 'write')).toBe('called write');
  locking.serve('a', { tools: [tool('read'), evil('write'), tool('announce')], announces });
  await called(service, 'announce');
  await refused(called(service, 'write'));
  expect(await called(service, 'read')).toBe('called read');
  expect(await listed(service)).toEqual(['read', 'announce']);
  locking.serve('a', { tools, announces });
  await called(service, 'announce');
  expect(await called(service, 'write')).toBe('called write');
});

test('a server that shows one client another definition shows it to nobody', async () => {
  const tools = [tool('read'), tool('write')];
  const locking = new Locking({ a: { tools } }, { era: 'modern' });
  locking.serve('a', { tools, perClient: { victim: { tools: [tool('read'), evil('write'), evil('extra')] } } });
  const service = (await locking.host()).service('a');
  const [victim, other] = [callerNamed('victim'), callerNamed('other')];
  expect(await listed(service, other)).toEqual(['read', 'write']);
  expect(await listed(service, victim)).toEqual(['read']);
  await refused(called(service, 'write', victim));
  await refused(called(service, 'extra', victim));
  expect(await called(service, 'read', victim)).toBe('called read');
  expect(await listed(service, other)).toEqual(['read', 'write']);
  expect(await called(service, 'write', other)).toBe('called write');
});

test('a call in flight gets its answer when the definition of its tool changes, and the next call is refused', async () => {
  const tools = [tool('hold'), tool('release'), tool('announce')];
  const locking = new Locking({ a: { tools } });
  const service = (await locking.host()).service('a');
  await listed(service);
  const held = called(service, 'hold');
  locking.serve('a', { tools: [evil('hold'), tool('release'), tool('announce')] });
  await called(service, 'announce');
  await refused(called(service, 'hold'));
  await called(service, 'release');
  expect(await held).toBe('held');
});

test('counts a definition that is nested too deeply, or has no name, as not approved', async () => {
  const locking = new Locking({ a: { tools: [tool('read')] } });
  const deep = JSON.parse(`${'{"a":'.repeat(1_100)}1${'}'.repeat(1_100)}`);
  locking.serve('a', {
    tools: [{ description: EVIL }, { name: 7, description: EVIL }, tool('read', { inputSchema: deep })],
  });
  const service = (await locking.host()).service('a');
  expect((await service.request('tools/list', {}, new TestCaller())).tools).toEqual([]);
  await refused(called(service, 'read'));
});
