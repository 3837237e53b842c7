// Exits of commands: all processes that they started have ended, whatever ends the command.

import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, until } from '../fixtures/server.ts';
import { everything, finished, folder, pidsIn, spawnCli, startCli, writeConfig } from './run-cli.ts';

const withPids = (name: string) => {
  const file = join(folder, name);
  return { pids: () => pidsIn(file), env: ['--env', `PID_FILE=${file}`] };
};

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s during a call exits with %i and leaves no process', async (signal, code) => {
  const { pids, env } = withPids(`${signal}.pids`);
  const child = startCli(['call', 'works', '--verbose', ...env, ...everything]);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await until('the call is under way', () => stderr.includes('tools/call'));
  const ended = once(child, 'close');
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect(pids()).toHaveLength(1);
  expect(pids().filter(isAlive)).toEqual([]);
});

test('a signal during the start of the server leaves no process', async () => {
  const silent = 'require("fs").appendFileSync(process.env.PID_FILE, process.pid + "\\n"); setInterval(() => {}, 1e6)';
  const { pids, env } = withPids('starting.pids');
  const child = startCli(['tools', ...env, '--', process.execPath, '-e', silent]);
  await until('it is started', () => pids().length === 1);
  const ended = once(child, 'close');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  await until('it is gone', () => !pids().some(isAlive));
});

test('a second signal exits without waiting, and the watchdog kills a server that ignores signals', async () => {
  const { pids } = withPids('stubborn.pids');
  const ended = join(folder, 'stubborn.ended');
  const script = `
    require('fs').appendFileSync(${JSON.stringify(join(folder, 'stubborn.pids'))}, process.pid + '\\n');
    process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1e6);
    process.stdin.on('end', () => require('fs').writeFileSync(${JSON.stringify(ended)}, ''));`;
  const stop = { stdinMs: 1_000_000 }; // longer than a test may take
  const config = writeConfig('stubborn.json', { stubborn: { command: process.execPath, args: ['-e', script], stop } });
  const child = startCli(['tools', 'stubborn', '--config', config]);
  await until('it is started', () => pids().length === 1);
  child.kill('SIGINT');
  await until('the command waits for it', () => existsSync(ended));
  const closed = once(child, 'close');
  child.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
  await until('the watchdog has taken it', () => !pids().some(isAlive));
});

test('`| head` is not a failure, and leaves no process', async () => {
  const { pids, env } = withPids('head.pids');
  const child = startCli(['call', 'large', ...env, ...everything]);
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(pids().filter(isAlive)).toEqual([]);
});

test('ten megabytes arrive completely in a slow pipe', async () => {
  const child = startCli(['call', 'large', ...everything]);
  const ran = finished(child);
  child.stdout.pause();
  setTimeout(() => child.stdout.resume(), 300);
  const { code, stdout } = await ran;
  expect(code).toBe(0);
  expect(stdout.length).toBe(15 * 500_000);
});

test('a completed call leaves no process', async () => {
  const { pids, env } = withPids('done.pids');
  expect(await spawnCli(['call', 'greet', 'name=x', ...env, ...everything])).toMatchObject({ code: 0 });
  expect(pids()).toHaveLength(1);
  expect(pids().filter(isAlive)).toEqual([]);
});

describe('Ctrl-C before the command has started', () => {
  /** Sends the signal at the moment when a file of the program loads another one. */
  const interruptedBy = (loader: RegExp) => {
    const file = join(folder, 'interrupts.cjs');
    writeFileSync(
      file,
      `const Module = require('node:module');
      const load = Module._load;
      Module._load = (request, parent, ...rest) => {
        const isOurs = request.startsWith('./') && ${loader}.test(parent?.filename ?? '');
        if (isOurs) { Module._load = load; process.kill(process.pid, 'SIGINT'); }
        return load(request, parent, ...rest);
      };`,
    );
    return { NODE_OPTIONS: `--require=${file}` };
  };

  test.each([
    ['while the program is loaded', /dist.cli.main\.cjs$/],
    ['while the command is loaded', /dist.cli.(?!main)[^/\\]+\.cjs$/],
  ])('%s exits with 130 and prints nothing', async (_when, loader) => {
    for (const command of [['ls'], ['config'], ['up', '--no-inspector'], ['tools', ...everything]]) {
      const ran = await spawnCli(command, { env: interruptedBy(loader) });
      expect({ command, ...ran }).toEqual({ command, code: 130, stdout: '', stderr: '' });
    }
  });
});
