// Our peer and its server with a tap between them: the hardest case for a tap, because the calls themselves cost
// little.

import { join } from 'node:path';
import { Peer } from '../../../dist/entry/jsonrpc.js';
import { StdioClientTransport } from '../../../dist/entry/stdio.js';
import { makeTempFolder } from '../../temp-folder.mjs';
import { cliPath } from '../cli/path.mjs';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

/** `pid` is the pid of the tap. */
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
  // Kills the tap before the folder is removed: a tap that is still recording would create it again.
  const kill = () => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // the tap has ended
    }
  };
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
