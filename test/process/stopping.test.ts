// A server is stopped with all processes that it started, without signals if possible.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readProcessTable } from '../../src/wire/process/tree/process-table.ts';
import { expectNoneAlive, fixture, isAlive, node, playground, until } from '../fixtures/process/programs.ts';

const shortWaits = { stdinMs: 200, sigtermMs: 200, sigkillMs: 1000 };
/** Longer than the limit of a test, so that a test that ends in time did not wait for it. */
const endlessWaits = { stdinMs: 1_000_000 };
const linux = test.runIf(process.platform === 'linux');

test('a server that exits when stdin closes gets no signal and causes no delay', async () => {
  const { marks, start } = playground();
  const server = await start({ command: node, args: [fixture('leaves-at-eof.mjs')], stopWaits: endlessWaits });
  await marks.count('leaves-at-eof', 1);
  expect(await server.stop()).toBe('stdin');
  expect(server.exitStatus).toEqual({ exitCode: 0, signal: null });
  expectNoneAlive([server.pid]);
  expect(marks.signals('leaves-at-eof')).toEqual([]);
});

test('a server that ignores the end of stdin ends at SIGTERM', async () => {
  const { marks, start } = playground();
  const server = await start({ command: node, args: [fixture('ignores-stdin-eof.mjs')] });
  await marks.count('ignores-stdin-eof', 1);
  expect(await server.stop()).toBe('SIGTERM');
  expect(server.exitStatus).toEqual({ exitCode: null, signal: 'SIGTERM' });
});

test('sh → sh → node that ignore everything: no process remains', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: tree });
  const [grandchild] = await marks.count('ignores-sigterm', 1);
  expect(await server.stop()).toBe('SIGKILL');
  expect(marks.signals('ignores-sigterm')).toEqual(['SIGTERM']);
  expectNoneAlive([server.pid, grandchild!]);
});

test('sh → sh → node: the end of stdin reaches the server through the wrappers', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('leaves-at-eof.mjs')];
  const server = await start({ command: 'sh', args: tree, stopWaits: endlessWaits });
  const [grandchild] = await marks.count('leaves-at-eof', 1);
  expect(await server.stop()).toBe('stdin');
  expectNoneAlive([server.pid, grandchild!]);
});

test('the leader is killed from outside: its grandchildren are killed too', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: tree, stopWaits: shortWaits });
  const [grandchild] = await marks.count('ignores-sigterm', 1);
  process.kill(server.pid, 'SIGKILL');
  expect(await server.exit).toEqual({ exitCode: null, signal: 'SIGKILL' });
  await until('the grandchild is gone', () => !isAlive(grandchild!));
  expect(await server.stop()).toBe('SIGKILL');
});

test('a leader that exits and leaves a grandchild running: stop ends the grandchild', async () => {
  const { marks, start } = playground();
  const behind = [fixture('leaves-grandchild-behind.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: behind });
  expect(await server.exit).toEqual({ exitCode: 0, signal: null });
  expect(['SIGTERM', 'SIGKILL']).toContain(await server.stop()); // SIGTERM, if it arrives before the fixture ignores it
  expectNoneAlive(marks.pids());
});

test('a server that exited by itself gets no signal', async () => {
  const { start } = playground();
  const server = await start({ command: 'sh', args: ['-c', 'exit 3'] });
  expect(await server.exit).toEqual({ exitCode: 3, signal: null });
  expect(await server.stop()).toBe('already-exited');
});

test('a tree that is stopped at once after its start leaves no process', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('ignores-sigterm.mjs')];
  for (let round = 0; round < 5; round += 1) {
    const server = await start({ command: 'sh', args: tree, stopWaits: { ...shortWaits, stdinMs: round * 20 } });
    await server.stop();
    expectNoneAlive([server.pid, ...marks.pids()]);
  }
});

linux('a start that is aborted leaves nothing and rejects with the reason', async () => {
  const { start } = playground();
  const abort = new AbortController();
  const seconds = String(100_000 + process.pid); // unique, to find the process
  const options = { command: 'sleep', args: [seconds], signal: abort.signal, stopWaits: shortWaits };
  const starting = start(options);
  expect(commandLines()).toContain(`sleep ${seconds}`);
  abort.abort(new Error('changed my mind'));
  await expect(starting).rejects.toThrow('changed my mind');
  await expect(start(options)).rejects.toThrow('changed my mind');
  expect(commandLines()).not.toContain(`sleep ${seconds}`);
});

test('stopping twice has the effect of stopping once', async () => {
  const { start } = playground();
  const server = await start({ command: 'cat', stopWaits: endlessWaits });
  expect(server.stop()).toBe(server.stop());
  expect(await server.stop()).toBe('stdin');
});

test('the streams end with the server: closed resolves after the stop, although they were not read', async () => {
  const { start } = playground();
  const server = await start({ command: 'sh', args: ['-c', 'echo unread; cat'] });
  await server.stop();
  await server.closed;
  expect(server.stdout.readableEnded).toBe(true);
});

linux('a child in a session of its own goes with its parent', async () => {
  const { marks, start } = playground();
  const server = await start({ command: node, args: [fixture('escapes-its-group.mjs')], stopWaits: shortWaits });
  await marks.count('escapes-its-group', 1);
  const [stray] = await marks.count('ignores-sigterm', 1);
  expect(await server.stop()).toBe('SIGKILL');
  expect(server.exitStatus).toEqual({ exitCode: 0, signal: null }); // the parent itself exited at the end of stdin
  expect(marks.signals('ignores-sigterm')).toEqual(['SIGTERM']);
  expectNoneAlive([server.pid, stray!]);
});

linux('a grandchild in another group of the session is found without its parent', async () => {
  const { marks, start } = playground();
  const behind = [fixture('changes-its-group.sh'), node, fixture('ignores-stdin-eof.mjs')];
  const server = await start({ command: 'bash', args: behind });
  expect(await server.exit).toEqual({ exitCode: 0, signal: null });
  expect(await server.stop()).toBe('SIGTERM');
  expectNoneAlive(marks.pids());
});

linux('a daemon that is kept holds neither the pipes nor the host', async () => {
  const { marks, start } = playground();
  const server = await start({
    command: 'sh',
    args: [fixture('loses-a-daemon.sh'), node, fixture('ignores-sigterm.mjs')],
    keepDaemons: true,
  });
  await server.exit;
  expect(await server.stop()).toBe('already-exited');
  await server.closed;
  expect(marks.pids().map(isAlive)).toEqual([true]);
});

linux('a server that is itself a host goes with its servers, its watchdog and their grandchildren', async () => {
  const { marks, start } = playground();
  const server = await start({ command: node, args: [fixture('host-of-three.mjs')] });
  await marks.count('', 3);
  const below = descendants(server.pid);
  expect(below.length).toBeGreaterThanOrEqual(6); // three leaders, a shell and a grandchild, the watchdog
  await server.stop();
  expectNoneAlive([server.pid, ...below]);
});

function descendants(pid: number): number[] {
  const children = readProcessTable()!.filter((row) => row.parent === pid);
  return children.flatMap((row) => [row.pid, ...descendants(row.pid)]);
}

/** Command lines of all processes. A zombie has none. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      } catch {
        return ''; // ended after the listing
      }
    });
}
