// A host that hangs cannot end its servers. Servers under its lease must have ended before another host may run them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { startServerProcess } from '../../src/wire/process/server-process.ts';
import { readProcessRow } from '../../src/wire/process/tree/process-table.ts';
import { Watchdog } from '../../src/wire/process/tree/watchdog.ts';
import { fixture, isAlive, node, playground, until } from '../fixtures/process/programs.ts';

const linux = process.platform === 'linux';
const shells = ['/bin/dash', '/bin/bash', '/bin/ksh'].filter((shell) => existsSync(shell));

test.runIf(process.platform !== 'win32')(
  'a host that is stopped with SIGSTOP: its leased server and the grandchild are killed, its other server is not',
  async () => {
    const { marks } = playground();
    const host = spawn(node, [fixture('host-with-lease.mjs'), '2500'], {
      env: { ...process.env, ...marks.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
    const { own, leased } = JSON.parse((await lines.next()).value!);
    await marks.count('ignores-stdin-eof', 1);
    const [grandchild] = await marks.count('ignores-sigterm', 1);
    process.kill(host.pid!, 'SIGSTOP');
    await until('the grandchild is gone', () => !isAlive(grandchild!));
    // The stopped host cannot reap the leader.
    if (linux) await until('the leader is gone', () => readProcessRow(leased)?.dead !== false);
    expect(isAlive(own)).toBe(true);

    process.kill(host.pid!, 'SIGCONT');
    expect(JSON.parse((await lines.next()).value!)).toEqual({ signal: 'SIGKILL' });
    expect(isAlive(own)).toBe(true);
    host.stdin.end();
    expect(await once(host, 'exit')).toEqual([0, null]);
    expect(isAlive(own)).toBe(false);
  },
);

test.runIf(process.platform !== 'win32')(
  'does not start a server whose lease has ended, even under the next lease',
  async () => {
    const clock = new ManualClock();
    const watchdog = new Watchdog({ clock });
    watchdog.renewLease('a', 1_000, 5_000);
    const start = () => startServerProcess({ command: 'sleep', args: ['99'], lease: 'a', watchdog });
    clock.advance(2_999);
    watchdog.renewLease('of another node', 0, 5_000);
    await (await start()).stop();
    clock.advance(1);
    await expect(start()).rejects.toMatchObject({ code: 'SPAWN_FAILED' });
    watchdog.renewLease('b', 0, 5_000);
    await expect(start()).rejects.toMatchObject({ code: 'SPAWN_FAILED' });
    watchdog.renewLease('a', 0, 5_000);
    await (await start()).stop();
    watchdog.close();
  },
);

/** A process that leads its own group, as a server does. */
function groupLeader(): ChildProcess & { pid: number } {
  return spawn('sleep', ['99'], { detached: true, stdio: 'ignore' }) as ChildProcess & { pid: number };
}

const markOf = (server: ChildProcess) => `mark-of-the-server-${server.pid}`;

describe.runIf(linux).concurrent.each(shells)('a lease in %s', (shell) => {
  const watchdogWith = (servers: { leased?: ChildProcess[]; own?: ChildProcess[] }, lifetimeMs: number) => {
    const watchdog = new Watchdog({ shell, onFailure: () => undefined });
    watchdog.renewLease('a', 0, lifetimeMs);
    for (const server of servers.own ?? []) watchdog.watch({ mark: markOf(server), group: server.pid! });
    for (const server of servers.leased ?? []) {
      watchdog.watch({ mark: markOf(server), group: server.pid!, lease: 'a' });
    }
    return watchdog;
  };

  test('renewals keep a server that ends without them, even after the watchdog was killed and replaced', async () => {
    const [renewed, lapsed, own, forgotten] = [groupLeader(), groupLeader(), groupLeader(), groupLeader()];
    const keeper = watchdogWith({ leased: [renewed] }, 5_000);
    process.kill(keeper.pid!, 'SIGKILL');
    const renewals = setInterval(() => keeper.renewLease('a', 0, 5_000), 100);
    const other = watchdogWith({ own: [own], leased: [forgotten, lapsed] }, 5_000);
    other.forget(markOf(forgotten));
    const [, signal] = await once(lapsed, 'exit');
    expect(signal).toBe('SIGKILL');
    expect([renewed, own, forgotten].map(({ pid }) => isAlive(pid))).toEqual([true, true, true]);
    clearInterval(renewals);
    forgotten.kill('SIGKILL');
    for (const watchdog of [keeper, other]) watchdog.close();
    await Promise.all([once(renewed, 'exit'), once(own, 'exit')]);
  });

  test('each of two leases has its own deadline, even after the watchdog was killed and replaced', async () => {
    const [renewed, lapsed, other] = [groupLeader(), groupLeader(), groupLeader()];
    const watchdog = watchdogWith({ leased: [lapsed] }, 5_000);
    watchdog.renewLease('of another node', 0, 5_000);
    for (const server of [renewed, other]) {
      watchdog.watch({ mark: markOf(server), group: server.pid, lease: 'of another node' });
    }
    process.kill(watchdog.pid!, 'SIGKILL');
    const renewals = setInterval(() => watchdog.renewLease('of another node', 0, 5_000), 100);
    expect((await once(lapsed, 'exit'))[1]).toBe('SIGKILL');
    watchdog.forget(markOf(lapsed));
    expect([renewed, other].map(({ pid }) => isAlive(pid))).toEqual([true, true]);
    clearInterval(renewals);
    expect((await Promise.all([once(renewed, 'exit'), once(other, 'exit')])).map(([, signal]) => signal)).toEqual([
      'SIGKILL',
      'SIGKILL',
    ]);
    watchdog.close();
  });

  test('one process counts the time of a lease, and renewals start none', async () => {
    const [server, last] = [groupLeader(), groupLeader()];
    const ended = once(server, 'exit'); // on a busy machine, the lease may end before the next statement
    const watchdog = watchdogWith({ leased: [server] }, 5_000);
    const pid = watchdog.pid!;
    // A bash that starts may run other programs first.
    const isCounter = (child: number) =>
      commandOf(child) === commandOf(pid) && childrenOf(child).some((its) => commandOf(its)?.startsWith('sleep'));
    const counters = () => childrenOf(pid).filter(isCounter);
    // Between two sleeps, none of its children is a sleep.
    let counter: number | undefined;
    await until('it counts', () => {
      [counter] = counters();
      return counter !== undefined;
    });
    for (let i = 0; i < 20; i++) watchdog.renewLease('a', 0, 5_000);
    watchdog.watch({ mark: markOf(last), group: last.pid, lease: 'never renewed' });
    await once(last, 'exit'); // the watchdog has read all messages
    await until('it still counts, beside that of the other lease', () => {
      const now = counters();
      return now.length === 2 && now.includes(counter!);
    });
    watchdog.close();
    await ended;
    await until('nothing is left', () => ![pid, counter!].some(isAlive));
  });
});

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return undefined; // the process has ended
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const rows = pids.map((pid) => readProcessRow(Number(pid)));
  return rows.filter((row) => row?.parent === parent && !row.dead).map((row) => row!.pid);
}
