// Signals reach the server through the tap, and no process of the server remains after the tap or the host.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endedWithTest } from '../fixtures/process/programs.ts';
import { fixture, freshFile, isAlive, node, readEvents, startTap, tapCommand, until } from './tapped.ts';

const lines = (file: string) => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)('passes %s on', async (signal) => {
  const file = freshFile('txt');
  const record = freshFile();
  const tapped = startTap([node, fixture('notes-signals'), file], { tap: ['--record', record] });
  await until('the server runs', () => lines(file).length === 1);
  tapped.process.kill(signal);
  await until('the server got it', () => lines(file).includes(signal));
  expect(lines(file).slice(1)).toEqual([signal]);
  expect(isAlive(tapped.pid)).toBe(true);
  await until('it is recorded', async () => (await readEvents(record)).some((event) => event.kind === 'signal'));
});

test('a server that exits at SIGTERM: its exit code is passed on', async () => {
  const file = freshFile('txt');
  const tapped = startTap([node, fixture('notes-signals'), file, 'leaves']);
  await until('the server runs', () => lines(file).length === 1);
  tapped.process.kill('SIGTERM');
  expect(await tapped.end()).toEqual({ exitCode: 5, signal: null });
});

test('a server that SIGTERM kills: the tap ends by the same signal', async () => {
  const tapped = startTap(['sh', '-c', 'echo runs; exec sleep 60']);
  await until('the server runs', () => tapped.text === 'runs\n');
  tapped.process.kill('SIGTERM');
  expect(await tapped.end()).toEqual({ exitCode: null, signal: 'SIGTERM' });
});

test('the whole group of the server gets a signal, because wrappers leave grandchildren', async () => {
  const file = freshFile('txt');
  const tapped = startTap(['sh', '-c', `"${node}" "${fixture('notes-signals')}" "${file}" leaves & wait`]);
  await until('the grandchild runs', () => lines(file).length === 1);
  const [grandchild] = lines(file);
  tapped.process.kill('SIGTERM');
  await tapped.end();
  await until('the grandchild is gone', () => !isAlive(Number(grandchild)));
  expect(lines(file)).toContain('SIGTERM');
});

test('kill -9 of the tap: the recording is readable, and even a stubborn server ends', async () => {
  const file = freshFile('txt');
  const record = freshFile();
  const tapped = startTap([node, fixture('notes-signals'), file], { tap: ['--record', record] });
  await until('the server runs', () => lines(file).length === 1);
  const server = Number(lines(file)[0]);
  tapped.process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await until('it is recorded', async () => (await readEvents(record)).some((event) => event.kind === 'frame'));
  tapped.process.kill('SIGKILL');
  await until('the server is gone', () => !isAlive(server));
  expect((await readEvents(record)).map((event) => event.kind)).toEqual(['spawn', 'frame']);
});

test('the host is killed: a server that ignores the end of stdin is stopped', async () => {
  const file = freshFile('txt');
  const record = freshFile();
  const server = tapCommand([node, fixture('notes-signals'), file], ['--record', record, '--no-announce']);
  const host = endedWithTest(
    spawn(node, [fixture('host-of-a-tap'), ...server], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const [pid] = await once(host.stdout, 'data');
  await until('the server runs', () => lines(file).length === 1);
  host.kill('SIGKILL');
  await until('all are gone', () => !isAlive(Number(pid)) && !isAlive(Number(lines(file)[0])));
  expect(lines(file)).toContain('SIGTERM'); // SIGTERM came first
  const events = await readEvents(record);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'note', text: expect.stringContaining('host has exited') }),
  );
  expect(events.at(-1)).toMatchObject({ kind: 'stop', rung: 'SIGKILL' });
});

test('a host that closes stdin and waits does not count as gone', async () => {
  const tapped = startTap(['sh', '-c', 'cat >/dev/null; sleep 3; echo answer']);
  tapped.process.stdin.end();
  await tapped.end();
  expect(tapped.text).toBe('answer\n');
});

test('pipes of the system pass their ends on like sockets', async () => {
  const go = freshFile('txt');
  const server = `cat; exec 1>&-; until [ -e "${go}" ]; do sleep 0.02; done`;
  const [tap, ...args] = tapCommand(['sh', '-c', server]).map((word) => `'${word}'`);
  const shell = spawn('sh', ['-c', `echo words | ${tap} ${args.join(' ')} | (cat; echo ended >&2)`]);
  let output = '';
  let notes = '';
  shell.stdout.on('data', (chunk) => (output += chunk));
  shell.stderr.on('data', (chunk) => (notes += chunk));
  await until('stdout has ended, while the server runs', () => notes === 'ended\n');
  expect(shell.exitCode).toBeNull();
  writeFileSync(go, '');
  await once(shell, 'close');
  expect(output).toBe('words\n');
});
