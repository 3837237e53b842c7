// `npm test`: everything a fresh clone needs to pass all the tests, in order. Extra arguments go to Vitest. A step that
// succeeds prints one line.

import { ensureChromium } from './chromium.mjs';
import { ensureNatsServer } from './nats-server.mjs';
import { prepare, run } from './prepare.mjs';

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
ensureNatsServer();

// The check runs beside the tests, which wait for processes more often than they compute.
const [checkCode, testCode] = await Promise.all([check(), test(process.argv.slice(2))]);
process.exitCode = testCode || checkCode;

async function check() {
  const { code, output } = await run('npm', ['run', 'check'], 'pipe');
  console.error(code === 0 ? 'check: passed' : `${output}\ncheck failed: npm run check ended with code ${code}`);
  return code ?? 1;
}

async function test(args) {
  const { code } = await run('npx', ['vitest', 'run', ...args]);
  return code ?? 1;
}
