// The server of `mcp/`, called through a host.

import { serverCommand } from '../server-command.mjs';
import { openHost } from './open-host.mjs';

export async function connect() {
  const { host, start, close } = await openHost({ echo: serverCommand(new URL('../mcp/', import.meta.url)) });
  await start();
  const call = async (name, input) => {
    const { content, isError } = await host.callTool('echo', name, input);
    if (isError) throw new Error(`${name} answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('echo', { text }),
    serverUsage: async () => JSON.parse(await call('usage', {})),
    close,
  };
}
