// A server that breaks the protocol is understood where there is one thing it can mean, and that is never kept back.

import { describe, expect, test } from 'vitest';
import { everything, everythingEntry, fixturePath, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const bends = { command: process.execPath, args: [fixturePath('bends.mjs')] };
const behind = ['--', process.execPath, fixturePath('bends.mjs')];
const ofList = ['input-schema-missing', 'entry-unusable'];
const topics = (stdout: string) => JSON.parse(stdout).warnings.map(({ topic }: { topic: string }) => topic);

test('tools says what is missing, on stderr and in --json', async () => {
  const { stdout, stderr } = await runCli(['tools', '--json', ...behind]);
  expect(topics(stdout)).toEqual(expect.arrayContaining(ofList));
  expect(stderr).toContain('warning: bends: The server lists tools without an inputSchema ("plain")');
  expect(stderr).toContain('warning: bends: The server lists tools without a "name"');
});

test('call says how it understood the result, and --json has it as the server sent it', async () => {
  const { code, stdout, stderr } = await runCli(['call', 'plain', '--json', ...behind]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).content).toBe('5');
  expect(topics(stdout)).toEqual(expect.arrayContaining([...ofList, 'content-text']));
  expect(stderr).toContain('content as plain text');
});

test.each([[['read']], [['read', 'doc://a']], [['prompt']], [['prompt', 'hello']]])('%s says it too', async (words) => {
  const { code, stdout, stderr } = await runCli([...words, '--json', ...behind]);
  expect(code).toBe(0);
  expect(topics(stdout)).toEqual(expect.arrayContaining(['server-info-incomplete', ...ofList]));
  expect(stderr).toContain('warning: bends: The server sent serverInfo without a name or a version');
});

test('through a running host too', async () => {
  const config = writeConfig('bends.json', { everything: everythingEntry, bends });
  const host = await startHost(['--config', config]);
  try {
    const { stdout } = await runCli(['call', 'bends', 'plain', '--json', '--config', config]);
    expect(topics(stdout)).toEqual(expect.arrayContaining([...ofList, 'content-text']));
  } finally {
    await stopHost(host);
  }
});

test('a server that keeps to the protocol has none', async () => {
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
])('content that cannot be read: %s', (_, content, text) => {
  const server = ['--', process.execPath, fixturePath('bends.mjs'), JSON.stringify({ 'tools/call': { content } })];

  test('--json has it as the server sent it, with a warning', async () => {
    const { code, stdout } = await runCli(['call', 'plain', '--json', ...server]);
    expect({ code, content: JSON.parse(stdout).content }).toEqual({ code: 0, content });
    expect(topics(stdout)).toContainEqual(expect.stringMatching(/^content-/));
  });

  test('is shown', async () => {
    const { code, stdout } = await runCli(['call', 'plain', ...server]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: text ?? `${JSON.stringify(content[0], undefined, 2)}\n` });
  });
});

test('contents of a resource and a prompt that cannot be read are shown as JSON', async () => {
  const results = {
    'resources/read': { contents: [{ uri: 'doc://a' }] },
    'prompts/get': { messages: [{ role: 'user', content: 'Hello' }] },
  };
  const server = ['--', process.execPath, fixturePath('bends.mjs'), JSON.stringify(results)];
  expect(await runCli(['read', 'doc://a', ...server])).toMatchObject({ code: 0, stdout: '{\n  "uri": "doc://a"\n}\n' });
  expect(await runCli(['prompt', 'hello', ...server])).toMatchObject({ code: 0, stdout: 'user: "Hello"\n' });
});
