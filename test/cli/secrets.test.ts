// Secrets in the arguments of a server appear neither in documents nor in errors of commands.

import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { fixturePath, folder, runCli, startCli, stopHost, writeConfig } from './run-cli.ts';

const secrets = ['s3cr3t-one', 's3cr3t-two', 's3cr3t-three', 's3cr3t-four', 'ghp_s3cr3t5fivefive', 'tr0ub4dor'];
const args = [
  '--token',
  secrets[0]!,
  `--api-key=${secrets[1]}`,
  `SECRET=${secrets[2]}`,
  `postgres://ada:${secrets[3]}@db.test/x`,
  secrets[4]!,
];
/** A server that prints its arguments and exits. */
const talkative = {
  command: process.execPath,
  args: [fixturePath('prints-its-arguments.mjs'), ...args],
  env: { DB_PASSWORD: secrets[5]! },
};

function expectNoSecret(text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toContain('--token [redacted]');
}

test('tools --json and its errors hide secrets in args', async () => {
  const config = writeConfig('talkative.json', { talkative });
  const { stdout, stderr } = await runCli(['tools', '--json', '--config', config]);
  expectNoSecret(stdout);
  expect(JSON.parse(stdout).failed[0].error.evidence.stderrTail).toContain('--token [redacted]');
  expectNoSecret(stderr + stdout);
  const called = await runCli(['call', 'talkative', 'x', '--verbose', '--config', config]);
  expectNoSecret(called.stderr);
});

test('ls --json and the log of a running host hide secrets in args', async () => {
  const config = writeConfig('talkative-up.json', {
    talkative: { ...talkative, restart: 'never' },
  });
  const host = startCli(['up', '--no-inspector', '--config', config]);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  try {
    await until('the server has failed', () => log.includes('talkative failed'), 60_000);
    const { stdout } = await runCli(['ls', '--json', '--config', config]);
    expectNoSecret(stdout);
    expect(JSON.parse(stdout).servers[0].lastExit.evidence.command).toContain('--api-key=[redacted] SECRET=[redacted]');
  } finally {
    await stopHost(host);
  }
  expectNoSecret(log);
});

test('a command that cannot be started is shown without its secrets', async () => {
  const { stdout, stderr } = await runCli(['tools', '--json', '--', `${folder}/not-there`, ...args]);
  expectNoSecret(stdout + stderr);
});
