// A server whose violations of the protocol have only one possible meaning is understood, and the violations are always reported.

import { describe, expect, test } from 'vitest';
import { everything, everythingEntry, fixturePath, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const bends = { command: process.execPath, args: [fixturePath('bends.mjs')] };
const behind = ['--', process.execPath, fixturePath('bends.mjs')];
const ofList = ['input-schema-missing', 'entry-unusable'];
const topics = (stdout: string) => JSON.parse(stdout).warnings.map(({ topic }: { topic: string }) => topic);

test('tools reports missing members, on stderr and in --json', async () => {
  const { stdout, stderr } = await runCli(['tools', '--json', ...behind]);
  expect(topics(stdout)).toEqual(expect.arrayContaining(ofList));
  expect(stderr).toContain('warning: bends: The server lists tools without an inputSchema ("plain")');
  expect(stderr).toContain('warning: bends: The server lists tools without a "name"');
});

test('call reports how it understood the result, and --json prints the result unchanged', async () => {
  const { code, stdout, stderr } = await runCli(['call', 'plain', '--json', ...behind]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).content).toBe('5');
  expect(topics(stdout)).toEqual(expect.arrayContaining([...ofList, 'content-text']));
  expect(stderr).toContain('content as plain text');
});

test.each([[['read']], [['read', 'doc://a']], [['prompt']], [['prompt', 'hello']]])(
  '%s reports violations',
  async (words) => {
    const { code, stdout, stderr } = await runCli([...words, '--json', ...behind]);
    expect(code).toBe(0);
    expect(topics(stdout)).toEqual(expect.arrayContaining(['server-info-incomplete', ...ofList]));
    expect(stderr).toContain('warning: bends: The server sent serverInfo without a name or a version');
  },
);

test('call through a running host reports violations', async () => {
  const config = writeConfig('bends.json', { everything: everythingEntry, bends });
  const host = await startHost(['--config', config]);
  try {
    const { stdout } = await runCli(['call', 'bends', 'plain', '--json', '--config', config]);
    expect(topics(stdout)).toEqual(expect.arrayContaining([...ofList, 'content-text']));
  } finally {
    await stopHost(host);
  }
});

test('a correct server has no warnings', async () => {
  const { stdout, stderr } = await runCli(['call', 'greet', 'name=x', '--json', ...everything]);
  expect(JSON.parse(stdout)).not.toHaveProperty('warnings');
  expect(stderr).toBe('');
});

describe.each([
  ['texts in place of blocks', ['3', null], '3\nnull\n'],
  ['a block of an unknown type', [{ type: 'txt', text: '3' }], '{\n  "type": "txt",\n  "text": "3"\n}\n'],
  ['an image without data', [{ type: 'image' }], '{\n  "type": "image"\n}\n'],
  ['a resource without contents', [{ type: 'resource', resource: { uri: 'x://1' } }], undefined],
  ['a text block without text', [{ type: 'text' }], '{\n  "type": "text"\n}\n'],
])('unreadable content: %s', (_, content, text) => {
  const server = ['--', process.execPath, fixturePath('bends.mjs'), JSON.stringify({ 'tools/call': { content } })];

  test('--json prints it unchanged, with a warning', async () => {
    const { code, stdout } = await runCli(['call', 'plain', '--json', ...server]);
    expect({ code, content: JSON.parse(stdout).content }).toEqual({ code: 0, content });
    expect(topics(stdout)).toContainEqual(expect.stringMatching(/^content-/));
  });

  test('is printed as JSON', async () => {
    const { code, stdout } = await runCli(['call', 'plain', ...server]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: text ?? `${JSON.stringify(content[0], undefined, 2)}\n` });
  });
});

test('prints unreadable contents of a resource and a prompt as JSON', async () => {
  const results = {
    'resources/read': { contents: [{ uri: 'doc://a' }] },
    'prompts/get': { messages: [{ role: 'user', content: 'Hello' }] },
  };
  const server = ['--', process.execPath, fixturePath('bends.mjs'), JSON.stringify(results)];
  expect(await runCli(['read', 'doc://a', ...server])).toMatchObject({ code: 0, stdout: '{\n  "uri": "doc://a"\n}\n' });
  expect(await runCli(['prompt', 'hello', ...server])).toMatchObject({ code: 0, stdout: 'user: "Hello"\n' });
});
