// Each gateway in front of the same stdio server, started as its documentation says. `target` is the data that a client
// needs; `end` stops the gateway and the processes that it leaves running.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../scripts/free-port.mjs';
import { makeTempFolder } from '../../temp-folder.mjs';
import { cliPath } from '../cli/path.mjs';
import { openClient } from './mcp-client.mjs';
import { processTree } from './process-tree.mjs';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 8000;

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const serverPath = pathOf('server.mjs');
const endWithParent = new URL('../cli/end-with-parent.mjs', import.meta.url).href;
const mcpProxy = pathOf('../../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
const supergateway = pathOf('../../node_modules/supergateway/dist/index.js');

const words = {
  raw: (port) => [pathOf('raw-loop.mjs'), port, serverPath],
  'mcp-proxy': (port) => [mcpProxy, '--port', port, '--server', 'stream', '--', process.execPath, serverPath],
  supergateway: (port) => [
    supergateway,
    ...['--stdio', `"${process.execPath}" "${serverPath}"`, '--outputTransport', 'streamableHttp', '--stateful'],
    ...['--port', port, '--logLevel', 'none'],
  ],
  standpipe: (port, config) => [cliPath, 'up', '--config', config, '--http', port, '--json'],
};

/** `path`: a path of Standpipe; the default is that of the one server. `further`: further members of its entry. */
export async function startGateway(name, path = '/mcp/echo', further) {
  const folder = makeTempFolder();
  const config = join(folder.path, 'mcp.json');
  const echo = { command: process.execPath, args: [serverPath], ...further };
  writeFileSync(config, JSON.stringify({ mcpServers: { echo } }));
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--import', endWithParent, ...words[name](String(port), config)],
    { env: { ...process.env, XDG_RUNTIME_DIR: folder.path }, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const end = async () => {
    const { pids } = processTree(child.pid);
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(timer);
    for (const pid of pids) kill(pid);
    folder.remove();
  };
  try {
    const target = { port, path: name === 'standpipe' ? path : '/mcp' };
    await becomesReady(child, () => {
      if (name === 'standpipe') target.headers = { authorization: `Bearer ${readToken(folder.path)}` };
      return openClient(target, { name: 'first', revision: '2025-11-25', connections: 1 });
    });
    return { pid: child.pid, target, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function becomesReady(child, connect) {
  const limitMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      const client = await connect();
      await client.echo('');
      return client.vanish();
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`the gateway ended with exit code ${child.exitCode}`);
      if (performance.now() > limitMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function readToken(folder) {
  const file = readdirSync(folder, { recursive: true }).find((each) => each.endsWith('.token'));
  return readFileSync(join(folder, file), 'utf8').trim();
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended
  }
}
