// Stopping a server on a system without a readable table of processes, such as macOS: only its group is known.

import { expect, test, vi } from 'vitest';
import { expectNoneAlive, fixture, isAlive, node, playground, until } from '../fixtures/process/programs.ts';

vi.mock('../../src/wire/process/tree/process-table.ts', () => ({
  readProcessTable: () => undefined,
  readProcessRow: () => undefined,
  readResidentBytes: () => undefined,
}));

const posix = test.skipIf(process.platform === 'win32');
const shortWaits = { stdinMs: 200, sigtermMs: 200, sigkillMs: 1000 };

posix('a tree that ignores everything is stopped as a whole', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: tree, stopWaits: shortWaits });
  const [grandchild] = await marks.count('ignores-sigterm', 1);
  await server.stop(); // the init process may be slow to reap, so the step that ended it varies
  expectNoneAlive([server.pid, grandchild!]);
});

posix('what a leader leaves behind is stopped when it has exited', async () => {
  const { marks, start } = playground();
  const behind = [fixture('leaves-grandchild-behind.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: behind, stopWaits: shortWaits });
  await server.exit;
  await server.stop();
  expectNoneAlive(marks.pids());
});

posix('a leader that is killed from outside takes its group along', async () => {
  const { marks, start } = playground();
  const tree = [fixture('spawns-grandchild.sh'), node, fixture('ignores-sigterm.mjs')];
  const server = await start({ command: 'sh', args: tree, stopWaits: shortWaits });
  const [grandchild] = await marks.count('ignores-sigterm', 1);
  process.kill(server.pid, 'SIGKILL');
  await until('the grandchild is gone', () => !isAlive(grandchild!));
});

posix('a server that ends with its stdin gets no signal', async () => {
  const { marks, start } = playground();
  const server = await start({
    command: node,
    args: [fixture('leaves-at-eof.mjs')],
    stopWaits: { stdinMs: 1_000_000 },
  });
  await marks.count('leaves-at-eof', 1);
  expect(await server.stop()).toBe('stdin');
  expect(marks.signals('leaves-at-eof')).toEqual([]);
});
