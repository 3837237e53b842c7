// `node:http` with keep-alive connections: the limit for a client.

import { Agent, request } from 'node:http';
import { toolCaller } from '../tool-caller.mjs';
import { startServer } from './start-server.mjs';

export async function connect() {
  const { url, readyMs, end } = await startServer('raw-server.mjs');
  const agent = new Agent({ keepAlive: true });
  let lastId = 0;
  const call = (name, input) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: ++lastId,
        method: 'tools/call',
        params: { name, arguments: input },
      });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).result));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const close = async () => {
    agent.destroy();
    await end();
  };
  return { ...toolCaller(call, close), readyMs };
}
