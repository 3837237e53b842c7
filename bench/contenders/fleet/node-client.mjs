// A client of a fleet node, in the process of the node. The echo server runs on this node, or on another node in a
// separate process, which is started as its documentation says.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempFolder } from '../../temp-folder.mjs';
import { cliPath } from '../cli/path.mjs';

const endWithParent = new URL('../cli/end-with-parent.mjs', import.meta.url).href;
const serverPath = fileURLToPath(new URL('../gateway/server.mjs', import.meta.url));
const echoServer = { command: process.execPath, args: [serverPath] };
const START_LIMIT_MS = 20_000;

/** `parts`: the bundle of `fleet-parts.mjs`. */
export async function connect({ url, parts, isLocal }) {
  const { FleetNode, Host, openNetwork } = await import(parts);
  // Each sample uses a separate fleet.
  const fleet = `bench-${process.pid}`;
  const folder = makeTempFolder();
  const owner = isLocal ? undefined : startOwner(folder, url, fleet);
  let node;
  const config = join(folder.path, 'caller.json');
  writeFileSync(config, JSON.stringify({ mcpServers: isLocal ? { echo: echoServer } : {} }));
  const host = await Host.open(config, { serviceOf: (...given) => node?.serviceOf(...given) });
  const network = await openNetwork({ servers: [url], fleet, name: 'caller' });
  node = await FleetNode.join(host, { network, node: 'caller' });
  await host.start();
  const server = isLocal ? 'echo' : 'echo@owner';
  const echo = async (text) => (await host.callTool(server, 'echo', { text })).content[0].text;
  await becomesReady(() => echo(''));
  return {
    echo,
    async close() {
      await node.leave();
      await host.stop();
      await network.close();
      owner?.child.kill('SIGTERM');
      await owner?.exited;
      folder.remove();
    },
  };
}

function startOwner(folder, url, fleet) {
  const config = join(folder.path, 'owner.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: echoServer } }));
  const child = spawn(
    process.execPath,
    [
      ...[...process.execArgv, '--import', endWithParent, cliPath, 'up', '--config', config, '--no-inspector'],
      ...['--join', url, '--fleet', fleet, '--node', 'owner'],
    ],
    { env: { ...process.env, XDG_RUNTIME_DIR: folder.path }, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  return { child, exited: once(child, 'exit') };
}

async function becomesReady(call) {
  const limitMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > limitMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
