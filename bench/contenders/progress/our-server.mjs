// The tool of official-server.mjs on our server.

import { Server, serveStdio } from '../../../dist/entry/server.js';

const server = new Server({ name: 'progress', version: '1.0.0' });
server.tool('count', {}, (_input, call) => {
  for (const done of [1, 2, 3]) call.progress(done, 3);
  return { content: [] };
});
await serveStdio(server);
