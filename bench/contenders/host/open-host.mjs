// A host with a config file in a separate folder, as a user would have one.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Host } from '../../../dist/entry/host.js';
import { makeTempFolder } from '../../temp-folder.mjs';

/** Writes and loads the config; servers are not started yet. `close` stops the servers and removes the folder. */
export async function openHost(mcpServers) {
  const folder = makeTempFolder();
  const file = join(folder.path, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const host = await Host.open(file);
  const close = async () => {
    await host.stop();
    folder.remove();
  };
  return {
    host,
    async start() {
      const unready = (await host.start()).find(({ state }) => state !== 'ready');
      if (!unready) return;
      await close();
      throw new Error(`${unready.name} is ${unready.state}: ${unready.reason}`);
    },
    close,
  };
}
