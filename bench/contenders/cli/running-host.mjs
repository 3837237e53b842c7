// `standpipe up` with one server, running beside all samples. `shared` is the data that a client needs to reach it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempFolder } from '../../temp-folder.mjs';
import { serverCommand } from '../server-command.mjs';
import { cliPath } from './path.mjs';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 10_000;

const endWithParent = new URL('end-with-parent.mjs', import.meta.url).href;

/** `name`: name of the server and of its folder. */
export async function startRunningHost(name = 'tiny') {
  const folder = makeTempFolder();
  const config = join(folder.path, 'mcp.json');
  const { args } = serverCommand(new URL(`../${name}/`, import.meta.url));
  writeFileSync(config, JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args } } }));
  // Uses a separate runtime folder, so that running hosts and taps of the user are not found.
  const env = { ...process.env, XDG_RUNTIME_DIR: folder.path };
  const words = ['--import', endWithParent, cliPath, 'up', '--config', config, '--no-inspector', '--json'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const exited = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(timer);
    folder.remove();
  };
  if (await becomesReady(child)) return { shared: { config, runtimeFolder: folder.path }, end };
  await end();
  throw new Error('standpipe up did not get its server ready');
}

/** Keeps reading after the result: the host would block on a full pipe. */
function becomesReady(child) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, START_LIMIT_MS, false);
    const settle = (ready) => {
      clearTimeout(timer);
      resolve(ready);
    };
    child.once('close', () => settle(false));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event, to } = JSON.parse(line);
      if (event === 'state' && to === 'ready') settle(true);
      if (event === 'state' && to === 'failed') settle(false);
    });
  });
}
