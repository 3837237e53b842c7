// Our peer and its server with a tap between them: the hardest pair for a tap, since their own calls cost next to nothing.

import { join } from 'node:path';
import { Peer } from '../../../dist/entry/jsonrpc.js';
import { StdioClientTransport } from '../../../dist/entry/stdio.js';
import { makeTempFolder } from '../../temp-folder.mjs';
import { cliPath } from '../cli/path.mjs';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

/** `pid` is the tap's. */
export async function connect({ record }) {
  const folder = makeTempFolder();
  const server = serverCommand(new URL('../standpipe/', import.meta.url));
  const options = record ? ['--record', join(folder.path, 'session.jsonl')] : [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...process.execArgv, cliPath, 'tap', ...options, '--', server.command, ...server.args],
    stderr: 'inherit',
    maxFrameBytes: MAX_MESSAGE_BYTES,
  });
  const peer = new Peer(transport);
  await peer.start();
  const { pid } = transport;
  // Before the folder goes: a tap that is still recording would make it again.
  const kill = () => process.kill(pid, 'SIGKILL');
  process.prependOnceListener('exit', kill);
  return {
    echo: async (text) => (await peer.request('echo', { text })).text,
    serverUsage: () => peer.request('usage'),
    pid,
    async close() {
      await peer.close();
      process.off('exit', kill);
      folder.remove();
    },
  };
}
