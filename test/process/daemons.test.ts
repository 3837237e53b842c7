// Processes that left the group and the session of a server and lost their parent: they have the mark of the server and
// end with it, unless its options or the server itself prevent that. Only Linux shows the mark of a process.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/base/command-line.ts';
import { Host } from '../../src/entry/host.ts';
import type { ServerProcessOptions } from '../../src/wire/process/server-process.ts';
import { readProcessTable } from '../../src/wire/process/tree/process-table.ts';
import {
  endedWithTest,
  expectNoneAlive,
  fixture,
  isAlive,
  type Marks,
  node,
  playground,
  textOf,
  until,
} from '../fixtures/process/programs.ts';

const shortWaits = { stdinMs: 200, sigtermMs: 200, sigkillMs: 1000 };
/**
 * Longer than the limit of a test, so that a process that exits at the end of stdin gets no signal, even on a busy
 * machine.
 */
const politeWaits = { stdinMs: 1_000_000 };
/** A fixture, quoted for a shell script. */
const quoted = (name: string) => shellWord(fixture(name));
const daemons = { command: 'sh', args: [fixture('starts-daemons.sh')] };

/** A host in a separate process, to be killed. */
function hostOf(options: ServerProcessOptions, marks: Marks) {
  const server = JSON.stringify({ ...options, env: { ...marks.env, ...options.env } });
  return { command: node, args: [fixture('host-of-one.mjs'), server] };
}

function runHost(options: ServerProcessOptions, marks: Marks): number {
  const { command, args } = hostOf(options, marks);
  return endedWithTest(spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })).pid!;
}

function childrenOf(pid: number): number[] {
  return readProcessTable()!.flatMap((row) => (row.parent === pid ? [row.pid] : []));
}

function watchdogOf(pid: number): number {
  const isWatchdog = (child: number) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('standpipe-watchdog');
  return childrenOf(pid).find(isWatchdog)!;
}

function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

describe.runIf(process.platform === 'linux')('daemons', () => {
  test('end when their server is stopped', async () => {
    const { marks, start } = playground();
    const server = await start({ ...daemons, stopWaits: { ...shortWaits, stdinMs: 1500 } });
    const strays = await marks.count('daemon', 2);
    expect(await server.stop()).toBe('SIGKILL');
    expect(server.exitStatus).toEqual({ exitCode: 0, signal: null }); // the server itself exited at the end of stdin
    expectNoneAlive([server.pid, ...strays]);
  });

  test('end when their server exits, and hold neither the pipes nor the host', async () => {
    const { marks, start } = playground();
    const loses = { command: 'sh', args: [fixture('loses-a-daemon.sh'), node, fixture('ignores-sigterm.mjs')] };
    const server = await start({ ...loses, stopWaits: shortWaits });
    await server.exit;
    expect(await server.stop()).toBe('SIGKILL');
    await server.closed;
    expectNoneAlive(marks.pids());
  });

  test('end when the host is killed', async () => {
    const { marks } = playground();
    const host = runHost(daemons, marks);
    const strays = await marks.count('daemon', 2);
    process.kill(host, 'SIGKILL');
    await until('all are gone', () => !strays.some(isAlive));
  });

  test('survive with keepDaemons when their server is stopped', async () => {
    const { marks, start } = playground();
    const server = await start({ ...daemons, keepDaemons: true, stopWaits: politeWaits });
    const strays = await marks.count('daemon', 2);
    expect(await server.stop()).toBe('stdin');
    expect(strays.map(isAlive)).toEqual([true, true]);
  });

  test('survive with keepDaemons when the host is killed, and the server ends', async () => {
    const { marks } = playground();
    // The jobs are in other groups of the session: they are not daemons, and are found by their mark.
    const stubborn = `sh ${quoted('stubborn.sh')}`;
    const jobs = `set -m; ${stubborn} & sh ${quoted('starts-daemons.sh')} </dev/null & exec ${stubborn}`;
    const host = runHost({ command: 'bash', args: ['-c', jobs], keepDaemons: true }, marks);
    const strays = await marks.count('daemon', 2);
    const watchdog = watchdogOf(host);
    const server = childrenOf(host).find((pid) => pid !== watchdog)!;
    const session = [server, ...childrenOf(server)];
    expect(session.length).toBeGreaterThan(1);
    process.kill(host, 'SIGKILL');
    await until('the watchdog is done', () => !isAlive(watchdog));
    expectNoneAlive(session);
    expect(strays.map(isAlive)).toEqual([true, true]);
  });

  test.each([
    [true, [true, true]],
    [false, [false, false]],
  ])('of a server of a host: keepDaemons of the config is %s', async (keepDaemons, alive) => {
    const { marks } = playground();
    const script = `sh ${quoted('starts-daemons.sh')} </dev/null; exec "$0" "$1"`;
    const args = ['-c', script, node, fileURLToPath(new URL('../host/servers/counts.mjs', import.meta.url))];
    const host = new Host({ mcpServers: { one: { command: 'sh', args, env: marks.env, keepDaemons } } });
    expect(await host.start()).toMatchObject([{ state: 'ready' }]);
    const strays = await marks.count('daemon', 2);
    await host.stop();
    expect(strays.map(isAlive)).toEqual(alive);
  });

  test('survive if their server has started them without the mark', async () => {
    const { marks, start } = playground();
    const args = [fixture('starts-a-free-daemon.sh'), node, fixture('ignores-sigterm.mjs')];
    const server = await start({ command: 'sh', args, stopWaits: politeWaits });
    const [free] = await marks.count('ignores-sigterm', 1);
    expect(await server.stop()).toBe('stdin');
    expect(isAlive(free!)).toBe(true);
  });

  test('a process without the mark is never ended, whatever its name', async () => {
    const { marks, start } = playground();
    const stranger = spawn('sh', [fixture('starts-daemons.sh')], {
      env: { ...process.env, ...marks.env, STANDPIPE_MARKS: 'of-another-server-0123456789' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const strays = await marks.count('daemon', 2);
    const server = await start({ command: 'cat', stopWaits: politeWaits });
    expect(await server.stop()).toBe('stdin');
    expect([stranger.pid!, ...strays].filter((pid) => !isAlive(pid))).toEqual([]);
    stranger.kill('SIGKILL');
  });
});

describe.runIf(process.platform === 'linux')('a server that is itself a host', () => {
  test('gives its servers both marks', async () => {
    const { marks, start } = playground();
    const shows = { command: 'sh', args: ['-c', 'echo "$STANDPIPE_MARKS"'] };
    const outer = await textOf((await start(shows)).stdout);
    expect(outer).toMatch(/^[0-9a-w]+\n$/);
    const writes = { command: 'sh', args: ['-c', 'echo "$STANDPIPE_MARKS" >"$MARKS/marks.1"; exec cat'] };
    const host = await start(hostOf(writes, marks));
    await until('they are known', () => marks.signals('marks.1').length === 1);
    expect(marks.signals('marks.1')[0]).toMatch(/^[0-9a-w]+ [0-9a-w]+$/);
    await host.stop();
  });

  test('is killed with its watchdog: its servers and their daemons end by the outer mark', async () => {
    const { marks, start } = playground();
    const inner = await start({ ...hostOf(daemons, marks), stopWaits: shortWaits });
    const strays = await marks.count('daemon', 2);
    process.kill(watchdogOf(inner.pid), 'SIGKILL');
    process.kill(inner.pid, 'SIGKILL');
    await inner.exit;
    await inner.stop();
    expectNoneAlive(strays);
  });

  test('is killed with the outer host: all processes end, and the watchdogs too', async () => {
    const { marks } = playground();
    const outer = runHost(hostOf(daemons, marks), marks);
    const strays = await marks.count('daemon', 2);
    const outerWatchdog = watchdogOf(outer);
    const inner = childrenOf(outer).find((pid) => commandLine(pid).includes('host-of-one'))!;
    const all = [outerWatchdog, watchdogOf(inner), inner, ...childrenOf(inner), ...strays];
    process.kill(inner, 'SIGKILL');
    process.kill(outer, 'SIGKILL');
    await until('all are gone', () => !all.some(isAlive));
  });
});
