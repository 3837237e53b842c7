// `standpipe up` with remote servers: output of the commands for servers that are connected, unreachable, or require a login.

import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { remoteUp } from '../host/remote-servers.ts';
import { cleanEnv, program, runCli, startCli, writeConfig } from './run-cli.ts';

test('commands use remote servers like others, and report why one is unreachable', async () => {
  const [far, gone, guarded] = [await remoteUp(), await remoteUp(), await remoteUp({ token: 'a-fixed-token' })];
  await gone.down();
  const config = writeConfig('remote-host.json', {
    far: { url: `${far.url}?key=secret-key-of-far` },
    gone: { url: gone.url },
    guarded: { url: guarded.url },
    wrong: { url: 'ftp://127.0.0.1/mcp' },
  });
  const host = startCli(['up', '--no-inspector', '--config', config]);
  let log = '';
  for (const stream of [host.stdout, host.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = once(host, 'close');
  later(async () => {
    host.kill('SIGTERM');
    await ended;
  });
  const run = (...words: string[]) => runCli([...words, '--config', config]);
  await until(
    'all are known',
    () => /far ready/.test(log) && /gone cannot be/.test(log) && /standpipe login guarded/.test(log),
  );
  expect(log).toContain('nothing listens at');
  expect(log).toContain('Run `standpipe login guarded`');

  const listed = JSON.parse((await run('ls', '--json')).stdout) as { servers: { name: string }[] };
  expect(listed.servers).toMatchObject([
    { name: 'far', state: 'ready', pid: null, url: `${far.url}?key=[redacted]` },
    { name: 'gone', state: 'unreachable', lastExit: { evidence: { diagnosis: 'connection-refused' } } },
    { name: 'guarded', state: 'failed', lastExit: { code: 'LOGIN_REQUIRED' } },
    { name: 'wrong', state: 'rejected' },
  ]);
  expect((await run('ls')).stdout).toMatch(new RegExp(`^gone\\tunreachable\\t.*\\t${gone.url}\\t`, 'm'));

  const calls = await Promise.all(['gone', 'guarded', 'wrong'].map((name) => run('call', name, 'count', '--json')));
  expect(calls.map(({ code, stdout }) => [code, JSON.parse(stdout).error.code])).toEqual([
    [3, 'SERVER_UNREACHABLE'],
    [3, 'SERVER_FAILED'],
    [3, expect.any(String)],
  ]);

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'connect', 'far', '--config', config],
    env: cleanEnv as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'official', version: '1' });
  later(() => client.close());
  await client.connect(transport);
  expect(await client.callTool({ name: 'count', arguments: {} })).toMatchObject({ content: [{ text: '1' }] });
  await far.down();
  await gone.up();
  await until('it is noticed', () => /far (backoff|unreachable)/.test(log) && /gone ready/.test(log));
  await far.up();
  await until('it is ready again', () => /far (backoff|unreachable).*far ready/s.test(log));
  expect(await client.callTool({ name: 'count', arguments: {} })).toMatchObject({ content: [{ text: '2' }] });
  expect((await run('restart', 'far')).code).toBe(0);
  expect((await run('logs', 'far')).stdout).toContain('far remote: ');
  expect((await run('down')).code).toBe(0);
  await ended;
  expect(log).not.toContain('secret-key-of-far');
});
