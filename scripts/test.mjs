// `npm test`: everything a fresh clone needs to pass all the tests, in order. Extra arguments go to Vitest.

import { ensureChromium } from './chromium.mjs';
import { prepare, run } from './prepare.mjs';

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
await run('npm', ['run', 'check']);
await run('npx', ['vitest', 'run', ...process.argv.slice(2)]);
