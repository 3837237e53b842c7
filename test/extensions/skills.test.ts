// Skills (SEP-2640): our server with our client, and each with the official SDK.

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as OfficialClient } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { readSkills } from '../../src/connect/skill-folder.ts';
import { frontmatterProblem } from '../../src/mcp/extensions/skills/frontmatter.ts';
import { skillProblems } from '../../src/mcp/extensions/skills/skill.ts';
import { getSkill, listSkills, readSkillFile } from '../../src/mcp/extensions/skills/skill-reader.ts';
import { type SkillSource, skills } from '../../src/mcp/extensions/skills/skills.ts';
import { nameInHeader } from '../../src/mcp/methods.ts';
import { Server, type ServerOptions } from '../../src/mcp/server/server.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const refunds: SkillSource = {
  path: 'acme/billing/refunds',
  frontmatter: { name: 'refunds', description: 'How to refund' },
  files: {
    'SKILL.md': '---\nname: refunds\ndescription: How to refund\n---\nSee examples/ü.md',
    'examples/ü.md': 'Grüße',
    'logo.png': Uint8Array.from([0x89, 0x50, 0xff, 0x00]),
  },
};
const skill = { uri: 'skill://refunds/SKILL.md', frontmatter: refunds.frontmatter, resources: 'dynamic' as const };
const ROOT = 'skill://acme/billing/refunds';

async function serving(sources: readonly SkillSource[], options: ServerOptions = {}) {
  const server = new Server({ name: 'skilled', version: '1' }, { ...options, extensions: [skills(sources)] });
  const [here, there] = memoryPair();
  await server.connect(there);
  return { server, here };
}

async function client(sources: readonly SkillSource[] = [refunds]) {
  const { here } = await serving(sources);
  const connected = await connect(here);
  closing.push(() => connected.close());
  return connected;
}

describe('a server with skills', () => {
  test('declares the extension and resources', async () => {
    const { server } = await client();
    expect(server.capabilities).toMatchObject({
      resources: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
  });

  test('lists each skill with all files, and the results carry cache hints', async () => {
    const connected = await client();
    const listed = await connected.request('skills/list', {});
    expect(listed).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number), cacheScope: expect.any(String) });
    const [skill] = await listSkills(connected);
    expect(skill).toMatchObject({ uri: `${ROOT}/SKILL.md`, frontmatter: refunds.frontmatter });
    expect((skill!.resources as { uri: string; size: number }[]).map(({ uri, size }) => [uri, size])).toEqual([
      [`${ROOT}/SKILL.md`, 67],
      [`${ROOT}/examples/%C3%BC.md`, 7],
      [`${ROOT}/logo.png`, 4],
    ]);
  });

  test('lists its SKILL.md files as resources', async () => {
    const { resources } = await (await client()).listResources();
    expect(resources).toEqual([
      { uri: `${ROOT}/SKILL.md`, name: 'refunds', description: 'How to refund', mimeType: 'text/markdown' },
    ]);
  });

  test('answers other methods of resources as a server with resources', async () => {
    const connected = await client();
    await expect(connected.readResource('mem://x')).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(connected.request('resources/list', { cursor: 'x' })).rejects.toMatchObject({ rpcCode: -32602 });
    expect(await connected.request('resources/templates/list', {})).toMatchObject({ resourceTemplates: [] });
  });

  test('reads directories at each depth, and refuses other URIs with -32602', async () => {
    const connected = await client();
    const read = (uri: string) => connected.request('resources/directory/read', { uri });
    expect(await read(ROOT)).toMatchObject({
      resources: [
        { uri: `${ROOT}/SKILL.md`, name: 'SKILL.md', mimeType: 'text/markdown' },
        { uri: `${ROOT}/examples`, name: 'examples', mimeType: 'inode/directory' },
        { uri: `${ROOT}/logo.png`, name: 'logo.png', mimeType: 'image/png' },
      ],
    });
    expect(await read('skill://acme')).toMatchObject({ resources: [{ uri: 'skill://acme/billing' }] });
    for (const uri of [`${ROOT}/SKILL.md`, `${ROOT}/`, 'skill://other', 'skill:/']) {
      await expect(read(uri)).rejects.toMatchObject({ rpcCode: -32602 });
    }
    await expect(connected.request('skills/get', { uri: ROOT })).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('lists the files of a nested skill in the outer skill too', async () => {
    const nested = { ...refunds, path: 'outer/inner/refunds' };
    const outer = { path: 'outer', frontmatter: { name: 'outer', description: 'x' }, files: { 'SKILL.md': 'x' } };
    const [first, second] = await listSkills(await client([outer, nested]));
    expect(first!.resources).toHaveLength(4);
    expect(second!.resources).toHaveLength(3);
  });

  test.each([
    ['a name that differs from its folder', { ...refunds, path: 'acme/returns' }],
    ['no SKILL.md', { ...refunds, files: { 'README.md': 'x' } }],
  ])('refuses a skill with %s', async (_what, source) => {
    await expect((await client([source])).request('skills/list', {})).rejects.toMatchObject({ rpcCode: -32603 });
  });
});

test('Mcp-Name does not repeat the URI of a skill: the specification names no such header', () => {
  expect(['skills/get', 'resources/directory/read', 'resources/read'].map(nameInHeader)).toEqual([
    undefined,
    undefined,
    'uri',
  ]);
});

describe('reading a file of a skill', () => {
  test('returns the bytes of text and of binary files', async () => {
    const connected = await client();
    const skill = await getSkill(connected, `${ROOT}/SKILL.md`);
    expect(new TextDecoder().decode(await readSkillFile(connected, skill))).toBe(refunds.files['SKILL.md']);
    expect(await readSkillFile(connected, skill, `${ROOT}/logo.png`)).toEqual(refunds.files['logo.png']);
  });

  test.each([
    ['is not listed', `${ROOT}/other.md`, (each: object) => each],
    ['has another size', `${ROOT}/SKILL.md`, (each: object) => ({ ...each, size: 66 })],
    ['has another digest', `${ROOT}/SKILL.md`, (each: object) => ({ ...each, digest: `sha256:${'0'.repeat(64)}` })],
  ])('rejects a file that %s', async (_what, uri, change) => {
    const connected = await client();
    const skill = await getSkill(connected, `${ROOT}/SKILL.md`);
    const changed = { ...skill, resources: (skill.resources as object[]).map(change) } as typeof skill;
    await expect(readSkillFile(connected, changed, uri)).rejects.toMatchObject({ code: 'RESULT_INVALID' });
  });
});

describe('the SKILL.md of a skill', () => {
  const served = async (file: string, frontmatter: object) => {
    const source = { path: 'refunds', frontmatter, files: { 'SKILL.md': file } } as SkillSource;
    const connected = await client([source]);
    const [skill] = await listSkills(connected);
    return readSkillFile(connected, skill!);
  };
  const entry = { name: 'refunds', description: 'How', metadata: { version: '1', tags: ['a', 'b'] } };

  test('is read if it has the frontmatter of the entry, in any order and as YAML 1.1 or 1.2', async () => {
    const file = '---\r\nmetadata:\r\n  tags: [a, b]\r\n  version: "1"\r\ndescription: How\r\nname: refunds\r\n---\r\n';
    expect(await served(file, entry)).toHaveLength(file.length);
    for (const ready of [true, 'yes']) {
      const text = '---\nname: refunds\ndescription: How\nready: yes\n---\n';
      expect(await served(text, { name: 'refunds', description: 'How', ready })).toHaveLength(text.length);
    }
  });

  test.each([
    [
      'js-yaml',
      {
        ready: 'yes',
        day: '2025-01-02T00:00:00.000Z',
        at: '2001-12-15T02:59:43.100Z',
        naive: '2001-12-14T21:59:43.000Z',
        count: 1000,
        mode: 12,
        merged: { a: 1, b: 'on' },
      },
    ],
    [
      'PyYAML',
      {
        ready: true,
        day: '2025-01-02',
        at: '2001-12-14T21:59:43.100000-05:00',
        naive: '2001-12-14T21:59:43',
        count: '1e3',
        mode: '0o14',
        merged: { a: 1, b: true },
      },
    ],
    [
      'a parser without merge keys',
      {
        ready: 'yes',
        day: '2025-01-02',
        at: '2001-12-14 21:59:43.10 -5',
        naive: '2001-12-14 21:59:43',
        count: 1000,
        mode: 12,
        merged: { '<<': { a: 1 }, b: 'on' },
      },
    ],
  ])('is read if the server parses it with %s', async (_parser, parsed) => {
    const yaml =
      'ready: yes\nday: 2025-01-02\nat: 2001-12-14 21:59:43.10 -5\nnaive: 2001-12-14 21:59:43\ncount: 1e3\nmode: 0o14\nmerged:\n  <<: {a: 1}\n  b: on';
    const file = `---\nname: refunds\ndescription: How\n${yaml}\n---\n`;
    expect(await served(file, { name: 'refunds', description: 'How', ...parsed })).toHaveLength(file.length);
  });

  test.each([
    ['another time', '---\nname: refunds\ndescription: How\nday: 2025-01-02\n---\n', { day: '2025-01-03' }],
    ['another text', '---\nname: refunds\ndescription: How\nready: yes\n---\n', { ready: 'true' }],
    ['a list instead of a text', '---\nname: refunds\ndescription: How\ntags: [a]\n---\n', { tags: 'a' }],
    ['more items', '---\nname: refunds\ndescription: How\ntags: [a]\n---\n', { tags: ['a', 'b'] }],
  ])('is refused if the entry has %s', async (_what, file, parsed) => {
    const refused = { code: 'RESULT_INVALID', message: expect.stringContaining('has the frontmatter') };
    await expect(served(file, { name: 'refunds', description: 'How', ...parsed })).rejects.toMatchObject(refused);
  });

  test.each([
    ['another value', '---\nname: refunds\ndescription: Why\n---\n', 'has the frontmatter'],
    ['a field less', '---\nname: refunds\ndescription: How\n---\n', 'has the frontmatter'],
    ['no frontmatter', '# Refunds\n', 'does not begin with YAML'],
    ['invalid YAML', '---\nname: [\n---\n', 'not valid YAML'],
    ['deep YAML', `---\nname: ${'['.repeat(10_000)}\n---\n`, 'too large'],
    ['long YAML', `---\nname: ${'x'.repeat(8 * 1024)}\n---\n`, 'too large'],
    ['a list as key', '---\n[name]: refunds\n---\n', 'with a key that is a list'],
    ['an object as key', '---\nname: refunds\nmore: [{ ? { a: 1 } : b }]\n---\n', 'with a key that is a list'],
    ['an alias as key', '---\nname: &name refunds\n*name : b\n---\n', 'with a key that is a list'],
    ['two documents', '---\nname: refunds\n...\nname: b\n---\n', 'not valid YAML'],
  ])('is refused with %s', async (_what, file, reason) => {
    const refused = { code: 'RESULT_INVALID', message: expect.stringContaining(reason) };
    await expect(served(file, entry)).rejects.toMatchObject(refused);
  });
});

test.each([
  ['an unknown directive', '%FOO \u001b]0;OWNED\u0007\u001b[31m\n---\nname: refunds'],
  ['a list as key', '["\u001b[31m"]: refunds'],
  ['an unknown tag', 'name: !<\u001b]0;OWNED\u0007> refunds'],
])('YAML with %s writes no warning to the terminal', async (_what, yaml) => {
  const warnings: unknown[] = [];
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(warning));
  closing.push(async () => emitWarning.mockRestore());
  await frontmatterProblem(new TextEncoder().encode(`---\n${yaml}\n---\n`), skill);
  expect(warnings).toEqual([]);
});

test('frontmatter of 8,192 characters is compared', async () => {
  const yaml = `description: ${'x'.repeat(8192 - 'description: '.length)}`;
  const problem = await frontmatterProblem(new TextEncoder().encode(`---\n${yaml}\n---\n`), skill);
  expect(problem).toContain('has the frontmatter');
});

const digest = `sha256:${'0'.repeat(64)}`;

test.each(['../../.profile', 'more/../../a', '%2e%2E/a', 'a%2f..%2fb', 'a%5C..%5Cb', '..\\b', 'a/..'])(
  'an entry with the file %s is refused: a program that writes the files would leave the directory of the skill',
  (file) => {
    const of = (own: string) => [skill.uri, `skill://refunds/${own}`].map((uri) => ({ uri, digest, size: 1 }));
    expect(skillProblems({ ...skill, resources: of(file) })).toEqual([expect.stringContaining('not in its directory')]);
    expect(skillProblems({ ...skill, resources: of('more/..a/b..c/...') })).toEqual([]);
  },
);

test.each(['..', '.', '../../etc', 'a/b', 'a\\b'])('a skill named %j is refused', (name) => {
  const uri = `skill://x/${encodeURIComponent(name)}/SKILL.md`;
  const problems = skillProblems({ uri, frontmatter: { name, description: 'How' }, resources: 'dynamic' });
  expect(problems).toEqual([expect.stringContaining('is not one of a directory')]);
});

describe('readSkills', () => {
  test('reads each folder with a SKILL.md, at any depth, and follows no link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skills é '));
    closing.push(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'team/refunds/examples'), { recursive: true });
    await writeFile(join(folder, 'README.md'), 'not a skill');
    await writeFile(
      join(folder, 'team/refunds/SKILL.md'),
      '---\nname: refunds\ndescription: How\nlicense: MIT\n---\n# R',
    );
    await writeFile(join(folder, 'team/refunds/examples/mail.bin'), Uint8Array.from([0xff, 0xfe]));
    await symlink(join(folder, 'README.md'), join(folder, 'team/refunds/link.md'));
    await mkdir(join(folder, 'team/refunds/.git/hidden'), { recursive: true });
    await writeFile(join(folder, 'team/refunds/.git/hidden/SKILL.md'), 'hidden');
    await writeFile(join(folder, 'team/refunds/.env'), 'TOKEN=secret');
    expect(await readSkills(folder)).toEqual([
      {
        path: 'team/refunds',
        frontmatter: { name: 'refunds', description: 'How', license: 'MIT' },
        files: {
          'SKILL.md': '---\nname: refunds\ndescription: How\nlicense: MIT\n---\n# R',
          'examples/mail.bin': Buffer.from([0xff, 0xfe]),
        },
      },
    ]);
  });
});

test('a SKILL.md with a byte order mark is read, and keeps its bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skills '));
  closing.push(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'refunds'));
  const file = '\uFEFF---\r\nname: refunds\r\ndescription: How\r\n---\r\n';
  await writeFile(join(folder, 'refunds/SKILL.md'), file);
  const sources = await readSkills(folder);
  expect(sources).toMatchObject([
    { frontmatter: { name: 'refunds', description: 'How' }, files: { 'SKILL.md': file } },
  ]);
  const connected = await client(sources);
  const [skill] = await listSkills(connected);
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readSkillFile(connected, skill!))).toBe(file);
});

describe('readSkills refuses', () => {
  const folderWith = async (file: string, content: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'skills '));
    closing.push(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a/SKILL.md'), '---\nname: a\ndescription: A\n---\n');
    await writeFile(join(folder, 'a', file), content);
    return folder;
  };

  test.each([
    ['YAML that is nested too deeply', 'SKILL.md', `---\na: ${'['.repeat(3_000)}\n---\n`, 'nested too deeply'],
    ['YAML that cannot be parsed', 'SKILL.md', '---\na: [\n---\n', 'cannot be read'],
    ['more bytes than a skill may have', 'large.txt', 'x'.repeat(16 * 1024 * 1024), '16777216 bytes'],
  ])('%s', async (_, file, content, message) => {
    const folder = await folderWith(file, content);
    for (const _each of [1, 2]) {
      await expect(readSkills(folder)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      });
    }
  });

  test('no files because of their names', async () => {
    const [skill] = await readSkills(await folderWith('__proto__', 'x'));
    expect(Object.keys(skill!.files)).toEqual(['SKILL.md', '__proto__']);
  });
});

test.each(['constructor', 'toString', '__proto__'])('the method %s is unknown', async (method) => {
  const { here } = await serving([refunds]);
  const client = await connect(here);
  closing.push(() => client.close());
  await expect(client.request(method)).rejects.toMatchObject({ rpcCode: -32601 });
});

describe('with the official SDK', () => {
  test('its client verifies the skills of our server', async () => {
    const { here } = await serving([refunds]);
    const official = new OfficialClient({ name: 'official', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await official.connect(here as never);
    closing.push(() => official.close());
    const reader = new SkillsClient(official);
    const { skills: listed } = await reader.list();
    expect(listed).toHaveLength(1);
    expect(await reader.read(listed[0]!)).toMatchObject({ verified: true, body: 'See examples/ü.md' });
    expect(await reader.read(listed[0]!, 'examples/ü.md')).toMatchObject({ verified: true, text: 'Grüße' });
    expect((await reader.readDirectory(ROOT)).resources).toHaveLength(3);
    expect((await reader.get(`${ROOT}/SKILL.md`)).skill).toEqual(listed[0]);
  });

  test('our client verifies the skills of its server', async () => {
    const files = { 'refunds/SKILL.md': refunds.files['SKILL.md']!, 'refunds/a/b.md': 'deep' };
    const official = new McpServer({ name: 'official', version: '1' });
    (await SkillCatalog.load(memorySkillFiles(files))).attach(official);
    const [here, there] = memoryPair();
    await official.connect(there as never);
    const connected = await connect(here);
    closing.push(() => connected.close());
    const [skill] = await listSkills(connected);
    expect(skill).toMatchObject({ uri: 'skill://refunds/SKILL.md', frontmatter: refunds.frontmatter });
    const deep = await readSkillFile(connected, skill!, 'skill://refunds/a/b.md');
    expect(new TextDecoder().decode(deep)).toBe('deep');
  });
});
