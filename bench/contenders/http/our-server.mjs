// An echo tool on our server, over HTTP, with the same schema as the official one.

import { z } from 'zod';
import { serveHttp } from '../../../dist/entry/http.js';
import { Server } from '../../../dist/entry/server.js';
import { usage } from '../usage.mjs';
import './end-with-input.mjs';

const server = new Server({ name: 'echo', version: '1.0.0' });
server.tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text);
server.tool('usage', {}, () => JSON.stringify(usage()));
const { url } = await serveHttp(server, { port: 0, token: false });
console.log(String(url));
