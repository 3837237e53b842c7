// `copying-host.mjs` with the server of `mcp/`, beside everything that is measured. `shared` is the path of its socket.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempFolder } from '../../temp-folder.mjs';
import { serverCommand } from '../server-command.mjs';

const program = fileURLToPath(new URL('copying-host.mjs', import.meta.url));
const endWithParent = new URL('end-with-parent.mjs', import.meta.url).href;

export async function startCopyingHost() {
  const folder = makeTempFolder();
  const path = join(folder.path, 'copies');
  const { args } = serverCommand(new URL('../mcp/', import.meta.url));
  const child = spawn(process.execPath, ['--import', endWithParent, program, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    shared: { copiesPath: path },
    async end() {
      child.kill('SIGTERM');
      await exited;
      folder.remove();
    },
  };
}
