// Our client, in the detected revision or in the given one. Its server has the schema of the official one, unless
// another server is named.

import { connect as connectMcp } from '../../../dist/entry/client.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';

export async function connect({ server, ...options } = {}) {
  const command = { ...serverCommand(import.meta.url, server), stderr: 'inherit', maxFrameBytes: MAX_MESSAGE_BYTES };
  const client = await connectMcp(command, options);
  return toolCaller(
    (name, input) => client.callTool(name, input),
    () => client.close(),
  );
}
