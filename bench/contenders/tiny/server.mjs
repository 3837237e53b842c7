// As little of a server as one can be: one tool that takes anything.

import { Server, serveStdio } from '../../../dist/entry/server.js';

const server = new Server({ name: 'tiny', version: '1.0.0' });
server.tool('hello', {}, () => 'hello');
await serveStdio(server);
