// The merged service of all servers of a host: names of entries, which servers receive a request, and the effect of a
// missing server.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Params, Result } from '../../src/mcp/service.ts';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { ManualClock } from '../fixtures/manual-clock.ts';
import { until } from '../fixtures/server.ts';
import { folder, openHost, serverFile, stateOf, writeConfig } from './run-host.ts';

const library = (own: string, env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [serverFile('library')],
  env: { OWN: own, ...env },
  era: 'legacy',
});
const broken = { command: 'no-such-command-here' };

// biome-ignore lint/suspicious/noExplicitAny: results are opaque
const ask = (host: Host, method: string, params: Params = {}): Promise<any> =>
  Promise.resolve(host.service().request(method, params, new TestCaller()));
const textOf = async (host: Host, name: string) =>
  (await ask(host, 'tools/call', { name, arguments: {} })).content[0].text;
const namesOf = ({ tools }: Result) => (tools as { name: string }[]).map(({ name }) => name);

/** Number of requests of a method that the host sent to a server. */
const asked = (host: Host, server: string, method: string): number =>
  host.flow.since(0).filter((event) => {
    if (event.server !== server || event.kind !== 'frame' || event.direction !== 'toServer') return false;
    return JSON.parse(Buffer.from(event.payload).toString()).method === method;
  }).length;

let files = 0;
const newFile = () => join(folder, `merged-${++files}`);

let both: Host;
beforeAll(async () => {
  both = await Host.open(writeConfig({ a: library('a'), b: library('b') }));
  await both.start();
});
afterAll(() => both?.stop());

describe('names of merged entries', () => {
  test('are valid for common hosts, unique, and independent of other servers', async () => {
    const alone = await openHost({ 'my files': library('a') });
    const beside = await openHost({ my_files: library('b'), 'my files': library('a') });
    await Promise.all([alone.start(), beside.start()]); // a list waits only briefly for a server that is starting
    const [few, many] = await Promise.all([alone, beside].map(async (host) => namesOf(await ask(host, 'tools/list'))));
    for (const name of many!) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(many).size).toBe(10);
    expect(many).toEqual(expect.arrayContaining(few!));
    const texts = await Promise.all(many!.slice(5, 8).map((name) => textOf(beside, name)));
    expect(texts).toEqual(['a: read.file', 'a: read_file', 'a: long']);
  });

  test('names with a hash are found without an earlier list', async () => {
    const [changed] = namesOf(await ask(both, 'tools/list'));
    const other = await openHost({ a: library('a'), b: library('b') });
    expect(changed).toMatch(/^a__read_file_[0-9a-f]{8}$/);
    expect(await textOf(other, changed!)).toBe('a: read.file');
    expect(stateOf(other, 'b')).toBe('stopped');
  });

  test('names of prompts and templates agree with what prompts/get and resources/read accept', async () => {
    const host = both;
    const { prompts } = await ask(host, 'prompts/list');
    expect((await ask(host, 'prompts/get', { name: prompts[1].name })).messages[0].content.text).toBe(
      'Find a book of b',
    );
    const { resourceTemplates } = await ask(host, 'resources/templates/list');
    const { uriTemplate } = resourceTemplates[1];
    expect(uriTemplate).toBe('standpipe://b/books://{shelf}/{id}');
    const uri = uriTemplate.replace('{shelf}', 's').replace('{id}', '1%2F2');
    const { contents } = await ask(host, 'resources/read', { uri });
    expect(contents).toMatchObject([{ uri, text: 'b s 1/2' }]);
    await expect(ask(host, 'resources/read', { uri: 'books://s/1' })).rejects.toMatchObject({
      message: expect.stringContaining('standpipe://a/books://s/1, standpipe://b/books://s/1'),
    });
  });

  test('names of linked resources lead to the server that linked to them', async () => {
    const host = both;
    await ask(host, 'resources/list');
    const uris = ['books://all', 'books://b', 'books://a', 'books://s/1', 'https://example.com/x'];
    const { content } = await ask(host, 'tools/call', { name: 'b__links', arguments: { uris } });
    const expected = [
      'standpipe://b/books://all',
      'books://b',
      'standpipe://b/books://a',
      'standpipe://b/books://s/1',
      'https://example.com/x',
    ];
    expect(content.slice(0, 5)).toMatchObject(expected.map((uri) => ({ uri, 'com.example/unknown': 1 })));
    expect(content.slice(5)).toMatchObject(expected.map((uri) => ({ resource: { uri, text: 'x' } })));
    const { contents } = await ask(host, 'resources/read', { uri: expected[0]! });
    expect(contents).toMatchObject([{ uri: expected[0], text: 'all of b' }]);
  });
});

test('entries are passed unchanged except for the name', async () => {
  const host = both;
  for (const [method, member, key] of [
    ['tools/list', 'tools', 'name'],
    ['prompts/list', 'prompts', 'name'],
    ['resources/list', 'resources', 'uri'],
    ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ] as const) {
    const own = await Promise.resolve(host.service('b').request(method, {}, new TestCaller()));
    const all = await ask(host, method);
    const ofB = all[member].filter(({ _meta }: { _meta: Params }) => {
      return (_meta['dev.standpipe/offer'] as Params).server === 'b';
    });
    const restored = ofB.map(({ _meta, ...entry }: { _meta: Params }) => {
      const { 'dev.standpipe/offer': offer, ...meta } = _meta;
      return { ...entry, [key]: (offer as Params).name, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    });
    expect(restored).toEqual(own[member]);
  }
});

describe('a call that names its server', () => {
  test('starts no other server and sends it no request', async () => {
    const host = await openHost({ a: library('a'), b: library('b'), broken });
    for (const name of ['a__pid', 'a/pid']) expect(Number(await textOf(host, name))).toBeGreaterThan(0);
    expect(host.status().map(({ state }) => state)).toEqual(['ready', 'stopped', 'stopped']);
  });

  test('does not wait for a server that is starting', async () => {
    const host = await openHost({ a: library('a'), b: library('b', { READY_FILE: newFile() }) });
    const starting = host.startServer('b').catch(() => undefined); // it never becomes ready
    await until('b starts', () => stateOf(host, 'b') === 'starting');
    expect(Number(await textOf(host, 'a__pid'))).toBeGreaterThan(0);
    await host.stopServer('b');
    await starting;
  });
});

test('a call of 2026-07-28 over HTTP lists only the tools of its own server to check the headers', async () => {
  const clock = new ManualClock(); // does not advance, so that a wait for the other server would never end
  const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const host = await openHost({ silent, a: library('a') }, { clock });
  const { url, token, close } = await serveHttp(host.service());
  const starting = host.startServer('silent').catch(() => undefined); // it never becomes ready
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...modernHeaders('tools/call', 'a__pid'),
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'a__pid', _meta: modernMeta },
    }),
  });
  expect(await response.json()).toMatchObject({ result: { content: [{ text: expect.any(String) }] } });
  expect(stateOf(host, 'silent')).toBe('starting');
  await close();
  await host.stopServer('silent');
  await starting;
});

describe('a merged list', () => {
  test('comes from the cache until the server announces a change or has another process', async () => {
    const notes = { command: process.execPath, args: [serverFile('notes')], env: { OWN: 'a' }, era: 'legacy' };
    const host = await openHost({ a: notes });
    await host.start();
    const read = () => ask(host, 'prompts/list');
    await read();
    await read();
    await until('a list from memory', async () => {
      const before = asked(host, 'a', 'prompts/list');
      await read();
      return asked(host, 'a', 'prompts/list') === before;
    });
    await ask(host, 'tools/list');
    await ask(host, 'tools/call', { name: 'a__declare' });
    await until('the new tool is listed', async () => namesOf(await ask(host, 'tools/list')).includes('a__declared'));
    await host.restartServer('a');
    await until('it is gone', async () => !namesOf(await ask(host, 'tools/list')).includes('a__declared'));
  });

  test('omits and names a server that is not ready in time, and is announced again when it is ready', async () => {
    const clock = new ManualClock();
    const READY_FILE = newFile();
    const host = await openHost({ a: library('a'), b: library('b', { READY_FILE }) }, { clock });
    const watcher = new TestWatcher({ toolsListChanged: true });
    await host.service().watch(watcher);
    await host.startServer('a');
    let list: Result | undefined;
    void ask(host, 'tools/list').then((result) => {
      list = result;
    });
    await until('the list is answered', () => {
      if (stateOf(host, 'b') === 'starting') clock.advance(1_000);
      return list !== undefined;
    });
    expect(namesOf(list!).every((name) => name.startsWith('a__'))).toBe(true);
    expect(list).toMatchObject({
      _meta: { 'dev.standpipe/failed': [{ server: 'b', error: { code: 'SERVER_NOT_READY' } }] },
    });
    const heard = watcher.heard.length;
    writeFileSync(READY_FILE, '');
    await until('the change is announced', () => watcher.heard.length > heard);
    await until('b is listed', async () => namesOf(await ask(host, 'tools/list')).includes('b__pid'));
  });

  test('omits a server that failed or was stopped, and watchers are notified', async () => {
    const host = await openHost({ a: library('a'), b: library('b'), broken });
    const watcher = new TestWatcher({ toolsListChanged: true, logs: 'error' });
    await host.service().watch(watcher);
    await host.start();
    await watcher.until(() => watcher.heard.some(({ method }) => method === 'notifications/message'));
    expect(watcher.heard).toContainEqual({
      method: 'notifications/message',
      params: {
        level: 'error',
        logger: 'standpipe',
        data: expect.stringContaining('Server "broken" is not available'),
      },
    });
    const { instructions } = await host.service().describe();
    expect(instructions).toContain('Server "broken" is not available');
    expect(instructions).toContain('The library of b');
    await ask(host, 'tools/list');
    const heard = watcher.heard.length;
    await host.stopServer('b');
    await watcher.until(() => watcher.heard.length > heard);
    const list = await ask(host, 'tools/list');
    expect(namesOf(list).every((name) => name.startsWith('a__'))).toBe(true);
    expect(list._meta['dev.standpipe/failed']).toMatchObject([{ server: 'b' }, { server: 'broken' }]);
  });

  test('is announced by the next process of a server that had ended its notifications', async () => {
    const entry = { command: process.execPath, args: [serverFile('ends-subscriptions')], era: 'modern' };
    const host = await openHost({ a: entry });
    await host.start();
    const watcher = new TestWatcher({ toolsListChanged: true });
    await host.service().watch(watcher);
    let ended = false;
    await host.service('a').watch({
      filter: { toolsListChanged: true },
      notified: () => undefined,
      ended: () => {
        ended = true;
      },
    });
    await ask(host, 'tools/call', { name: 'a__end' });
    await until('the server has ended them', () => ended);
    const heard = watcher.heard.length;
    await host.restartServer('a');
    await watcher.until(() => watcher.heard.length > heard);
  });

  test('the lists of other servers are watched even if one server does not answer subscriptions/listen', async () => {
    const clock = new ManualClock();
    const code = `
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } };
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'server/discover') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    const silent = { command: process.execPath, args: ['-e', code], era: 'modern' };
    const notes = { command: process.execPath, args: [serverFile('notes')], env: { OWN: 'a' }, era: 'legacy' };
    const host = await openHost({ silent, a: notes }, { clock });
    await host.start();
    const watcher = new TestWatcher({ toolsListChanged: true });
    let begun = false;
    void host
      .service()
      .watch(watcher)
      .then(() => {
        begun = true;
      });
    await until('the watch has begun', () => {
      clock.advance(1_000);
      return begun;
    });
    await ask(host, 'tools/call', { name: 'a__declare' });
    await watcher.until(() => watcher.heard.length > 0);
  });

  test('contains the skills of other servers even if one server sends pages endlessly', async () => {
    const clock = new ManualClock();
    const serve = (answer: string) => ({
      command: process.execPath,
      args: [
        '-e',
        `const extensions = { 'io.modelcontextprotocol/skills': {} };
        const facts = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { extensions } };
        require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
          const { id, method } = JSON.parse(line);
          const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
          if (method === 'server/discover') send(facts);
          if (method === 'skills/list') ${answer};
        });`,
      ],
      era: 'modern',
    });
    const page = `send({ resultType: 'complete', skills: [], nextCursor: String(id) })`;
    const endless = serve(`setTimeout(() => ${page}, 100)`);
    const quick = serve(`send({ resultType: 'complete', skills: [{ uri: 'skill://a/SKILL.md' }] })`);
    const host = await openHost({ endless, quick }, { clock });
    await host.start();
    let listed: Result | undefined;
    void ask(host, 'skills/list').then((result) => {
      listed = result;
    });
    await until('the list is answered', () => {
      clock.advance(1_000);
      return listed !== undefined;
    });
    expect(listed).toMatchObject({
      skills: [{ uri: 'skill://quick/a/SKILL.md' }],
      _meta: { 'dev.standpipe/failed': [{ server: 'endless', error: { code: 'SERVER_NOT_READY' } }] },
    });
  });

  test('follows a reload', async () => {
    const host = await openHost({ a: library('a'), b: library('b') });
    await ask(host, 'tools/list');
    await host.reload(await loadConfig({ file: writeConfig({ b: { ...library('b'), tools: { allow: ['pid'] } } }) }));
    expect(namesOf(await ask(host, 'tools/list'))).toEqual(['b__pid']);
    await expect(ask(host, 'tools/call', { name: 'a__pid' })).rejects.toMatchObject({ rpcCode: -32602 });
  });
});
