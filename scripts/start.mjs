// `npm start`: on a fresh clone installs and builds, then shows what Standpipe does, on servers that come with it.

import { prepare, run } from './prepare.mjs';

await prepare();
await run('node', ['examples/quickstart/host.mjs']);
