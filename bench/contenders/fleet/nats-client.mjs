// A client of `nats-responder.mjs`, by NATS request/reply. `withServer`: the responder passes each message to a stdio server.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect as connectNats } from '@nats-io/transport-node';

const responder = fileURLToPath(new URL('nats-responder.mjs', import.meta.url));
const server = fileURLToPath(new URL('../gateway/server.mjs', import.meta.url));
const SUBJECT = 'bench.echo';
const TIMEOUT_MS = 60_000;

export async function connect({ url, withServer }) {
  const child = fork(responder, [url, SUBJECT, ...(withServer ? [server] : [])]);
  await once(child, 'message');
  const connection = await connectNats({ servers: url });
  let lastId = 0;
  const options = { timeout: TIMEOUT_MS };
  const request = async (text) => {
    const params = { name: 'echo', arguments: { text } };
    const message = { jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params };
    const { result } = (await connection.request(SUBJECT, JSON.stringify(message), options)).json();
    return result.content[0].text;
  };
  /** Raw bytes: neither end parses them. */
  const plain = async (text) => (await connection.request(SUBJECT, text, options)).string();
  return {
    echo: withServer ? request : plain,
    async close() {
      await connection.close();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
