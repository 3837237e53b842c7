// Pain point 1, its worst case: the host is killed with no chance to clean up.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Watchdog } from '../../src/process/watchdog.ts';
import { expectNoneAlive, fixture, isAlive, node, playground, until } from '../fixtures/process/programs.ts';

const posix = process.platform !== 'win32';

async function hostOfThree(how = 'runs') {
  const { marks } = playground();
  const host = spawn(node, [fixture('host-of-three.mjs'), how], {
    env: { ...process.env, ...marks.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(host.stdout, 'data');
  return { host, marks, leaders: JSON.parse(String(line)) as number[] };
}

test.runIf(posix)('a host killed with SIGKILL: every server and grandchild goes too', async () => {
  const { host, marks, leaders } = await hostOfThree();
  await marks.count('', 3);
  process.kill(host.pid!, 'SIGKILL');
  await until('all are gone', () => ![...leaders, ...marks.pids()].some(isAlive));
  expect(marks.signals('leaves-at-eof')).toEqual([]); // the polite one left before anyone was signalled
  expect(marks.signals('ignores-sigterm')).toEqual(['SIGTERM']); // and the stubborn one was asked first
});

test.runIf(posix)('a host that exits without stopping its servers: the same', async () => {
  const { host, marks, leaders } = await hostOfThree('exits');
  if (host.exitCode === null) await once(host, 'exit');
  await until('all are gone', () => ![...leaders, ...marks.pids()].some(isAlive));
  expectNoneAlive(leaders);
});

test.runIf(posix)('a host with nothing left to do ends: the watchdog does not hold it, nor outlive it', async () => {
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

/** Resolves when the shell has come to ignore SIGTERM (bit 14 of SigIgn in proc(5)). */
async function ignoresSignals(pid: number): Promise<void> {
  await until('signals are ignored', () => {
    const ignored = /SigIgn:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!;
    return (Number.parseInt(ignored.slice(-8), 16) & (1 << 14)) !== 0;
  });
}

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/ksh', '/bin/zsh'].filter((shell) => existsSync(shell));

test.each(shells)('a group that was unregistered is never signalled (%s)', async (shell) => {
  const watchdog = new Watchdog({ shell });
  const [kept, released] = [groupLeader(), groupLeader()];
  watchdog.register(kept.pid);
  watchdog.register(released.pid);
  watchdog.unregister(released.pid);
  const pid = watchdog.pid!;
  watchdog.close();
  const [, signal] = await once(kept, 'exit');
  expect(signal).toBe('SIGTERM');
  await until('the watchdog ends by itself', () => !isAlive(pid));
  expect(isAlive(released.pid)).toBe(true);
  released.kill('SIGKILL');
});

test.runIf(process.platform === 'linux')('the watchdog survives the signals that end its host', async () => {
  const watchdog = new Watchdog();
  const leader = groupLeader();
  watchdog.register(leader.pid);
  await ignoresSignals(watchdog.pid!);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(watchdog.pid!, signal);
  watchdog.close();
  await once(leader, 'exit');
});

test.runIf(posix)(
  'a watchdog that dies is reported, started again once with all groups, and then given up',
  async () => {
    const failures: string[] = [];
    const watchdog = new Watchdog({ onFailure: (error) => failures.push(error.code) });
    const [first, second] = [groupLeader(), groupLeader()];
    watchdog.register(first.pid);
    const pid = watchdog.pid!;
    process.kill(pid, 'SIGKILL');
    await until('it is reported', () => failures.length === 1);
    expect(watchdog.pid).toBeUndefined();
    watchdog.register(second.pid);
    expect(watchdog.pid).not.toBe(pid);
    watchdog.close();
    await Promise.all([once(first, 'exit'), once(second, 'exit')]);
    expect(failures).toEqual(['WATCHDOG_FAILED']);
  },
);

test.runIf(posix)('without a shell there is a report, and no exception', async () => {
  const reported: string[] = [];
  const watchdog = new Watchdog({ shell: '/no/such/shell', onFailure: (error) => reported.push(error.message) });
  watchdog.register(99_999_999);
  await until('it is reported', () => reported.length === 1);
  watchdog.register(99_999_998);
  await until('it is reported again', () => reported.length === 2);
  watchdog.register(99_999_997);
  watchdog.unregister(99_999_997);
  expect(reported[0]).toContain('ENOENT');
});

test('numbers that mean everyone to kill(2) are refused', () => {
  const watchdog = new Watchdog();
  for (const group of [0, 1, -1, Number.NaN]) watchdog.register(group);
  expect(watchdog.pid).toBeUndefined();
});
