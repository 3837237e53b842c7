// A Standpipe gateway whose clients name their principal in a header: `serveHttp` with the servers of a `Host`, in a
// separate process. Sends its port to its parent.

import { fileURLToPath } from 'node:url';
import { Host } from '../../../dist/entry/host.js';
import { serveHttp } from '../../../dist/entry/http.js';

const args = [fileURLToPath(new URL('server.mjs', import.meta.url))];
const host = new Host({ mcpServers: { echo: { command: process.execPath, args } } });
await host.start();
const auth = { authenticate: (request) => ({ name: request.header('x-principal') }) };
const { port } = await serveHttp((name) => (name === 'echo' ? host.service(name) : undefined), { auth });
process.on('disconnect', () => host.stop().then(() => process.exit()));
process.send(port);
