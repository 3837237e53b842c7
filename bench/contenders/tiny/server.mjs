// A minimal server: one tool that accepts any arguments.

import { Server, serveStdio } from '../../../dist/entry/server.js';

const server = new Server({ name: 'tiny', version: '1.0.0' });
server.tool('hello', {}, () => 'hello');
await serveStdio(server);
