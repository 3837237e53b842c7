// An echo tool on our server, with the same schema as the official one.

import { z } from 'zod';
import { Server, serveStdio } from '../../../dist/entry/server.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { usage } from '../usage.mjs';

const server = new Server({ name: 'echo', version: '1.0.0' });
server.tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text);
server.tool('usage', {}, () => JSON.stringify(usage()));

await serveStdio(server, { maxFrameBytes: MAX_MESSAGE_BYTES });
