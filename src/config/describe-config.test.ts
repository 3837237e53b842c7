import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeConfig } from './describe-config.ts';
import { mergeFiles } from './files/load-config.ts';
import { file, read, settingsByDefault, type World } from './read-text.contract.ts';

const describe = async (value: object, world?: World) =>
  describeConfig(mergeFiles([await read(JSON.stringify(value), world)], [file]));

test('describes a config as plain data', async () => {
  const description = await describe({
    mcpServers: {
      a: {
        command: 'x',
        env: { KEY: 'hunter22', N: 7 },
        args: ['--dsn=u:hunter22@h', '--token', 'abc'],
        enabled: false,
      },
      b: {},
      c: { url: 'https://x.test', headers: { 'X-Key': 'hunter22' } },
    },
  });
  expect(description).toEqual({
    searched: [file],
    files: [{ file, origin: 'named', usable: true, servers: ['a', 'c'], envFiles: [] }],
    servers: [
      {
        ...settingsByDefault,
        status: 'disabled',
        name: 'a',
        command: 'x',
        args: ['--dsn=u:[env KEY]@h', '--token', '[redacted]'],
        env: { KEY: '[env KEY]', N: '[env N]' },
        cwd: '/project',
        protocol: 'mcp',
        framing: undefined,
        stop: {},
        keepDaemons: false,
        source: { file, line: 1, column: 16 },
      },
      expect.objectContaining({
        status: 'enabled',
        name: 'c',
        url: 'https://x.test',
        headers: { 'X-Key': '[redacted]' },
      }),
      { status: 'rejected', name: 'b', message: 'There is no "command" and no "url"', source: expect.anything() },
    ],
    shadowed: [],
    problems: [expect.objectContaining({ server: 'b' })],
  });
});

test('hides values from the environment or from inputs too', async () => {
  const value = {
    servers: { a: { command: 'x', args: ['${GH_TOKEN}', 'p=${input:pin}', '${PORT}'], cwd: '/x/${GH_TOKEN}' } },
    inputs: [{ id: 'pin', password: true, default: '9999' }],
  };
  const { servers } = await describe(value, { env: { GH_TOKEN: 'g1thub', PORT: '8080' } });
  expect(servers).toMatchObject([{ args: ['[redacted]', 'p=[redacted]', '8080'], cwd: '/x/[redacted]' }]);
});

test('a description never contains a value of env at any position', async () => {
  const secret = fc.stringMatching(/^[q-z"\\$ {}]{4,12}$/).map((text) => `§${text}`);
  await fc.assert(
    fc.asyncProperty(secret, fc.string({ maxLength: 5 }), async (value, around) => {
      const text = value.replaceAll('${', () => '$${');
      const entry = { command: 'x', args: [`--a${around}=${text}`, text], env: { KEY: text }, bad: text };
      const shown = JSON.stringify(await describe({ mcpServers: { a: entry, b: { ...entry, command: [text] } } }));
      expect(shown).not.toContain('§');
    }),
    { examples: [['§}q{\\{', '${']] },
  );
});
