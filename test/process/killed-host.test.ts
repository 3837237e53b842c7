// At whatever moment a host is killed, none of its processes remains, and neither does its watchdog.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixture, isAlive, node, until } from '../fixtures/process/programs.ts';
import { usually } from '../fixtures/repetitions.ts';

const rounds = usually(1, 40);
const delaysMs = usually([0, 3, 24], [0, 1, 3, 5, 10, 24, 50]);
const moments = ['call', 'spawn'].flatMap((from) => delaysMs.map((delayMs) => ({ from, delayMs })));

let hosts = 0;

/** Runs a host that is killed, and waits until none of its processes is left: each has the token in its PATH. */
async function expectNothingLeft(hostFixture: string, args: readonly string[], server: string): Promise<void> {
  hosts += 1;
  const token = `killed-host-${process.pid}-${hosts}`;
  const host = spawn(node, [fixture(hostFixture), ...args, 'sh', fixture(server), token], {
    env: { PATH: `${process.env.PATH}:/${token}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(host, 'exit');
  expect(signal).toBe('SIGKILL');
  // Reading all processes is slow: they are read again only when those of the last time have ended.
  let left: number[];
  do {
    left = processesWith(token);
    await until(`nothing is left (${args.join(' ')})`, () => !left.some(isAlive));
  } while (left.length > 0);
}

function processesWith(token: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(token));
    } catch {
      return false; // the process has ended
    }
  });
}

/** Runs all moments of a round at a time, because most of the time is waiting for watchdogs. */
async function killAtEveryMoment(server: string, serversBefore: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      moments.map(({ from, delayMs }) =>
        expectNothingLeft('host-killed-early.mjs', [from, String(delayMs), String(serversBefore)], server),
      ),
    );
  }
}

// On other systems, a server that ignores the end of its stdin may survive if the host is killed just after starting
// it.
describe.runIf(process.platform === 'linux')('a host that is killed while it starts a server', () => {
  const timeoutMs = 120_000 * rounds;

  test('leaves no process of the first server', () => killAtEveryMoment('stubborn.sh', 0), timeoutMs);

  test('leaves no process of the second server', () => killAtEveryMoment('stubborn.sh', 1), timeoutMs);

  test('leaves no process of a server that starts daemons', () => killAtEveryMoment('starts-daemons.sh', 0), timeoutMs);

  test('leaves no process just after its watchdog was killed', () =>
    expectNothingLeft('host-killed-with-watchdog.mjs', [], 'stubborn.sh'));
});
