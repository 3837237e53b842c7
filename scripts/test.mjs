// `npm test`: everything a fresh clone needs to pass all the tests, in order. Extra arguments go to Vitest.

import { prepare, run } from './prepare.mjs';

await prepare();
await run('npm', ['run', 'check']);
await run('npx', ['vitest', 'run', ...process.argv.slice(2)]);
