// An echo tool on the official server: in its default era, or in both eras if the argument is `modern`.

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { build } from './echo-server.mjs';

const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
if (process.argv[2] === 'modern') serveStdio(build, { transport });
else await build().connect(transport);
