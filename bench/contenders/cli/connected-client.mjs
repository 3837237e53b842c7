// Our client of one server, which it reaches through `standpipe connect` and the running host, through a relay and a host that only copy
// bytes, or directly, as its child process.

import { fileURLToPath } from 'node:url';
import { connect as connectMcp } from '../../../dist/entry/client.js';
import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';
import { cliPath } from './path.mjs';

export async function connectThrough({ config, runtimeFolder }) {
  const args = [cliPath, 'connect', 'mcp', '--config', config];
  return connectTo({ command: process.execPath, args, env: { ...process.env, XDG_RUNTIME_DIR: runtimeFolder } });
}

export async function connectThroughCopies({ copiesPath }) {
  const relay = fileURLToPath(new URL('copying-relay.mjs', import.meta.url));
  return connectTo({ command: process.execPath, args: [relay, copiesPath] });
}

export async function connectDirectly() {
  return connectTo(serverCommand(new URL('../mcp/', import.meta.url)));
}

async function connectTo(command) {
  const client = await connectMcp({ ...command, stderr: 'inherit' });
  return toolCaller(
    (name, input) => client.callTool(name, input),
    () => client.close(),
  );
}
