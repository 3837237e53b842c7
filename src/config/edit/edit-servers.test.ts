import { parse as parseToml } from '@decimalturn/toml-patch';
import fc from 'fast-check';
import { parse as parseJson } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { ServersAt } from './change.ts';
import { editServers } from './edit-servers.ts';

const json: ServersAt = { file: 'mcp.json', format: 'json', path: ['mcpServers'] };
const toml: ServersAt = { file: 'config.toml', format: 'toml', path: ['mcp_servers'] };
const yaml: ServersAt = { file: 'config.yaml', format: 'yaml', path: ['mcpServers'], nameKey: 'name' };

const entry = { command: 'npx', args: ['-y', 'a "b"\\c'], env: { KEY: '${KEY}' } };
const add = (text: string, at: ServersAt, name = 'new') => editServers(text, at, [{ name, entry }]);
const remove = (text: string, at: ServersAt, name = 'new') => editServers(text, at, [{ name, entry: undefined }]);
const parsers = {
  json: (text: string) => parseJson(text, [], { allowTrailingComma: true }),
  toml: parseToml,
  yaml: parseYaml,
};
const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? {}));
const withBreaks = (lineBreak: string) => (text: string) => text.replaceAll('\n', lineBreak);

describe.each([
  {
    at: json,
    text: `// mine
{
    "mcpServers": {
        // the first
        "a": {"command": "x"}, // about a
        "b": { "url": "https://example.org" } /* about b */
        // the end
    },
    "other": [1, 2,   3] }`,
    added: `        "b": { "url": "https://example.org" }, /* about b */
        // the end
        "new": {
            "command": "npx",
            "args": ["-y", "a \\"b\\"\\\\c"],
            "env": {
                "KEY": "\${KEY}"
            }
        }
    },`,
  },
  {
    at: toml,
    text: `# mine
model = "x" # about the model

# the first
[mcp_servers.a] # about a
command = '''
[mcp_servers.new]
'''

[mcp_servers.a.env]
K = "v"
# the end

[other]
x = 1`,
    added: `[other]
x = 1

[mcp_servers.new]
command = "npx"
args = [ "-y", "a \\"b\\"\\\\c" ]
env = { KEY = "\${KEY}" }`,
  },
  {
    at: yaml,
    text: `# mine
mcpServers:
  # the first
  - name: a # about a
    command: x
  - name: b
    url: https://example.org

  # the end
rules: [ one,   two ]
`,
    added: `    url: https://example.org
  - name: new
    command: npx
    args:
      - -y
      - a "b"\\c
    env:
      KEY: \${KEY}

  # the end
`,
  },
])('$at.format', ({ at, text, added }) => {
  test.each(['\n', '\r\n'])(
    'adds a server in the style of the file, with line ends %j, and removes it without a trace',
    async (end) => {
      const before = withBreaks(end)(text);
      const after = await add(before, at);
      expect(after).toContain(withBreaks(end)(added));
      expect(await remove(after, at)).toBe(before);
    },
  );

  test('replaces a server in place', async () => {
    const once = await editServers(text, at, [{ name: 'a', entry: { command: 'other' } }]);
    const [before, after] = [text, once].map((each) => plain(parsers[at.format](each)));
    const servers = (data: Record<string, never>) => data[at.path[0]!] as never;
    const item = at.nameKey ? { name: 'a', command: 'other' } : { command: 'other' };
    expect(servers(after)).toEqual(
      at.nameKey ? [item, ...(servers(before) as object[]).slice(1)] : { ...(servers(before) as object), a: item },
    );
    for (const words of ['mine', 'the first', 'the end']) expect(once).toContain(words);
  });

  test('adds a server to a file without servers, without their key, and to an empty file', async () => {
    for (const empty of [
      '',
      '\n',
      at.format === 'json' ? '{}' : 'x = 1\n'.replace(' =', at.format === 'yaml' ? ':' : ' ='),
    ]) {
      const after = await add(empty, at);
      expect(after.endsWith('\n') || empty === '{}').toBe(true);
      expect(plain(parsers[at.format](after))[at.path[0]!]).toEqual(
        at.nameKey ? [{ name: 'new', ...entry }] : { new: entry },
      );
      const again = await remove(after, at);
      expect(await remove(await add(again, at), at)).toBe(again);
    }
  });

  test('keeps a comment in a file without servers', async () => {
    const comment = at.format === 'json' ? '// nothing yet' : '# nothing yet';
    const after = await add(comment, at);
    expect(after.startsWith(comment)).toBe(true);
    expect(plain(parsers[at.format](after))).not.toEqual({});
  });
});

test.each([
  [json, '{"mcpServers": {"a" {}}}', 'mcp.json:1:21: Not JSON'],
  [json, '{"mcpServers": ["a"]}', '"mcpServers" must be an object: mcp.json'],
  [json, '[]', 'The config must be an object: mcp.json'],
  [json, '/* open', 'mcp.json:1:'],
  [toml, 'a = 1\nb = "sk-secret', 'config.toml:2:'],
  [yaml, 'a: 1\nb: [sk-secret', 'config.yaml:2:'],
  [yaml, 'a: 1\n---\nb: 1\n', 'config.yaml:'],
  [yaml, 'mcpServers: &a\n  - name: x\nother: *a\n', 'cannot be written to config.yaml'],
  [yaml, '{x: 1}\n', 'cannot be written to config.yaml'],
  [yaml, 'mcpServers: words\n', '"mcpServers" must be a list: config.yaml'],
])('refuses text that is not a config: %#', async (at, text, message) => {
  const error = await editServers(text, at, [{ name: '__proto__', entry }]).catch((error) => error);
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
  expect(error.message).not.toContain('sk-secret');
});

test('removes all entries of a duplicate name', async () => {
  const text = '{"mcpServers": {"a": {"command": "1"}, "b": {"command": "2"}, /* c */ "a": {"command": "3"}}}';
  expect(await remove(text, json, 'a')).toBe('{"mcpServers": {"b": {"command": "2"} /* c */}}');
  expect(await editServers(text, json, [{ name: 'a', entry: { command: '4' } }])).toBe(
    '{"mcpServers": {"b": {"command": "2"}, /* c */ "a": { "command": "4" }}}',
  );
});

test('edits items of a list in JSON', async () => {
  const inputs: ServersAt = { file: 'mcp.json', format: 'json', path: ['inputs'], nameKey: 'id' };
  for (const text of ['{\n  "inputs": [\n    { "id": "a" } // c\n  ]\n}\n', '{ "inputs": [{ "id": "a" }, ] }']) {
    const after = await add(text, inputs);
    expect(parsers.json(after)).toEqual({ inputs: [{ id: 'a' }, { id: 'new', ...entry }] });
    expect(await remove(after, inputs)).toBe(text);
    expect(parsers.json(await remove(text, inputs, 'a'))).toEqual({ inputs: [] });
  }
  expect(await editServers('{}\n', inputs, [{ name: 'b', entry: { type: 'promptString' } }])).toBe(
    '{\n  "inputs": [\n    {\n      "id": "b",\n      "type": "promptString"\n    }\n  ]\n}\n',
  );
});

test('edits servers in inline tables, dotted keys and flow lists', async () => {
  const inline = 'mcp_servers = { a = { command = "x" } } # c\n';
  expect(await remove(await add(inline, toml), toml)).toBe(inline);
  const atRoot = '# c\nmcp_servers.a.command = "x" # d\n\n[z]\nq = 1\n';
  const added = await add(atRoot, toml);
  expect(added).not.toContain('[mcp_servers');
  expect(parseToml(added)).toMatchObject({ mcp_servers: { a: { command: 'x' }, new: entry }, z: { q: 1 } });
  expect(await remove(added, toml)).toBe(atRoot);
  const dotted = '# c\n[mcp_servers]\na.command = "x"\nb.command = "y" # d\nc = { command = "z" }\n';
  expect(parseToml(await remove(dotted, toml, 'b'))).toEqual(parseToml(dotted.replace(/b\.command.*\n/, '')));
  const flow = 'mcpServers: [{name: a}, { name: b }] # c\n';
  expect(await remove(await add(flow, yaml), yaml)).toBe(flow);
  expect(await remove(flow, yaml, 'a')).toBe('mcpServers: [{ name: b }] # c\n');
});

describe('any text', () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'new', 'with space', 'ü', '1', '"'), { maxLength: 4 });
  const gap = fc.constantFrom(
    '',
    ' ',
    '\n',
    '\n  ',
    '\r\n\t',
    ' /* C1, "x": {} */ ',
    ' // C2 }\n',
    '\n\n    // C3\n    ',
  );
  const servers = (value: fc.Arbitrary<string>) =>
    fc.tuple(names, value, gap, gap, gap, fc.boolean()).map(([keys, each, before, after, end, trailing]) => {
      const members = keys.map((key) => `${before}${JSON.stringify(key)}:${after}${each}${after}`);
      return `{${members.join(',')}${trailing && keys.length > 0 ? ',' : ''}${end}}`;
    });
  const value = fc.constantFrom('{}', '{"command": "x"}', '{\n "command": "x", // C4\n}');
  const comments = (text: string) => (text.match(/C\d/g) ?? []).sort();

  const jsonText = fc
    .tuple(servers(value), fc.option(value, { nil: undefined }), gap, gap, fc.boolean())
    .map(([list, other, before, after, first]) => {
      const members = [`"mcpServers":${before}${list}`, ...(other === undefined ? [] : [`"other":${other}`])];
      return `${before}{${after}${(first ? members : members.toReversed()).join(`,${after}`)}${after}}${before}`;
    });
  const line = fc.constantFrom('', '# C1', '# C2 [mcp_servers.new]', '   # C3');
  const tomlText = fc
    .tuple(names, fc.array(line, { minLength: 6, maxLength: 6 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([keys, [a, b, c, d, e, f], end, ends]) => {
      const lines = [a, 'top = 1 # C4', b];
      for (const key of keys) {
        lines.push(
          `[mcp_servers.${JSON.stringify(key)}]`,
          'command = "x"',
          'text = """',
          '[mcp_servers.new]',
          '"""',
          c,
          d,
        );
        if (key === 'a') lines.push('[mcp_servers.a.env]', 'K = "v"', e);
      }
      lines.push('[other]', 'list = [', '  1,', ']', f);
      return lines.join(end) + (ends ? end : '');
    });
  const yamlText = fc
    .tuple(
      names,
      fc.array(line, { minLength: 4, maxLength: 4 }),
      fc.constantFrom('', '  ', '    '),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
    )
    .map(([keys, [a, b, c, d], indent, end, otherFirst]) => {
      const items = keys.flatMap((key) => [
        `${indent}- name: ${JSON.stringify(key)}`,
        `${indent}  text: |`,
        `${indent}    [x]`,
        `${indent}  command: x`,
        b,
      ]);
      const list = [keys.length > 0 ? 'mcpServers:' : 'mcpServers: []', ...items];
      const other = ['other:', '  - 1', c];
      return [a, ...(otherFirst ? [...other, ...list] : [...list, ...other]), d, ''].join(end);
    });

  test.each([
    [json, jsonText],
    [toml, tomlText],
    [yaml, yamlText],
  ])('$format: an edit changes exactly the entry, and every comment outside of it stays', async (at, texts) => {
    const read = (text: string) => {
      const { [at.path[0]!]: list, ...others } = plain(parsers[at.format](text));
      const entries = at.nameKey
        ? ((list ?? []) as { name: string }[]).map(({ name, ...rest }) => [name, rest] as const)
        : Object.entries((list ?? {}) as object);
      return { others, entries: new Map(entries) };
    };
    await fc.assert(
      fc.asyncProperty(texts, names, async (text, [name = 'z']) => {
        const before = read(text);
        const after = await add(text, at, name);
        expect(read(after)).toEqual({ others: before.others, entries: new Map([...before.entries, [name, entry]]) });
        const isNew = !before.entries.has(name);
        if (isNew) expect(comments(after)).toEqual(comments(text));
        const removed = await remove(after, at, name);
        before.entries.delete(name);
        expect(read(removed)).toEqual(before);
        if (isNew) expect(comments(removed)).toEqual(comments(text));
        if (isNew && before.entries.size > 0) expect(removed).toBe(text);
      }),
      { numRuns: at.format === 'json' ? 200 : 40 },
    );
  });
});

// A parser that reads this text ends the process.
test.each([
  [toml, `a = ${'['.repeat(100_000)}`],
  [yaml, '- '.repeat(100_000)],
])('refuses a text that is nested too deeply: $format', async (at, text) => {
  await expect(add(text, at)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('deeply'),
  });
});
