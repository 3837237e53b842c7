// Non-protocol output of servers: in the log of `up`, in `logs`, beside a failed call. Also `down`.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { isAlive, until } from '../fixtures/server.ts';
import { everythingEntry, fixturePath, runCli, startCli, writeConfig } from './run-cli.ts';

const talks = { command: process.execPath, args: [fixturePath('talks.mjs')], env: { API_KEY: 'hunter2-hunter2' } };
const behind = ['--', process.execPath, fixturePath('talks.mjs')];

const started = new Set<ChildProcessWithoutNullStreams>();
afterEach(async () => {
  for (const child of started) {
    const closed = once(child, 'close');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await closed;
    }
  }
  started.clear();
});

function start(args: readonly string[]) {
  const child = startCli(args);
  started.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  return { child, log: () => text, has: (part: string) => until(`${part} in: ${text}`, () => text.includes(part)) };
}

async function host(name: string, servers: Record<string, unknown>) {
  const config = writeConfig(name, servers);
  const up = start(['up', '--no-inspector', '--config', config]);
  for (const server of Object.keys(servers)) await up.has(`${server} ready`);
  return { up, config };
}

test('up reports stray output once, and then in growing intervals', async () => {
  const { up, config } = await host('printing.json', { talks });
  await runCli(['call', 'talks/print', 'times=10', '--config', config]);
  await up.has('talks printed non-protocol text to stdout: stray print 0');
  await up.has('talks printed non-protocol text to stdout 10 times so far');
  expect(up.log().match(/talks printed/g)).toHaveLength(2);
});

describe('a call that fails', () => {
  const lines = [
    '  stderr: Traceback (most recent call last):',
    '  stderr:   File "x.py", line 1',
    '  stderr: ZeroDivisionError: division by zero',
  ];

  test('is printed with the stderr of the server since the start of the call', async () => {
    const { code, stderr } = await runCli(['call', 'fail', ...behind]);
    expect(code).toBe(1);
    for (const line of lines) expect(stderr).toContain(`${line}\n`);
    expect(stderr).not.toContain('began with');
  });

  test('contains stderr in --json, and a successful call does not', async () => {
    const { stdout } = await runCli(['call', 'fail', '--json', ...behind]);
    expect(JSON.parse(stdout).stderr).toContain('ZeroDivisionError: division by zero\n');
    expect(JSON.parse((await runCli(['call', 'print', '--json', ...behind])).stdout)).not.toHaveProperty('stderr');
  });

  test('is printed with stderr through a running host', async () => {
    const { config } = await host('failing.json', { talks });
    const { code, stderr } = await runCli(['call', 'talks', 'fail', '--config', config]);
    expect(code).toBe(1);
    for (const line of lines) expect(stderr).toContain(`${line}\n`);
    expect(stderr).not.toContain('began with');
  });

  test('--verbose prints a traceback line by line', async () => {
    const { stderr } = await runCli(['call', 'fail', '--verbose', ...behind]);
    expect(stderr).toMatch(/^[\d.]+ talks stderr Traceback \(most recent call last\):$/m);
    expect(stderr).toMatch(/^[\d.]+ talks stderr ZeroDivisionError: division by zero$/m);
  });
});

describe('logs', () => {
  test('prints stderr, stray output and states without secrets, and exits', async () => {
    const { config } = await host('logged.json', { talks, everything: everythingEntry });
    await runCli(['call', 'talks/print', '--config', config]);
    const { code, stdout } = await runCli(['logs', 'talks', '--config', config]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d{4}-\S+Z talks stderr: began with (?!hunter2)/m);
    expect(stdout).toMatch(/^\S+ talks stdout: stray print 0$/m);
    expect(stdout).toMatch(/^\S+ talks state: ready/m);
    expect(stdout).toMatch(/^\S+ talks process: started as process \d+/m);
    expect(stdout).not.toContain(' everything ');
    expect(stdout).not.toContain('"method"');
    const all = await runCli(['logs', '--json', '--config', config]);
    const documents = all.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(documents).toContainEqual(
      expect.objectContaining({ server: 'talks', kind: 'stdout', text: 'stray print 0' }),
    );
    expect(documents).toContainEqual(expect.objectContaining({ server: 'everything', kind: 'state' }));
  });

  test('--tail and --since limit the output', async () => {
    const { config } = await host('tailed.json', { talks });
    await runCli(['call', 'talks/print', 'times=5', '--config', config]);
    const shown = async (...words: string[]) =>
      (await runCli(['logs', 'talks', ...words, '--config', config])).stdout.trimEnd().split('\n');
    const all = await shown();
    expect(all.length).toBeGreaterThan(6);
    expect(await shown('--tail', '3')).toEqual(all.slice(-3));
    expect(await shown('--tail', '100000')).toEqual(all);
    expect(await shown('--since', '24h')).toEqual(all);
    expect(await shown('--since', '1ms')).toEqual(['']);
    expect(await shown('--since', '24h', '--tail', '2')).toEqual(all.slice(-2));
    const following = start(['logs', 'talks', '--follow', '--tail', '1', '--config', config]);
    await following.has(all.at(-1)!);
    expect(following.log().trimEnd().split('\n')).toHaveLength(1);
    await runCli(['call', 'talks/fail', '--config', config]);
    await following.has('stderr: ZeroDivisionError: division by zero');
    expect(await runCli(['logs', '--tail', '0', '--config', config])).toMatchObject({ code: 2 });
  });

  test('prints the log of a background host with the stderr of its servers, without secrets, after its exit', async () => {
    const config = writeConfig('in-background.json', { talks });
    const started = await runCli(['up', '--background', '--no-inspector', '--json', '--config', config]);
    const { log } = JSON.parse(started.stdout) as { log: string };
    try {
      await runCli(['call', 'talks/fail', '--config', config]);
      await until('stderr is in the log', () => readFileSync(log, 'utf8').includes('talks stderr: ZeroDivisionError'));
    } finally {
      await runCli(['down', '--config', config]);
    }
    if (process.platform !== 'win32') expect(statSync(log).mode & 0o777).toBe(0o600);
    const { code, stdout, stderr } = await runCli(['logs', 'talks', '--config', config]);
    expect(code).toBe(0);
    expect(stderr).toBe(`No host is running. Showing the log of the last background host, ${log}\n`);
    expect(stdout).toMatch(/^\d{4}-\S+Z talks stderr: began with /m);
    expect(stdout).not.toContain('hunter2');
    expect(stdout).toMatch(/^\S+Z talks stopped/m);
    const last = await runCli(['logs', '--tail', '1', '--json', '--config', config]);
    expect(JSON.parse(last.stdout)).toMatchObject({ kind: 'log', text: 'all servers have stopped' });
  });

  test('--follow prints until the host exits', async () => {
    const { config } = await host('followed.json', { talks });
    const following = start(['logs', '--follow', '--config', config]);
    await following.has('talks state: ready');
    await runCli(['call', 'talks/print', '--config', config]);
    await following.has('talks stdout: stray print 0');
    const ended = once(following.child, 'close');
    await runCli(['down', '--config', config]);
    expect(await ended).toEqual([0, null]);
    expect(following.log()).toContain('talks state: stopped');
  });

  test('reports a missing host and an unknown server', async () => {
    const config = writeConfig('no-host.json', { talks });
    expect(await runCli(['logs', '--config', config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No host is running'),
    });
    const other = await host('has-host.json', { talks });
    expect(await runCli(['logs', 'talk', '--config', other.config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "talks"?'),
    });
  });
});

describe('down', () => {
  test('stops the host, returns when it has exited, and reports what it stopped', async () => {
    const { up, config } = await host('down.json', { talks, everything: everythingEntry });
    const { code, stderr } = await runCli(['down', '--config', config]);
    expect(code).toBe(0);
    expect(stderr).toContain(`The host (process ${up.child.pid}) has ended. Stopped: talks, everything.`);
    expect(isAlive(up.child.pid!)).toBe(false);
    await up.has('all servers have stopped');
    expect(await runCli(['down', '--config', config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No host is running'),
    });
  });

  test('--json prints the process and the servers', async () => {
    const { up, config } = await host('down-json.json', { talks });
    const { stdout } = await runCli(['down', '--json', '--config', config]);
    expect(JSON.parse(stdout)).toEqual({ pid: up.child.pid, stopped: ['talks'] });
  });
});
