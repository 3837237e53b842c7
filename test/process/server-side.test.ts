// Inside a server: stdout carries only the protocol, and no child process inherits its streams.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, node, playground, textOf } from '../fixtures/process/programs.ts';
import { lacks } from '../fixtures/windows.ts';

test('only the protocol reaches stdout, however other code writes to it', async () => {
  const child = spawn(node, [fixture('prints-everywhere.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(stdout).toBe('protocol 1\nprotocol 2\nrestored\n');
  const ways = [
    ['console.error', 'console.log', 'process.stdout.write', 'base64', 'early', 'named import', 'fs.writeSync'],
    ['writeSync by name', 'fs.write', 'write stream', 'with callback', 'end', 'end of the other'],
    ['early worker', 'late worker', 'after the end'],
  ].flat();
  const lines = stderr.split('\n');
  for (const way of ways) expect(lines).toContain(`stray ${way}`);
});

test.skipIf(lacks.asynchronousStdout)(
  'a client that does not read does not block the server, and receives every byte before the exit',
  async () => {
    const child = spawn(node, [fixture('writes-much-and-exits.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [report] = await once(child.stderr, 'data');
    expect(JSON.parse(String(report))).toEqual({ more: false, loopRan: true });
    expect(await textOf(child.stdout)).toHaveLength(8 * 1024 * 1024);
  },
);

test('a pipe into stdout gets the backpressure of stderr, and its drain event', async () => {
  const child = spawn(node, [fixture('pipes-into-early-stdout.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [begun] = await once(child.stdout, 'data');
  expect(String(begun)).toBe('begun\n');
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(stdout).toBe('ended\n');
  expect(stderr).toHaveLength(8 * 1024 * 1024);
});

test.skipIf(lacks.posixPrograms)('a pipe of the system works like a socket', async () => {
  const script = `"$0" "$1" 2>/dev/null | wc -c`;
  const child = spawn('sh', ['-c', script, node, fixture('writes-much-and-exits.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(Number(await textOf(child.stdout))).toBe(8 * 1024 * 1024);
});

test('a file as stdout works too', async () => {
  const { marks } = playground();
  const path = join(marks.folder, 'out.txt');
  const file = openSync(path, 'w');
  const much = spawn(node, [fixture('writes-much-and-exits.mjs')], { stdio: ['ignore', file, 'ignore'] });
  expect((await once(much, 'close'))[0]).toBe(0);
  expect(statSync(path).size).toBe(8 * 1024 * 1024);
  closeSync(file);

  const again = openSync(path, 'w');
  const strays = spawn(node, [fixture('prints-everywhere.mjs')], { stdio: ['ignore', again, 'ignore'] });
  await once(strays, 'close');
  closeSync(again);
  expect(readFileSync(path, 'utf8')).toBe('protocol 1\nprotocol 2\nrestored\n');
});

test('a host that closes our stderr does not end the server: logs are lost, and the protocol continues', async () => {
  const child = spawn(node, [fixture('logs-to-nobody.mjs')], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stderr.destroy();
  await once(child.stderr, 'close');
  child.stdin.end('go');
  expect(await textOf(child.stdout)).toBe('still here\n');
});

test('a tool that runs programs on inherited streams returns, and writes nothing to stdout', async () => {
  const child = spawn(node, [fixture('runs-children.mjs')], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.write('protocol that no child may read\n'.repeat(100));
  child.stdin.on('error', () => undefined); // it exits without reading
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [restored, report] = stdout.trim().split('\n');
  expect(restored).toBe('restored');
  expect(JSON.parse(report!)).toEqual({
    done: ['spawn inherit', 'spawn 0 1 2', 'spawn streams', 'require', 'sync', 'fork', 'execFile'],
    piped: 'given',
    output: 'out\n',
    restored: 0,
  });
  expect(stderr.match(/stray/g)).toHaveLength(4);
  expect(stderr).not.toContain('protocol that no child may read');
});
