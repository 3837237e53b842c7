// An echo method on our peer.

import { Peer } from '../../../dist/entry/jsonrpc.js';
import { StdioServerTransport } from '../../../dist/entry/stdio.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { usage } from '../usage.mjs';

const peer = new Peer(new StdioServerTransport({ maxFrameBytes: MAX_MESSAGE_BYTES }));
peer.handle('echo', (params) => params);
peer.handle('usage', usage);
await peer.start();
