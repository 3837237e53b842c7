// The server of `mcp/`, called through a host.

import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';
import { openHost } from './open-host.mjs';

export async function connect() {
  const { host, start, close } = await openHost({ echo: serverCommand(new URL('../mcp/', import.meta.url)) });
  await start();
  return toolCaller((name, input) => host.callTool('echo', name, input), close);
}
