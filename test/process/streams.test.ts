// stderr is drained and bounded, a broken pipe ends no process, and the evidence is kept.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/base/command-line.ts';
import { fixture, node, playground, until } from '../fixtures/process/programs.ts';
import { usually } from '../fixtures/repetitions.ts';
import { rungAfterStdin } from '../fixtures/windows.ts';

test('10 MB on stderr without a newline: the server is not blocked, and the newest 64 KB are kept', async () => {
  const { start } = playground();
  const server = await start({ command: node, args: [fixture('floods-stderr.mjs')] });
  const [said] = await once(server.stdout, 'data');
  expect(String(said)).toBe('done\n');
  const total = 159 * 64 * 1024 + 'the end'.length;
  await until('all of it was read', () => server.stderrRing.totalBytes === total);
  expect(server.stderrRing.droppedBytes).toBe(total - 64 * 1024);
  expect(server.stderrRing.tail(1 << 20)).toHaveLength(64 * 1024);
  expect(server.evidence('running').stderrTail).toMatch(/^x{4089}the end$/);
});

test('evidence contains the exit of the server and its last output, masked', async () => {
  const { start } = playground();
  const args = ['-e', 'process.stderr.write("bad key " + process.env.KEY); process.exitCode = 4'];
  const server = await start({ command: node, args, env: { KEY: 'hunter22' } });
  await server.closed;
  expect(server.evidence('startup')).toEqual({
    phase: 'startup',
    command: commandLine(node, args),
    pid: server.pid,
    exitCode: 4,
    signal: null,
    stderrTail: 'bad key [env KEY]',
  });
});

test('records a write to a server that no longer reads, without an uncaught error', async () => {
  const { start } = playground();
  const server = await start({ command: node, args: [fixture('closes-its-stdin.mjs')], stopWaits: { stdinMs: 10 } });
  await once(server.stdout, 'data');
  server.stdin.write('anyone?');
  await until('the error', () => server.stdinError !== undefined);
  expect(server.stdinError).toMatchObject({ code: 'EPIPE' });
  expect(await server.stop()).toBe(rungAfterStdin);
});

const deaths = usually(25, 100);

test(`writing to a server that exits causes no uncaught error, ${deaths} times`, async () => {
  const { start } = playground();
  for (let round = 0; round < deaths; round += 1) {
    const server = await start({ command: node, args: ['-e', '0'] });
    server.stdin.write(Buffer.alloc(100_000));
    expect((await server.exit).exitCode).toBe(0);
    server.stdin.write('after');
  }
});

test('calls a listener at the exit, even if it is added later', async () => {
  const { start } = playground();
  const server = await start({ command: node, args: ['-e', 'process.exitCode = 7'] });
  const told: unknown[] = [];
  server.onExit((status) => told.push(status));
  await server.exit;
  server.onExit((status) => told.push(status));
  await server.closed;
  expect(told).toEqual([
    { exitCode: 7, signal: null },
    { exitCode: 7, signal: null },
  ]);
});
