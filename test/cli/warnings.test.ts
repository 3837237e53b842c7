// A server that breaks the protocol is understood where there is one thing it can mean, and that is never kept back.

import { expect, test } from 'vitest';
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

test('call says how it understood the result', async () => {
  const { code, stdout, stderr } = await runCli(['call', 'plain', '--json', ...behind]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).content).toEqual([{ type: 'text', text: '5' }]);
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
