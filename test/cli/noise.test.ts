// A server that prints stray output: a command reports it once, and only on stderr.

import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { dangerous, fixturePath, runCli, startCli, stopHost, writeConfig } from './run-cli.ts';

const print = `console.log('\\x1b[31mListening on 3000\\nsecond line'); for (let i = 0; i < 50; i++) console.log('tick', i)`;
const args = [
  '--input-type=module',
  '-e',
  `${print}; await import(${JSON.stringify(pathToFileURL(fixturePath('everything.mjs')).href)})`,
];
const noisy = ['--', process.execPath, ...args];

const warning = (server: string) =>
  `warning: ${server} printed non-protocol text to stdout: \\x1b[31mListening on 3000\n` +
  'hint: stdout is for protocol messages only; print to stderr instead.\n';

test('prints the first line with escaped control characters', async () => {
  const called = await runCli(['call', 'greet', 'name=you', ...noisy]);
  expect(called).toMatchObject({ code: 0, stdout: 'Hello, you!\n' });
  expect(called.stderr).toMatch(/^warning: \S+ printed/);
  expect(called.stderr.replace(/^warning: \S+/, 'warning: it')).toBe(warning('it'));
  expect(dangerous(called.stderr)).toEqual([]);
});

test('--json does not contain stray output', async () => {
  const { stdout, stderr } = await runCli(['call', 'greet', 'name=you', '--json', ...noisy]);
  expect(JSON.parse(stdout)).toMatchObject({ isError: false, content: [{ type: 'text', text: 'Hello, you!' }] });
  expect(stdout).not.toContain('Listening');
  expect(stderr).toContain('Listening on 3000\n');
});

test('a server of the config is reported by its name', async () => {
  const config = writeConfig('noisy.json', { loud: { command: process.execPath, args } });
  expect((await runCli(['tools', 'loud', '--config', config])).stderr).toBe(warning('loud'));
});

test('reports output before an exit once, with the error', async () => {
  const { code, stderr } = await runCli([
    'tools',
    '--',
    process.execPath,
    '-e',
    'console.log("usage: x"); process.exit(1)',
  ]);
  expect(code).toBe(3);
  expect(stderr).not.toContain('warning:');
  expect(stderr).toContain('  stdout had: usage: x\n');
});

/** A server that prints and never answers. */
const deaf = { command: process.execPath, args: ['-e', 'console.log("loading…"); setInterval(() => 0, 1000)'] };

test('reports the output of a server that does not answer once, with the error', async () => {
  const { code, stderr } = await runCli(['tools', '--timeout', '5s', '--', deaf.command, ...deaf.args]);
  expect(code).toBe(4);
  expect(stderr).not.toContain('warning:');
  expect(stderr).toContain('  stdout had: loading…\n');
  expect(stderr).toContain('hint: It prints other text to stdout, which is for messages only. Write logs to stderr');
});

test('`up` reports the output of a server that does not answer, and repeats it in the advice', async () => {
  const config = writeConfig('deaf.json', { deaf: { ...deaf, startupTimeoutMs: 5_000, restart: 'never' } });
  const host = startCli(['up', '--no-inspector', '--config', config]);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  try {
    await until('the advice', () => log.includes('standpipe restart deaf'));
  } finally {
    await stopHost(host);
  }
  expect(log).toContain('deaf printed non-protocol text to stdout: loading… (stdout is for protocol messages only)\n');
  expect(log).toMatch(/deaf failed: [^\n]+\n\S+ {3}stdout had: loading…\n\S+ {3}It prints other text to stdout/);
});
