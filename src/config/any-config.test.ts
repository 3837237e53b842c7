// Reading any text gives servers and problems and never throws; the positions of problems exist in the text.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigFile } from './config-file.ts';
import { describeConfig } from './describe-config.ts';
import { mergeFiles } from './files/load-config.ts';
import {
  commandKeys,
  fileKeys,
  formatsOfRemotes,
  inputKeys,
  oauthKeys,
  placeKeys,
  remoteKeys,
  restartKeys,
  settingKeys,
  shareKeys,
  stopKeys,
  taskKeys,
  toolsKeys,
} from './read/keys.ts';
import { file, read } from './read-text.contract.ts';

const deep = process.env.FC_PROFILE === 'deep';
const numRuns = deep ? 50_000 : 250;
const timeoutMs = deep ? 600_000 : 120_000;

const serverKeys = Object.keys({ ...settingKeys, ...commandKeys, ...remoteKeys, ...formatsOfRemotes });
const groups = [fileKeys, oauthKeys, restartKeys, shareKeys, placeKeys, stopKeys, taskKeys, toolsKeys, inputKeys];
const keys = [...serverKeys, ...groups.flatMap((group) => Object.keys(group)), '__proto__'];
const texts = [
  'https://x.test/mcp',
  'http://u:p@x.test',
  'http',
  'ws://',
  'stdio',
  'node',
  '${HOME}',
  '${NO}',
  '${input:a}',
  '${',
  'never',
  'newline',
  '~/x',
  '\0',
  '',
];
/** JSON of known keys, so that more than the first check is reached. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<unknown>(...texts),
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.string(),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 6 }),
  ),
}));
const shaped = fc.record({ mcpServers: value, servers: value, inputs: value }, { requiredKeys: [] });
const entries = fc.record({
  mcpServers: fc.dictionary(fc.string(), fc.dictionary(fc.constantFrom(...serverKeys), value)),
});

function check(text: string, { servers, rejected, problems, usable }: ConfigFile): void {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const problem of problems) {
    expect(problem.file).toBe(file);
    expect(problem.line).toBeGreaterThan(0);
    expect(problem.line).toBeLessThanOrEqual(lines.length);
    expect(problem.column).toBeGreaterThan(0);
    expect(problem.column).toBeLessThanOrEqual(lines[problem.line - 1]!.length + 1);
    expect(problem.code !== undefined).toBe(problem.severity === 'error');
  }
  if (!usable) expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
  const failed = new Set(
    problems.flatMap(({ severity, server }) => (severity === 'error' && server !== undefined ? [server] : [])),
  );
  for (const { name } of servers) expect(failed.has(name)).toBe(false);
  for (const { name } of rejected) expect(failed.has(name)).toBe(true);
  expect(new Set([...servers, ...rejected].map(({ name }) => name)).size).toBe(servers.length + rejected.length);
}

test('reads any JSON value', { timeout: timeoutMs }, async () => {
  const json = fc.oneof(value, shaped, entries, fc.jsonValue()).map((each) => JSON.stringify(each, null, 2));
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      const found = await read(text, { env: { HOME: '/home/ada' } });
      check(text, found);
      JSON.stringify(describeConfig(mergeFiles([found], [])));
    }),
    { numRuns },
  );
});

test('reads any text, and JSON with any change', { timeout: timeoutMs }, async () => {
  const broken = fc
    .tuple(
      shaped.map((each) => JSON.stringify(each, null, 1)),
      fc.nat(),
      fc.constantFrom('', '"', '}', ',', '\\', '//', '\n', '\uFEFF'),
    )
    .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), broken), async (text) => check(text, await read(text))),
    { numRuns },
  );
});
