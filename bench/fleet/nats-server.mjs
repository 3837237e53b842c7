// A real NATS server with JetStream and its monitoring, on loopback. What it stores is gone with it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../scripts/free-port.mjs';
import { findNatsServer } from '../../scripts/nats-server.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const START_LIMIT_MS = 10_000;

/** Resolves to `{ url, pid, monitor, end }`. `monitor('connz?limit=10')` is a page of its monitoring. */
export async function startNatsServer() {
  const program = findNatsServer();
  if (!program) throw new Error('no nats-server: install one, or name it in STANDPIPE_NATS_SERVER');
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
