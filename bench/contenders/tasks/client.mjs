// Our client, which declares the extension, of that server over stdio or HTTP, or of a gateway whose entry has tasks or not.

import { connect as connectMcp } from '../../../dist/entry/client.js';
import { processTree } from '../gateway/process-tree.mjs';
import { startGateway } from '../gateway/start.mjs';
import { startServer } from '../http/start-server.mjs';
import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';

export async function connect({ over, support = '' }) {
  const { target, end, serverUsage } = await start[over](support);
  const client = await connectMcp(target);
  const close = async () => {
    await client.close();
    await end?.();
  };
  const caller = toolCaller((name, args) => client.callTool(name, args), close);
  return { ...caller, ...(serverUsage && { serverUsage }), client };
}

const start = {
  stdio: (support) => ({ target: serverCommand(import.meta.url, 'server.mjs', 'stdio', support) }),
  async http(support) {
    const { url, end } = await startServer('../tasks/server.mjs', 'http', support);
    return { target: { url }, end };
  },
  async gateway(support) {
    const { pid, target, end } = await startGateway('standpipe', '/mcp/echo', support && { tasks: { after: '10s' } });
    const url = `http://127.0.0.1:${target.port}${target.path}`;
    return { target: { url, headers: target.headers }, end, serverUsage: async () => processTree(pid) };
  },
};

/** Resolves to the number of messages in both directions while `run` runs. */
export async function countMessages({ transport }, run) {
  const { onmessage, send } = transport;
  let messages = 0;
  transport.onmessage = (...given) => {
    messages++;
    onmessage.apply(transport, given);
  };
  transport.send = (...given) => {
    messages++;
    return send.apply(transport, given);
  };
  await run();
  return messages;
}
