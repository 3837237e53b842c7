import fc from 'fast-check';
import { getNodeValue } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { read } from '../read-text.contract.ts';
import { parseToml } from './toml-document.ts';
import { parseYaml } from './yaml-document.ts';

const toml = '/project/.codex/config.toml';
const yaml = '/project/.continue/config.yaml';

test('reads equal servers from JSON, TOML and YAML', async () => {
  const entry = { command: 'npx', args: ['-y', 'pkg'], env: { KEY: 'a"b', N: '1' }, cwd: 'sub' };
  const texts: [string, string][] = [
    ['/project/mcp.json', JSON.stringify({ mcpServers: { 'a.b': entry } })],
    [
      toml,
      '# c\nx = 1979-05-27\n[[y]]\nz = 1\n[mcp_servers."a.b"]\ncommand = \'npx\' # c\nargs = [\n  "-y", # c\n  """pkg""",\n]\ncwd = "sub"\n[mcp_servers."a.b".env]\nKEY = "a\\"b"\nN = "1"\n',
    ],
    [
      toml,
      'mcp_servers = { "a.b" = { command = "npx", args = ["-y", "pkg"], env.KEY = "a\\"b", env.N = "1", cwd = "sub" } }',
    ],
    [
      yaml,
      'x: &e\n  KEY: a"b\n  N: "1"\nmcpServers:\n  - name: a.b\n    command: npx # c\n    args:\n      - -y\n      - >-\n        pkg\n    env: *e\n    cwd: "sub"\n',
    ],
    [yaml, `mcpServers: [${JSON.stringify({ name: 'a.b', ...entry })}]`],
  ];
  const found = await Promise.all(texts.map(([file, text]) => read(text, { file })));
  const [first] = found;
  for (const { servers, problems } of found) {
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ ...first!.servers[0], source: expect.anything() }]);
  }
});

/** `§` marks the expected position of the problem. */
test.each<[what: string, file: string, text: string, message: RegExp]>([
  [
    'a value of the wrong type',
    toml,
    '[mcp_servers.a]\ncommand = "x"\nargs = §"y"\n',
    /"args" must be an array of strings/,
  ],
  [
    'an item of the wrong type',
    toml,
    '[mcp_servers.a]\ncommand = "x"\nargs = ["y",\n  §1]\n',
    /"args"\[1\] must be a string/,
  ],
  [
    'a value of env',
    toml,
    '[mcp_servers.a]\r\ncommand = "x"\r\n[mcp_servers.a.env]\r\nA = §true\r\n',
    /"env"."A" must be a string/,
  ],
  ['a table without a command', toml, 'x = 1\n[§mcp_servers.a]\nargs = []\n', /There is no "command"/],
  ['an unknown key', toml, '[mcp_servers.a]\ncommand = "x"\n§colour = "red"\n', /Unknown key "colour"/],
  [
    'a variable without a value',
    toml,
    '[mcp_servers.a]\nurl = "https://a.test"\nbearer_token_env_var = §"NO"\n',
    /Variable NO is not set/,
  ],
  [
    'a renamed key',
    toml,
    '[mcp_servers.a]\ncommand = "x"\ntool_timeout_sec = §"5"\n',
    /"requestTimeoutMs" must be an integer/,
  ],
  ['servers that are not a table', toml, 'mcp_servers = §1\n', /"mcp_servers" must be an object/],
  ['a syntax error', toml, '[mcp_servers.a]\ncommand = "x"\nargs = §s3cret\n', /^Not TOML/],
  ['a duplicate key', toml, '[mcp_servers.a]\ncommand = "s3cret"\n§command = "s3cret"\n', /^Not TOML/],
  [
    'a value of the wrong type',
    yaml,
    'mcpServers:\n  - name: a\n    command: x\n    args: §y\n',
    /"args" must be an array of strings/,
  ],
  [
    'a header in an object',
    yaml,
    'mcpServers:\n  - name: a\n    url: https://a.test\n    requestOptions:\n      headers:\n        A: §1\n',
    /must be a string/,
  ],
  ['a server without a name', yaml, 'mcpServers:\n  - name: b\n    command: x\n  - §command: x\n', /needs a "name"/],
  [
    'a duplicate name',
    yaml,
    'mcpServers:\n  - name: b\n    command: x\n  - §name: b\n    command: y\n',
    /in the list twice/,
  ],
  ['a missing value', yaml, 'mcpServers:\n  - name: a\n    command:§\n', /"command" must be a string, not null/],
  ['a syntax error', yaml, 'mcpServers:\n  - name: a\n    command: "s3cret§', /^Not YAML: missing char/],
  ['a duplicate key', yaml, 'mcpServers: []\n§mcpServers: [s3cret]\n', /^Not YAML: duplicate key/],
])('reports the position of %s in %s', async (_, file, marked, message) => {
  const offset = marked.indexOf('§');
  const before = marked.slice(0, offset).split('\n');
  const { problems } = await read(marked.replace('§', ''), { file });
  const position = { file, line: before.length, column: before.at(-1)!.length + 1 };
  expect(problems).toMatchObject([{ ...position, message: expect.stringMatching(message) }]);
  expect(JSON.stringify(problems)).not.toContain('s3cret');
});

test.each([
  [toml, '[mcp_servers.a]\nurl = "https://a.test"\nbearer_token_env_var = "NO"\n'],
  [yaml, 'mcpServers:\n  - name: a\n    command: x\n    env:\n      A: ${{ secrets.NO }}\n'],
])('suggests no notation that the host of %s lacks for a variable without a value', async (file, text) => {
  const { problems } = await read(text, { file });
  expect(problems).toMatchObject([{ suggestion: 'Set it in the environment of Standpipe.' }]);
});

test('refuses aliases that expand to a billion values', async () => {
  const names = [...'abcdefghi'];
  const bomb = names.map(
    (name, i) =>
      `${name}: &${name} [${Array(9)
        .fill(i === 0 ? 'x' : `*${names[i - 1]}`)
        .join(', ')}]`,
  );
  for (const text of [bomb.join('\n'), '&a [*a]']) {
    const { fault } = await parseYaml(text, 'x.yaml');
    expect(fault).toMatchObject({ message: expect.stringContaining('aliases') });
  }
});

// Each of these ends the process if a parser reads it.
test.each([
  ['TOML', parseToml, `a = ${'['.repeat(100_000)}`],
  ['TOML', parseToml, `a = ${'{a='.repeat(100_000)}`],
  ['TOML', parseToml, `[${'a.'.repeat(100_000)}a]`],
  ['YAML', parseYaml, '['.repeat(100_000)],
  ['YAML', parseYaml, '- '.repeat(100_000)],
  ['YAML', parseYaml, '? '.repeat(100_000)],
  ['YAML', parseYaml, Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('refuses %s that is nested too deeply', async (_, parse, text) => {
  expect(await parse(text, 'x')).toMatchObject({
    root: undefined,
    fault: { message: expect.stringContaining('deeply') },
  });
});

test('parsers do not throw, and preserve every JSON value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.jsonValue(), async (text, value) => {
      for (const parse of [parseToml, parseYaml]) {
        const { root, fault } = await parse(text, 'x');
        expect(root === undefined).toBe(fault !== undefined);
      }
      const { root } = await parseYaml(JSON.stringify(value), 'x');
      if (root && value !== null) expect(getNodeValue(root)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
