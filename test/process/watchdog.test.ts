// A host is killed and cannot clean up.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ProcessError } from '../../src/base/errors.ts';
import { readProcessRow } from '../../src/wire/process/tree/process-table.ts';
import { Watchdog } from '../../src/wire/process/tree/watchdog.ts';
import { watchdogScript } from '../../src/wire/process/tree/watchdog-script.ts';
import {
  endedWithTest,
  expectNoneAlive,
  fixture,
  isAlive,
  node,
  playground,
  until,
} from '../fixtures/process/programs.ts';

const posix = process.platform !== 'win32';

async function hostOfThree(how = 'runs') {
  const { marks } = playground();
  const host = endedWithTest(
    spawn(node, [fixture('host-of-three.mjs'), how], {
      env: { ...process.env, ...marks.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const [line] = await once(host.stdout, 'data');
  return { host, marks, leaders: JSON.parse(String(line)) as number[] };
}

test.runIf(posix)('a host killed with SIGKILL: every server and grandchild ends too', async () => {
  const { host, marks, leaders } = await hostOfThree();
  await marks.count('', 3);
  process.kill(host.pid!, 'SIGKILL');
  await until('all are gone', () => ![...leaders, ...marks.pids()].some(isAlive));
  expect(marks.signals('leaves-at-eof')).toEqual([]); // the cooperative server exited before any signal
  expect(marks.signals('ignores-sigterm')).toEqual(['SIGTERM']); // the stubborn server got SIGTERM first
});

test.runIf(posix)('a host that exits without stopping its servers: every server and grandchild ends too', async () => {
  const { host, marks, leaders } = await hostOfThree('exits');
  if (host.exitCode === null) await once(host, 'exit');
  await until('all are gone', () => ![...leaders, ...marks.pids()].some(isAlive));
  expectNoneAlive(leaders);
});

test.runIf(posix)('a host without work exits: the watchdog does not keep it running, and ends with it', async () => {
  const { marks } = playground();
  const host = spawn(node, [fixture('host-without-work.mjs')], {
    env: { ...process.env, ...marks.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect((await once(host, 'close'))[0]).toBe(0);
});

/** A process that leads its own group, as a server does. */
function groupLeader(script = 'exec sleep 99'): ChildProcess & { pid: number } {
  return spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' }) as ChildProcess & { pid: number };
}

/** Resolves when the shell ignores SIGTERM (bit 14 of SigIgn in proc(5)). */
async function ignoresSignals(pid: number): Promise<void> {
  await until('signals are ignored', () => {
    const ignored = /SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!;
    return (Number.parseInt(ignored.slice(-8), 16) & (1 << 14)) !== 0;
  });
}

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/ksh'].filter((shell) => existsSync(shell));

/** In the form of `newMark`. */
const markOf = (server: ChildProcess) => `mark-of-the-server-${server.pid}`;

function watch(watchdog: Watchdog, leader: ChildProcess & { pid: number }): void {
  watchdog.watch({ mark: markOf(leader), group: leader.pid });
}

test.each(shells)('never signals a server that was forgotten (%s)', async (shell) => {
  const watchdog = new Watchdog({ shell });
  const [kept, released] = [groupLeader(), groupLeader()];
  watch(watchdog, kept);
  watch(watchdog, released);
  watchdog.forget(markOf(released));
  const pid = watchdog.pid!;
  watchdog.close();
  const [, signal] = await once(kept, 'exit');
  expect(signal).toBe('SIGTERM');
  await until('the watchdog ends by itself', () => !isAlive(pid));
  expect(isAlive(released.pid)).toBe(true);
  released.kill('SIGKILL');
});

test.runIf(process.platform === 'linux').each(shells)(
  'does not signal a process with another start time, which has reused the pid (%s)',
  async (shell) => {
    const watchdog = new Watchdog({ shell });
    const [ours, stranger] = [groupLeader(), groupLeader()];
    const { startTicks } = readProcessRow(ours.pid)!;
    watchdog.watch({ mark: markOf(ours), group: ours.pid, startTicks });
    watchdog.watch({ mark: markOf(stranger), group: stranger.pid, startTicks: 1 });
    const pid = watchdog.pid!;
    watchdog.close();
    await once(ours, 'exit');
    await until('the watchdog ends by itself', () => !isAlive(pid));
    expect(isAlive(stranger.pid)).toBe(true);
    stranger.kill('SIGKILL');
  },
);

test.runIf(process.platform === 'linux')('on macOS, finds processes with a mark by ps', async () => {
  const { marks } = playground();
  // `ps e` here prints the same as `ps -E` on macOS.
  writeFileSync(
    join(marks.folder, 'ps'),
    '#!/bin/sh\nfor o; do shift; [ "$o" = -E ] || set -- "$@" "$o"; done\nexec /usr/bin/ps "$@" e\n',
    {
      mode: 0o755,
    },
  );
  const env = { ...process.env, PATH: `${marks.folder}:${process.env.PATH}` };
  const [mark, other] = ['mark-of-the-server-1', 'mark-of-the-server-2'];
  const [marked, stranger] = [mark, other].map((mark) =>
    spawn('sleep', ['99'], { detached: true, stdio: 'ignore', env: { ...env, STANDPIPE_MARKS: mark } }),
  );
  const watchdog = spawn('sh', ['-c', watchdogScript('darwin')], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  watchdog.stdin.end(`+ ${mark}:0:0:0\n`);
  const [[, signal]] = await Promise.all([once(marked!, 'exit'), once(watchdog, 'exit')]);
  expect(signal).toBe('SIGTERM');
  expect(isAlive(stranger!.pid!)).toBe(true);
  stranger!.kill('SIGKILL');
});

test.runIf(process.platform === 'linux')('the watchdog survives the signals that end its host', async () => {
  const watchdog = new Watchdog();
  const leader = groupLeader();
  watch(watchdog, leader);
  await ignoresSignals(watchdog.pid!);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(watchdog.pid!, signal);
  watchdog.close();
  await once(leader, 'exit');
});

test.runIf(posix)('reports a watchdog that exits, and replaces it at once with all servers', async () => {
  const failures: ProcessError[] = [];
  const watchdog = new Watchdog({ onFailure: (error) => failures.push(error) });
  const [first, second] = [groupLeader(), groupLeader()];
  watch(watchdog, first);
  watch(watchdog, second);
  const pid = watchdog.pid!;
  process.kill(pid, 'SIGKILL');
  await until('it is reported', () => failures.length === 1);
  expect(watchdog.pid).toBeGreaterThan(0);
  expect(watchdog.pid).not.toBe(pid);
  watchdog.close();
  await Promise.all([once(first, 'exit'), once(second, 'exit')]);
  expect(failures).toMatchObject([{ code: 'WATCHDOG_FAILED', hint: expect.stringContaining('It was replaced') }]);
});

test.runIf(posix)(
  'a watchdog that keeps exiting is not replaced endlessly, until the next server or a later attempt',
  async () => {
    const clock = new ManualClock();
    const failures: ProcessError[] = [];
    const watchdog = new Watchdog({ clock, onFailure: (error) => failures.push(error) });
    const [first, second] = [groupLeader(), groupLeader()];
    watch(watchdog, first);
    const kill = async () => {
      const count = failures.length;
      process.kill(watchdog.pid!, 'SIGKILL');
      await until('it is reported', () => failures.length > count);
    };
    for (let times = 0; times < 3; times += 1) await kill();
    clock.advance(10_000);
    for (let times = 0; times < 3; times += 1) await kill();
    expect(watchdog.pid).toBeDefined();
    await kill();
    expect(watchdog.pid).toBeUndefined();
    expect(failures.at(-1)!.hint).toContain('would outlive this process');
    watch(watchdog, second);
    expect(watchdog.pid).toBeDefined();
    await kill();
    expect(watchdog.pid).toBeUndefined();
    clock.advance(10_000); // without another server, after a delay
    expect(watchdog.pid).toBeDefined();
    watchdog.close();
    await Promise.all([once(first, 'exit'), once(second, 'exit')]);
  },
);

test.runIf(posix)('without a shell, reports an error for each server, and throws no exception', async () => {
  const reported: string[] = [];
  const watchdog = new Watchdog({ shell: '/no/such/shell', onFailure: (error) => reported.push(error.message) });
  watchdog.watch({ mark: 'mark-of-the-server-1' });
  watchdog.watch({ mark: 'mark-of-the-server-1', group: 99_999_999 });
  await until('it is reported', () => reported.length === 1);
  watchdog.watch({ mark: 'mark-of-the-server-2' });
  await until('it is reported again', () => reported.length === 2);
  watchdog.forget('mark-of-the-server-2');
  expect(reported[0]).toContain('ENOENT');
});

test.runIf(posix)(
  'ignores group numbers with a special meaning in kill(2), and marks that are not unique',
  async () => {
    const watchdog = new Watchdog();
    const bystander = spawn('sleep', ['99'], { stdio: 'ignore', env: { ...process.env, NAME: 'short' } });
    for (const group of [0, 1, -1, Number.NaN]) watchdog.watch({ mark: `mark-of-the-server-${group}`, group });
    for (const mark of ['short', '']) watchdog.watch({ mark });
    const pid = watchdog.pid!;
    watchdog.close();
    await until('the watchdog ends by itself', () => !isAlive(pid));
    expect(isAlive(bystander.pid!)).toBe(true);
    bystander.kill('SIGKILL');
  },
);
