import { expect, test } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { Catalogue } from './catalogue.ts';
import { type Caller, newClient, type Result, type Service, silentCaller, type Watcher } from './service.ts';
import type { ServerCapabilities } from './types.ts';

const capabilities: ServerCapabilities = { tools: { listChanged: true }, prompts: {} };
const named = (...names: string[]) => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
const caller: Caller = silentCaller({
  identity: newClient(),
  revision: '2026-07-28',
  capabilities: {},
  info: undefined,
  logLevel: undefined,
});

/** A server whose answers the test gives, in the order of the requests. */
function server(era: 'legacy' | 'modern' = 'legacy', begun: Promise<unknown> = Promise.resolve(), isClosed = false) {
  const clock = new ManualClock();
  const asked: { method: string; params: object; answer: (result: object) => void; fail: (error: Error) => void }[] =
    [];
  const warnings: string[] = [];
  let watcher: Watcher | undefined;
  let stops = 0;
  const request = (method: string, params: object) =>
    new Promise<Result>((resolve, reject) => {
      asked.push({ method, params, answer: (result) => resolve(result as Result), fail: reject });
    });
  const service: Pick<Service, 'watch'> = {
    watch: async (given) => {
      watcher = given;
      await begun;
      return () => void stops++;
    },
  };
  const source = { server: { era, capabilities }, service, request, isClosed: () => isClosed };
  const catalogue = new Catalogue(source, (code) => warnings.push(code), { clock });
  /** Answers the next request after its arrival. */
  const answer = async (result: object) => {
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    asked.shift()!.answer(result);
  };
  return {
    ...{ catalogue, clock, asked, warnings, answer },
    changes: () => watcher!.notified('notifications/tools/list_changed', undefined),
    ends: () => watcher!.ended!(),
    stops: () => stops,
    page: (params = {}, from = caller) =>
      catalogue.layer((method, given) => request(method, given))('tools/list', params, from) as Promise<Result>,
  };
}

function beginning() {
  let begin!: (value?: unknown) => void;
  const promise = new Promise((resolve) => {
    begin = resolve;
  });
  return { promise, begin };
}

const namesIn = async (reading: unknown) => ((await reading) as { name: string }[]).map(({ name }) => name);

test('returns a list that changed during the read, and reads it again', async () => {
  const { catalogue, changes, asked, answer } = server();
  const reading = catalogue.read('tools');
  await expect.poll(() => asked.length).toBe(1);
  changes();
  await answer(named('old'));
  expect(await namesIn(reading)).toEqual(['old']);
  expect([catalogue.valid('tools'), catalogue.current('tools')]).toEqual([undefined, undefined]);
  expect([...catalogue.last('tools').keys()]).toEqual(['old']);
  const again = catalogue.read('tools');
  await answer(named('new'));
  expect(await namesIn(again)).toEqual(['new']);
  expect(await namesIn(catalogue.read('tools'))).toEqual(['new']);
});

test('a reader after a change does not get an earlier answer', async () => {
  const { catalogue, changes, asked } = server();
  const before = catalogue.read('tools');
  await expect.poll(() => asked.length).toBe(1);
  changes();
  const after = catalogue.read('tools');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.answer(named('new'));
  expect(await namesIn(after)).toEqual(['new']);
  asked[0]!.answer(named('old'));
  expect(await namesIn(before)).toEqual(['old']);
  expect(await namesIn(catalogue.valid('tools'))).toEqual(['new']);
});

test('concurrent readers share an answer, and a failure is not kept', async () => {
  const { catalogue, asked, answer } = server();
  const both = Promise.allSettled([catalogue.read('tools'), catalogue.read('tools')]);
  await expect.poll(() => asked.length).toBe(1);
  asked.shift()!.fail(new Error('not now'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = catalogue.read('tools');
  await answer(named('a'));
  expect(await namesIn(next)).toEqual(['a']);
});

test('without announcements, reads a legacy list each time, and a modern one after its TTL', async () => {
  const legacy = server();
  const read = legacy.catalogue.read('prompts');
  await legacy.answer({ prompts: [{ name: 'a' }] });
  await read;
  expect(legacy.catalogue.valid('prompts')).toBeUndefined();
  expect(legacy.catalogue.current('prompts')?.has('a')).toBe(true);

  const { catalogue, clock, answer } = server('modern');
  const reading = catalogue.read('tools');
  await answer({ ...named('a'), ttlMs: 10 });
  await reading;
  clock.advance(9);
  expect(await namesIn(catalogue.valid('tools'))).toEqual(['a']);
  clock.advance(1);
  expect(catalogue.valid('tools')).toBeUndefined();
});

test('a modern list is requested only after announcements have begun, or were refused', async () => {
  const { promise, begin } = beginning();
  const { catalogue, asked, answer } = server('modern', promise);
  catalogue.keep();
  await new Promise(setImmediate);
  expect(asked.length).toBe(0);
  begin();
  await answer(named('a'));
  await expect.poll(() => catalogue.valid('tools')).toHaveLength(1);

  const refusing = server('modern', Promise.reject(new Error('not here')));
  refusing.catalogue.keep();
  await refusing.answer(named('b'));
  await expect.poll(() => refusing.catalogue.current('tools')?.has('b')).toBe(true);
  expect(refusing.catalogue.valid('tools')).toBeUndefined();
  expect(refusing.warnings).toEqual(['listen-failed']);
});

test('requests lists of a server that does not acknowledge announcements after 1 s, and again after the acknowledgement', async () => {
  const { promise, begin } = beginning();
  const { catalogue, clock, asked, answer } = server('modern', promise);
  catalogue.keep();
  clock.advance(999);
  await new Promise(setImmediate);
  expect(asked.length).toBe(0);
  clock.advance(1);
  await answer(named('a'));
  await expect.poll(() => catalogue.current('tools')?.has('a')).toBe(true);
  begin();
  await expect.poll(() => catalogue.current('tools')).toBeUndefined();
});

test('the end of announcements outdates the lists, but the end of the connection does not', async () => {
  for (const isClosed of [false, true]) {
    const { catalogue, ends, answer } = server('legacy', undefined, isClosed);
    const reading = catalogue.read('tools');
    await answer(named('a'));
    await reading;
    ends();
    expect(catalogue.valid('tools') !== undefined).toBe(isClosed);
  }
});

test('keeps the names of the previous process for a new one, but not its lists', async () => {
  const before = server();
  const reading = before.catalogue.read('tools');
  await before.answer(named('a'));
  await reading;
  const { catalogue } = server();
  catalogue.keep(before.catalogue);
  expect(catalogue.last('tools').has('a')).toBe(true);
  expect([catalogue.valid('tools'), catalogue.current('tools')]).toEqual([undefined, undefined]);
});

test('close ends the announcements', async () => {
  const { catalogue, stops } = server();
  await catalogue.close();
  expect(stops()).toBe(1);
});

test('clients receive cached pages of a legacy server that announces changes', async () => {
  const { changes, page, answer, asked } = server();
  await new Promise(setImmediate);
  const first = page();
  await answer({ ...named('a'), nextCursor: '2', extra: true });
  await answer(named('b'));
  expect(await first).toEqual({ ...named('a'), nextCursor: '2', extra: true });
  expect(await page({ cursor: '2', _meta: {} })).toEqual(named('b'));
  expect(asked).toEqual([]);
  const odd = page({ cursor: 'other' });
  await answer(named('c'));
  expect(await odd).toEqual(named('c'));
  const filtered = page({ filter: 'x' });
  await answer(named('d'));
  expect(await filtered).toEqual(named('d'));
  const fresh = page({}, { ...caller, options: { fresh: true } });
  await answer(named('e'));
  expect(await fresh).toEqual(named('e'));
  changes();
  const both = Promise.all([page(), page()]);
  await answer(named('f'));
  expect(await both).toEqual([named('f'), named('f')]);
  expect(asked).toEqual([]);
});

test('gives a modern list to other clients only if it is public, with its remaining time', async () => {
  const { page, clock, answer, asked } = server('modern');
  const list = { ...named('a'), ttlMs: 100 };
  for (const cacheScope of ['private', undefined, 'public'] as const) {
    const asking = page();
    await answer({ ...list, cacheScope });
    expect(await asking).toEqual({ ...list, cacheScope });
  }
  const second = page();
  await answer({ ...list, cacheScope: 'public' });
  await second;
  clock.advance(40);
  expect(await page()).toEqual({ ...named('a'), ttlMs: 60, cacheScope: 'public' });
  clock.advance(60);
  const later = page();
  await answer({ ...named('b'), ttlMs: 100, cacheScope: 'private' });
  await answer({ ...named('c'), ttlMs: 100, cacheScope: 'private' }); // a separate answer, because the previous one is not public
  expect(await later).toMatchObject(named('c'));
  expect(asked).toEqual([]);
});

test('a client that cancels does not wait for a list, and a failed list is requested again for others', async () => {
  const { catalogue, page, asked, answer } = server();
  const reading = catalogue.read('tools');
  const cancel = new AbortController();
  const cancelled = page({}, { ...caller, signal: cancel.signal });
  const waiting = page();
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  await expect.poll(() => asked.length).toBe(1);
  asked.shift()!.fail(new Error('not now'));
  await expect(reading).rejects.toThrow('not now');
  await answer(named('a'));
  expect(await waiting).toEqual(named('a'));
});

test('a list that cannot be read completely is requested page by page, and read again only after a change', async () => {
  const { changes, page, asked, answer } = server();
  const first = page();
  await expect.poll(() => asked.length).toBe(1);
  asked.shift()!.fail(new Error('too long'));
  await answer(named('a'));
  expect(await first).toEqual(named('a'));
  const second = page();
  await answer(named('b'));
  expect(await second).toEqual(named('b'));
  changes();
  const both = Promise.all([page(), page()]);
  await answer(named('c'));
  expect(await both).toEqual([named('c'), named('c')]);
  expect(asked).toEqual([]);
});

test('clients that wait for a list during a change share the next one', async () => {
  const { changes, page, asked, answer } = server();
  const both = Promise.all([page(), page()]);
  await expect.poll(() => asked.length).toBe(1);
  changes();
  await answer(named('old'));
  await answer(named('new'));
  expect(await both).toEqual([named('new'), named('new')]);
  expect(asked).toEqual([]);
});
