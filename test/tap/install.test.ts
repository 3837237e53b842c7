// Installs taps in a host's config and removes them without a trace.

import { existsSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { unwrapText, wrapText } from '../../src/config/wrap/wrap-servers.ts';
import { type Wrapper, wrappers } from '../../src/config/wrap/wrapped-entry.ts';
import { type InstallOptions, installTap, uninstallTap } from '../../src/observe/tap/install.ts';
import { parseTapArguments } from '../../src/observe/tap/tap-arguments.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { lacks } from '../fixtures/windows.ts';

const folder = temporaryFolder('install');
let files = 0;

function configFile(text: string, extension = 'json'): string {
  const file = join(folder, `config-${++files}.${extension}`);
  writeFileSync(file, text, { mode: 0o640 });
  return file;
}
/** The path of a recording, as JSON. */
const recording = (name: string) => JSON.stringify(join(folder, `${name}.jsonl`));
const read = (file: string) => readFileSync(file, 'utf8');

const typical = `{
  // my servers
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": [
        "-y", // yes
        "@modelcontextprotocol/server-filesystem",
        "/home/me"
      ],
      "env": { "API_KEY": "x", "LOG": "info" }
    },
    "bare": { "command": "my-server" }, /* no arguments */
    "empty": {"command":"other","args":[ ]},
    "remote": { "url": "https://example.org/mcp" },
  },
  "other": [1, 2,   3]
}
`;

test('every command runs through a tap, and nothing else changes', async () => {
  const file = configFile(typical);
  const { servers, backup } = await installTap(file, { recordFolder: folder });
  expect(servers).toEqual([
    { name: 'files', outcome: 'done' },
    { name: 'bare', outcome: 'done' },
    { name: 'empty', outcome: 'done' },
    { name: 'remote', outcome: 'not-a-command' },
  ]);
  expect(read(backup!)).toBe(typical);
  expect(read(file)).toBe(`{
  // my servers
  "mcpServers": {
    "files": {
      "command": "standpipe",
      "args": [
        "tap", "--name", "files", "--record", ${recording('files')}, "--mask-env", "API_KEY,LOG", "--", "npx",
        "-y", // yes
        "@modelcontextprotocol/server-filesystem",
        "/home/me"
      ],
      "env": { "API_KEY": "x", "LOG": "info" }
    },
    "bare": { "command": "standpipe", "args": ["tap", "--name", "bare", "--record", ${recording('bare')}, "--", "my-server"] }, /* no arguments */
    "empty": {"command":"standpipe","args":["tap", "--name", "empty", "--record", ${recording('empty')}, "--", "other" ]},
    "remote": { "url": "https://example.org/mcp" },
  },
  "other": [1, 2,   3]
}
`);
  if (!lacks.fileModes) expect(statSync(file).mode & 0o777).toBe(0o640);
});

test('the tap accepts the options that install writes', async () => {
  const file = configFile(typical);
  await installTap(file, { recordFolder: folder, options: ['--redact-path', '**.ssn'] });
  const { command, args } = parse(read(file)).mcpServers.files;
  expect([command, args[0]]).toEqual(['standpipe', 'tap']);
  expect(parseTapArguments(args.slice(1))).toEqual({
    name: 'files',
    record: join(folder, 'files.jsonl'),
    maskEnv: ['API_KEY', 'LOG'],
    redactPaths: ['**.ssn'],
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/me'],
  });
});

test('a URL in place of a command is the address of a remote server', () => {
  const url = 'https://example.com/mcp';
  const expected = { record: 'x', url };
  expect(parseTapArguments(['--record', 'x', url])).toEqual(expected);
  expect(parseTapArguments([url, '--record', 'x'])).toEqual(expected);
  expect(parseTapArguments(['--record', 'x', '--url', url])).toEqual(expected);
});

test('uninstall restores the exact bytes, and removes its backup', async () => {
  const file = configFile(typical);
  const { backup } = await installTap(file);
  await uninstallTap(file);
  expect(read(file)).toBe(typical);
  expect(existsSync(backup!)).toBe(false);
});

test('both can be repeated, and limited to one server', async () => {
  const file = configFile(typical);
  await installTap(file, { servers: ['files'] });
  const once = read(file);
  expect((await installTap(file, { servers: ['files'] })).servers).toEqual([{ name: 'files', outcome: 'already' }]);
  expect(read(file)).toBe(once);
  const { backup } = await installTap(file);
  expect(read(backup!)).toBe(typical); // the backup is from before the first tap, not from the state in between
  await uninstallTap(file, { servers: ['bare', 'empty'] });
  expect(read(file)).toBe(once);
  await uninstallTap(file);
  await uninstallTap(file);
  expect(read(file)).toBe(typical);
});

test('changes made meanwhile are kept, and the backup too', async () => {
  const file = configFile(typical);
  const { backup } = await installTap(file);
  writeFileSync(file, read(file).replace('"/home/me"', '"/home/you"').replace('[1, 2,   3]', '[]'));
  await uninstallTap(file);
  expect(read(file)).toBe(typical.replace('"/home/me"', '"/home/you"').replace('[1, 2,   3]', '[]'));
  expect(read(backup!)).toBe(typical);
});

test('uninstall works without a backup, and may only leave an empty list of arguments', async () => {
  const file = configFile(typical);
  const { backup } = await installTap(file);
  rmSync(backup!);
  await uninstallTap(file);
  expect(read(file)).toBe(typical.replace('"command": "my-server" }', '"command": "my-server", "args": [] }'));
});

test('handles the format of VS Code, a byte order mark and CRLF', async () => {
  const text =
    '\uFEFF{\r\n  "servers": {\r\n    "a": {\r\n      "type": "stdio",\r\n      "command": "x"\r\n    }\r\n  }\r\n}\r\n';
  const file = configFile(text);
  await installTap(file);
  expect(read(file)).toContain('"command": "standpipe",\r\n      "args": ["tap", "--name", "a", "--", "x"]\r\n');
  await uninstallTap(file);
  expect(read(file)).toBe(text);
});

test.each([
  ['standpipe', ['tap', '--', 'x']],
  ['npx', ['-y', 'standpipe@1.2', 'tap', '--record', 'f', '--', 'x']],
  ['/usr/bin/node', ['/opt/standpipe/dist/cli/main.cjs', 'tap', '--', 'x']],
  ['node', ['C:\\standpipe\\dist\\cli\\main.cjs', 'tap', '--', 'x']],
])('detects a tap that a user wrote by hand: %s %j', async (command, args) => {
  const file = configFile(JSON.stringify({ mcpServers: { a: { command, args } } }));
  expect((await installTap(file)).servers).toEqual([{ name: 'a', outcome: 'already' }]);
  await uninstallTap(file);
  expect(JSON.parse(read(file)).mcpServers.a).toEqual({ command: 'x', args: [] });
});

test.skipIf(lacks.links)('a symbolic link to a config stays a link', async () => {
  const file = configFile(typical);
  const link = join(folder, 'link.json');
  symlinkSync(file, link);
  await installTap(link);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(read(file)).toContain('"standpipe"');
});

describe('refuses impossible changes with the reason', () => {
  test.each([
    ['CONFIG_NOT_FOUND', join(folder, 'nowhere.json'), {}],
    ['CONFIG_INVALID', configFile('{"mcpServers":\n {"a" {}}}'), {}],
    ['CONFIG_INVALID', configFile('{"mcpServer": {"a": {"command": "x"}}}'), {}],
    ['CONFIG_INVALID', configFile('{"mcpServers": {}}'), {}],
    ['NAME_UNKNOWN', configFile(typical), { servers: ['fils'] }],
    ['CONFIG_INVALID', configFile('[mcp_servers.a]\ncommand = "x"\n', 'toml'), {}],
  ] as [string, string, InstallOptions][])('%s', async (code, file, options) => {
    await expect(installTap(file, options)).rejects.toMatchObject({ code });
  });
});

const space = fc.constantFrom('', ' ', '\n', '\n    ', '\r\n\t', ' /* c, "x" */ ', ' // c\n');
const word = fc.constantFrom('"x"', '"--"', '"a\\"b"', '"\\u0041"', '"tap"', '"--name"', '""', '"ü"');
const list = fc.array(fc.tuple(space, word, space), { maxLength: 4 });
const args = fc
  .tuple(list, space, fc.boolean())
  .map(
    ([words, end, trailing]) =>
      `[${words.map((parts) => parts.join('')).join(',')}${words.length && trailing ? ',' : ''}${end}]`,
  );
const server = fc
  .tuple(space, word, space, fc.option(args, { nil: undefined }), space, fc.boolean())
  .map(([a, command, b, list, c, argsFirst]) => {
    const properties = [
      `"command":${a}${command}`,
      ...(list === undefined ? [] : [`"args":${b}${list}`]),
      '"env":{"K":"v"}',
    ];
    if (argsFirst && list !== undefined) properties.unshift(properties.splice(1, 1)[0]!);
    return `{${properties.join(`,${c}`)}${c}}`;
  });
const config = fc
  .tuple(fc.constantFrom('mcpServers', 'servers'), fc.array(server, { minLength: 1, maxLength: 3 }), space)
  .map(
    ([shape, servers, gap]) => `{"${shape}":{${servers.map((each, i) => `${gap}"s${i}":${each}`).join(',')}}}${gap}`,
  );

test('any config is restored byte for byte', () => {
  fc.assert(
    fc.property(config, (text) => {
      const words = (name: string) => ['standpipe', 'tap', '--name', name];
      const wrapped = wrapText(text, 'any.json', { wrapper: 'tap', words }).text;
      const { mcpServers, servers } = parse(wrapped, [], { allowTrailingComma: true });
      const original = parse(text, [], { allowTrailingComma: true });
      for (const [name, before] of Object.entries<{ command: string; args?: string[] }>(
        original.mcpServers ?? original.servers,
      )) {
        const after = (mcpServers ?? servers)[name];
        const expected = [...words(name), '--', before.command, ...(before.args ?? [])];
        expect([after.command, ...after.args]).toEqual(expected);
      }
      expect(unwrapText(wrapped, 'any.json', [text], { wrapper: 'tap' }).text).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('taps and shares can be removed in any order, byte for byte', () => {
  const step = fc.constantFrom('tap', 'connect');
  fc.assert(
    fc.property(config, fc.array(step, { maxLength: 4 }), fc.boolean(), (text, steps, tapFirst) => {
      const words = (wrapper: Wrapper) => (name: string) => ['npx', '-y', 'standpipe@1.2.3', wrapper, '--name', name];
      const earlier: string[] = [];
      let now = text;
      for (const wrapper of steps) {
        const wrapped = wrapText(now, 'any.json', { wrapper, words: words(wrapper) });
        if (wrapped.text !== now) earlier.push(now);
        now = wrapped.text;
      }
      for (const wrapper of tapFirst ? wrappers : [...wrappers].reverse()) {
        now = unwrapText(now, 'any.json', earlier, { wrapper }).text;
      }
      expect(now).toBe(text);
    }),
    { numRuns: 300 },
  );
});
