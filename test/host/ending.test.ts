// All servers of a host end in time: process trees, trees without a leader, servers during their start, and servers of
// a killed host.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import { isAlive, until } from '../fixtures/server.ts';
import { counting, folder, openHost, serverFile, writeConfig } from './run-host.ts';

describe('processes of a host', () => {
  /** sh starts sh, which starts node */
  const tree = (name: string) => {
    const counts = counting(name);
    const inner = `"${process.execPath}" "${serverFile('counts')}"; true`;
    return { ...counts, entry: { ...counts.entry, command: 'sh', args: ['-c', `sh -c '${inner}'; true`] } };
  };
  /** The node process, its parent shell, and the parent of that. */
  const wholeTree = (host: Host, lives: number[][]) => {
    const [node, sh] = lives.at(-1)!;
    return [node!, sh!, host.status()[0]!.pid!];
  };

  test('stop() leaves no process of a tree', async () => {
    const server = tree('tree');
    const host = await openHost({ server: server.entry });
    await host.start();
    const pids = wholeTree(host, server.lives());
    expect(pids.filter(isAlive)).toHaveLength(3);
    await host.stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('stop() leaves no process when the leader has exited before', async () => {
    const server = tree('leaderless');
    const host = await openHost({ server: { ...server.entry, restart: { policy: 'never' } } });
    await host.start();
    const pids = wholeTree(host, server.lives());
    process.kill(pids[2]!, 'SIGKILL');
    await until('all of it is gone', () => !pids.some(isAlive));
    await host.stop();
  });

  test('stop() leaves no process during the handshake', async () => {
    const pidFile = join(folder, 'handshake.pids');
    const script = `require('fs').writeFileSync('${pidFile}', String(process.pid)); setInterval(() => {}, 1e6)`;
    const host = await openHost({ server: { command: process.execPath, args: ['-e', script] } });
    const starting = host.start();
    const pid = () => Number(readFileSync(pidFile, { encoding: 'utf8', flag: 'a+' }));
    await until('it runs', () => pid() > 0);
    await host.stop();
    expect(isAlive(pid())).toBe(false);
    await starting;
  });

  test('servers of a host that is killed with -9 exit, well-behaved or not', async () => {
    const polite = counting('polite');
    const stubborn = join(folder, 'stubborn.pids');
    const script = `
      require('fs').writeFileSync('${stubborn}', String(process.pid));
      process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1e6);`;
    const config = writeConfig({
      polite: polite.entry,
      stubborn: { command: process.execPath, args: ['-e', script] },
      tree: tree('killed-tree').entry,
    });
    const program = `
      import { Host } from '${new URL('../../dist/entry/host.js', import.meta.url)}';
      const host = await Host.open('${config}');
      void host.start();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    const pids = () => [
      ...polite.lives().map(([pid]) => pid!),
      ...tree('killed-tree').lives().flat(),
      Number(readFileSync(stubborn, { encoding: 'utf8', flag: 'a+' })),
    ];
    await until('all run', () => pids().length === 4 && pids().every((pid) => pid > 0));
    const all = pids();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until('all are gone', () => !all.some(isAlive));
  });
});

test('a server that exits when stdin closes gets no signal and causes no delay', async () => {
  const server = counting('ladder', { stop: { stdinMs: 1_000_000 } }); // longer than the limit of a test
  const host = await openHost({ server: server.entry });
  await host.startServer('server');
  await host.stopServer('server');
  const rungs = host.flow.since(0).flatMap((event) => (event.kind === 'stop' ? [event.rung] : []));
  expect(new Set(rungs)).toEqual(new Set(['stdin']));
});
