// `npm test`: everything a fresh clone needs to pass all the tests, in order. Extra arguments go to Vitest. A step that
// succeeds prints one line.

import { ensureChromium } from './chromium.mjs';
import { ensureNatsServer } from './nats-server.mjs';
import { prepare, run, step } from './prepare.mjs';

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
ensureNatsServer();
await step('check', 'npm', ['run', 'check']);
const { code } = await run('npx', ['vitest', 'run', ...process.argv.slice(2)]);
process.exitCode = code ?? 1;
