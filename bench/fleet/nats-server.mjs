// A real NATS server with JetStream and monitoring, on loopback. Its store is removed when it ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../scripts/free-port.mjs';
import { findNatsServer } from '../../scripts/nats-server.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const START_LIMIT_MS = 10_000;

/** Resolves to `{ url, pid, monitor, end }`. `monitor('connz?limit=10')` returns a page of the monitoring. */
export async function startNatsServer() {
  const program = findNatsServer();
  if (!program) throw new Error('nats-server was not found: install it, or set STANDPIPE_NATS_SERVER to its path');
  const folder = makeTempFolder();
  const [port, monitorPort] = [await freePort(), await freePort()];
  const args = ['-a', '127.0.0.1', '-p', port, '-m', monitorPort, '-js', '-sd', folder.path].map(String);
  const child = spawn(program, args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const monitor = async (page) => (await fetch(`http://127.0.0.1:${monitorPort}/${page}`)).json();
  await becomesReady(child, monitor);
  return {
    url: `nats://127.0.0.1:${port}`,
    pid: child.pid,
    monitor,
    async end() {
      process.off('exit', kill);
      kill();
      await exited;
      folder.remove();
    },
  };
}

async function becomesReady(child, monitor) {
  const limitMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      const { status } = await monitor('healthz');
      if (status === 'ok') return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with exit code ${child.exitCode}`);
      if (performance.now() > limitMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
