// Apps and skills through a host and its gateway: a single server, several servers as one, and a principal whose token limits its tools.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import { tokens } from '../../src/host/gateway/access/tokens.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { getSkill, listSkills, readSkillFile } from '../../src/mcp/extensions/skills/skill-reader.ts';
import { fixtureServer } from '../fixtures/extensions/servers.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const folder = temporaryFolder('extensions');
let runs = 0;
/** Options of a client that shows apps. */
const shows = {
  capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
};

/** `endsOnce`: the first request of this method ends the process of each server. */
async function gateway(allowed?: string[], entry: object = {}, endsOnce = '') {
  const run = String(++runs);
  const journals = ['one two', 'shop'].map((name) => join(folder, `${run} ${name}.txt`)) as [string, string];
  for (const journal of journals) writeFileSync(journal, '');
  const server = (journal: string) => ({ ...fixtureServer, args: [...fixtureServer.args, journal, endsOnce] });
  const [one, shop] = journals.map((journal) => ({ ...server(journal), ...entry }));
  const mcpServers = { 'one two': one!, shop: shop! };
  const host = new Host({ mcpServers });
  closing.push(() => host.stop());
  await host.start();
  const file = join(folder, `${run}.json`);
  const token = await addToken(file, { name: 'someone', ...(allowed && { tools: allowed }) });
  const serving = await serveHttp((name) => host.service(name), { auth: tokens(file) });
  closing.push(() => serving.close());
  const open = async (path: string, options: ClientOptions = {}) => {
    const client = await connect({ url: serving.url + path, headers: { authorization: `Bearer ${token}` } }, options);
    closing.push(() => client.close());
    return client;
  };
  /** Number of requests of this method to the server `shop`. */
  const asked = (method: string) =>
    readFileSync(journals[1], 'utf8')
      .split('\n')
      .filter((line) => line === method).length;
  return { open, asked };
}

const VIEW = 'ui://clock/view.html';
const SKILL = 'skill://refunds/SKILL.md';

describe('one server behind a gateway', () => {
  test('has its own URIs', async () => {
    const client = await (await gateway()).open('/shop', shows);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'clock')?._meta).toMatchObject({ ui: { resourceUri: VIEW } });
    expect((await client.readResource(VIEW)).contents[0]).toMatchObject({
      uri: VIEW,
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: { connectDomains: ['https://time.example'] } } },
    });
    expect(await listSkills(client)).toMatchObject([{ uri: SKILL }]);
  });
});

describe('the servers at /mcp', () => {
  test('list each view under its scheme with the server, and read it', async () => {
    const client = await (await gateway()).open('');
    expect(client.server.capabilities.extensions).toEqual({
      'io.modelcontextprotocol/ui': {},
      'io.modelcontextprotocol/skills': { directoryRead: true },
    });
    const { tools } = await client.listTools();
    const shown = tools.flatMap(({ name, _meta }) => (name.endsWith('__clock') ? [_meta] : []));
    expect(shown).toMatchObject([
      { ui: { resourceUri: 'ui://one%20two/clock/view.html' }, 'ui/resourceUri': 'ui://one%20two/clock/view.html' },
      { ui: { resourceUri: 'ui://shop/clock/view.html' } },
    ]);
    for (const uri of [
      'ui://one%20two/clock/view.html',
      'ui://shop/clock/view.html',
      'ui://shop/clock/unlisted.html',
    ]) {
      expect((await client.readResource(uri)).contents).toMatchObject([
        { uri, text: expect.stringContaining('<!doctype html>') },
      ]);
    }
    const { content } = await client.callTool('shop__clock', {});
    expect(content).toMatchObject([{ type: 'text' }, { type: 'resource_link', uri: 'ui://shop/clock/view.html' }]);
  });

  test('list the skills of all servers, whose digests stay valid', async () => {
    const client = await (await gateway()).open('');
    const listed = await listSkills(client);
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://one%20two/refunds/SKILL.md',
      'skill://shop/refunds/SKILL.md',
    ]);
    for (const skill of listed) {
      expect(await getSkill(client, skill.uri)).toEqual(skill);
      for (const { uri } of skill.resources as { uri: string }[]) await readSkillFile(client, skill, uri);
    }
    const directory = await client.request('resources/directory/read', { uri: 'skill://shop/refunds' });
    expect(directory.resources).toMatchObject([
      { uri: 'skill://shop/refunds/SKILL.md' },
      { uri: 'skill://shop/refunds/more' },
    ]);
    await expect(getSkill(client, 'skill://shop/other/SKILL.md')).rejects.toMatchObject({ rpcCode: -32602 });
  });
});

describe('a principal that may not use a tool', () => {
  const views = [
    ['/shop', VIEW, 'ui://clock/shared.html', 'ui://clock/unlisted.html'],
    ['', 'ui://shop/clock/view.html', 'ui://shop/clock/shared.html', 'ui://shop/clock/unlisted.html'],
  ] as const;
  const allowed = ['shop/time', 'shop/change', 'shop/late', 'one two/*'];
  const notFound = { message: expect.stringContaining('not found') };

  test.each(views)(
    'cannot read the view of the tool, but those of other tools, at "%s"',
    async (path, hidden, shared) => {
      for (const declared of [{}, shows]) {
        const client = await (await gateway(allowed)).open(path, declared);
        await expect(client.readResource(hidden)).rejects.toMatchObject(notFound);
        expect((await client.readResource(shared)).contents).toHaveLength(1);
        const [skill] = await listSkills(client);
        expect(await readSkillFile(client, skill!)).not.toHaveLength(0);
      }
    },
  );

  test.each(views.flatMap((each) => (['2025-11-25', '2026-07-28'] as const).map((revision) => ({ revision, each }))))(
    'lists the tools of a server of $revision once per change while it reads views: $each',
    async ({ revision, each: [path, hidden, shared, late] }) => {
      const { open, asked } = await gateway(allowed, { revision });
      const client = await open(path, shows);
      const read = async () => {
        for (let times = 0; times < 3; times++) {
          await expect(client.readResource(hidden)).rejects.toMatchObject(notFound);
          await client.readResource(shared);
        }
      };
      await read();
      const before = asked('tools/list'); // the capabilities of the client may have restarted an unused process
      await read();
      await expect(client.readResource(late)).rejects.toMatchObject(notFound);
      expect(asked('tools/list')).toBe(before);
      await client.callTool(path === '' ? 'shop__change' : 'change', {});
      await expect.poll(() => client.readResource(late).then(() => 'read', String)).toBe('read');
      await read();
      expect(asked('tools/list')).toBe(before + 1);
    },
  );

  /** Other forms of the URI, which some parsers of URIs accept for the view. */
  const spellings = (uri: string) => {
    const rest = uri.slice('ui://'.length);
    return [`UI://${rest}`, ` ${uri}`, `u\ti://${rest}`, `${uri}\n`, uri.replace('view.html', './view.html')];
  };

  test.each(views)('cannot read the view by other forms of its URI, at "%s"', async (path, hidden) => {
    const client = await (await gateway(allowed)).open(path, shows);
    for (const uri of [...spellings(hidden), ...(path === '' ? spellings(VIEW).map((own) => `shop/${own}`) : [])]) {
      await expect(client.readResource(uri), uri).rejects.toMatchObject(notFound);
    }
  });

  /** A gateway behind the gateway accepts URIs that begin with one of its servers. */
  test.each(['', '/inner'])('cannot read the view of a server behind another gateway, at "%s"', async (path) => {
    const inner = new Host({ mcpServers: { 'one two': fixtureServer, shop: fixtureServer } });
    closing.push(() => inner.stop());
    await inner.start();
    const behind = await serveHttp((name) => inner.service(name), { token: false });
    closing.push(() => behind.close());
    const host = new Host({ mcpServers: { inner: { url: behind.url } } });
    closing.push(() => host.stop());
    await host.start();
    const file = join(folder, `nested ${++runs}.json`);
    const token = await addToken(file, { name: 'someone', tools: ['inner/shop__time'] });
    const serving = await serveHttp((name) => host.service(name), { auth: tokens(file) });
    closing.push(() => serving.close());
    const headers = { authorization: `Bearer ${token}` };
    const client = await connect({ url: serving.url + path, headers }, shows);
    closing.push(() => client.close());
    const prefix = path === '' ? 'ui://inner/' : 'ui://';
    expect((await client.readResource(`${prefix}shop/clock/shared.html`)).contents).toHaveLength(1);
    const inside = [VIEW, 'UI://clock/view.html', 'ui://shop/clock/view.html'];
    const forms = inside.flatMap((uri) => [`standpipe://shop/${uri}`, `shop/${uri}`, `one two/${uri}`]);
    for (const uri of forms.flatMap((form) => [form, `standpipe://inner/${form}`, `inner/${form}`])) {
      await expect(client.readResource(uri), uri).rejects.toMatchObject(notFound);
    }
  });

  test.each([
    ['/shop', 'ui://clock/{page}'],
    ['', 'ui://shop/clock/{page}'],
    ['', 'shop/ui://clock/{page}'],
  ])('cannot complete the names of views, at "%s": %s', async (path, uri) => {
    const argument = { name: 'page', value: '' };
    const complete = async (tools?: string[]) =>
      (await (await gateway(tools)).open(path, shows)).complete({ type: 'ref/resource', uri }, argument);
    expect((await complete()).values).toEqual(['view.html']);
    await expect(complete(allowed)).rejects.toMatchObject(notFound);
  });

  test('cannot read the view by a URI in an array', async () => {
    const client = await (await gateway(allowed)).open('/shop', { ...shows, revision: '2025-11-25' });
    await expect(client.request('resources/read', { uri: [VIEW] })).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test.each(views)('can neither list nor subscribe to the view, at "%s"', async (path, hidden, shared) => {
    const client = await (await gateway(allowed)).open(path, shows);
    const { resources } = await client.listResources();
    const listed = resources.map(({ uri }) => uri);
    expect(listed).toContain(shared);
    expect(listed).not.toContain(hidden);
    await expect(client.subscribe(hidden, () => undefined)).rejects.toMatchObject(notFound);
  });

  test.each(['/one%20two', ''])(
    'can neither list nor subscribe to the view if the entry denies the tool, at "%s"',
    async (path) => {
      const client = await (await gateway(undefined, { tools: { deny: ['clock'] } })).open(path, shows);
      const { resources } = await client.listResources();
      expect(resources.filter(({ uri }) => uri.endsWith('/view.html'))).toEqual([]);
      expect(resources.filter(({ uri }) => uri.endsWith('/shared.html'))).not.toEqual([]);
      const hidden = path === '' ? 'ui://one%20two/clock/view.html' : VIEW;
      await expect(client.subscribe(hidden, () => undefined)).rejects.toMatchObject(notFound);
    },
  );

  test('cannot read the view if the entry denies the tool', async () => {
    const client = await (await gateway(undefined, { tools: { deny: ['clock'] } })).open('/one%20two');
    await expect(client.readResource(VIEW)).rejects.toMatchObject(notFound);
    expect((await client.readResource('ui://clock/shared.html')).contents).toHaveLength(1);
  });

  test('cannot read a view whose tools are denied by the entry or by the token', async () => {
    const client = await (await gateway(['one two/time', 'one two/clock'], { tools: { deny: ['time', 'date'] } })).open(
      '/one%20two',
    );
    await expect(client.readResource('ui://clock/shared.html')).rejects.toMatchObject(notFound);
    expect((await client.readResource(VIEW)).contents).toHaveLength(1);
  });

  test('cannot read the view with a process per client', async () => {
    const client = await (await gateway(['one two/time'], { share: 'client' })).open('/one%20two');
    await expect(client.readResource(VIEW)).rejects.toMatchObject(notFound);
    expect((await client.readResource('ui://clock/shared.html')).contents).toHaveLength(1);
  });
});

test('a principal that may not use a server cannot find its skills', async () => {
  const client = await (await gateway(['shop/time'])).open('');
  expect((await listSkills(client)).map(({ uri }) => uri)).toEqual(['skill://shop/refunds/SKILL.md']);
  for (const [method, uri] of [
    ['skills/get', 'skill://one%20two/refunds/SKILL.md'],
    ['resources/directory/read', 'skill://one%20two/refunds'],
    ['resources/read', 'skill://one%20two/refunds/SKILL.md'],
  ] as const) {
    await expect(client.request(method, { uri })).rejects.toMatchObject({ rpcCode: -32602 });
  }
});

describe.each([
  ['/shop', 'skill://'],
  ['', 'skill://shop/'],
])('requests about skills at "%s"', (path, scheme) => {
  test.each([
    [
      'skills/list',
      {},
      { skills: expect.arrayContaining([expect.objectContaining({ uri: `${scheme}refunds/SKILL.md` })]) },
    ],
    ['skills/get', { uri: `${scheme}refunds/SKILL.md` }, { skill: { uri: `${scheme}refunds/SKILL.md` } }],
    ['resources/directory/read', { uri: `${scheme}refunds` }, { resources: [{ name: 'SKILL.md' }, { name: 'more' }] }],
  ])('are sent again to the next process of a server that exited: %s', async (method, params, result) => {
    const { open, asked } = await gateway(undefined, {}, method);
    const client = await open(path);
    expect(await client.request(method, params)).toMatchObject(result);
    expect(asked(method)).toBe(2);
  });
});
