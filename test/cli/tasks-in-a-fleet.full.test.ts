// Detached calls of a server of a fleet, on a real NATS server with one node.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { everythingEntry, fixturePath, folder, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

test('follows a call later that was detached with --join or at a node', async () => {
  const nats = await startNatsServer();
  const studio = { command: process.execPath, args: [fixturePath('tasks.mjs')] };
  const config = writeConfig('node.json', { everything: everythingEntry, studio });
  const node = await startHost(['--config', config, '--join', nats.url, '--node', 'one', '--lease', '10s']);
  try {
    for (const [at, reach] of [
      ['--join', nats.url],
      ['--config', config],
    ].entries()) {
      const gate = join(folder, `gate-${at}`);
      const detach = () => runCli(['call', 'studio', 'render', `until=${gate}`, '--detach', ...reach]);
      await expect.poll(detach, { timeout: 60_000, interval: 1_000 }).toMatchObject({ code: 0 }); // the node joins after its start
      const [{ task }] = JSON.parse((await runCli(['tasks', 'ls', '--json'])).stdout).tasks.slice(-1);
      expect(task).toMatchObject({ status: 'working' });
      writeFileSync(gate, '');
      expect(await runCli(['tasks', 'wait', task.taskId])).toEqual({ code: 0, stdout: 'film.mp4\n', stderr: '' });
    }
  } finally {
    await stopHost(node);
  }
});
