// An echo tool on our MCP server, with a plain JSON Schema.

import { Server, serveStdio } from '../../../dist/entry/server.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { usage } from '../usage.mjs';

const server = new Server({ name: 'echo', version: '1.0.0' });
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
server.tool('echo', { input }, ({ text }) => text);
server.tool('usage', {}, () => JSON.stringify(usage()));
serveStdio(server, { maxFrameBytes: MAX_MESSAGE_BYTES });
