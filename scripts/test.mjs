// `npm test`: everything a fresh clone needs to pass the tests, in order. A step that succeeds prints one line.
// Without arguments, all test files but the slow ones, `*.full.test.ts`. With `--full`, all of them, as test-in-copy.mjs says. Other
// arguments go to Vitest.

import { ensureChromium } from './chromium.mjs';
import { ensureNatsServer } from './nats-server.mjs';
import { prepare, run } from './prepare.mjs';
import { testInCopy } from './test-in-copy.mjs';

const given = process.argv.slice(2);
const isFull = given.includes('--full');
const forVitest = given.filter((word) => word !== '--full');
// A path names its slow files too.
const isQuick = !isFull && forVitest.every((word) => word.startsWith('-'));

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
ensureNatsServer();

// The check runs beside the tests, which wait for processes more often than they compute.
const [checkCode, testCode] = await Promise.all([check(), isFull ? testInCopy(forVitest) : test()]);
process.exitCode = testCode || checkCode;

async function check() {
  const { code, output } = await run('npm', ['run', 'check'], 'pipe');
  console.error(code === 0 ? 'check: passed' : `${output}\ncheck failed: npm run check ended with code ${code}`);
  return code ?? 1;
}

async function test() {
  const env = { ...process.env, ...(isQuick && { STANDPIPE_QUICK_TESTS: '1' }) };
  const { code } = await run('npx', ['vitest', 'run', ...forVitest], 'inherit', { env });
  return code ?? 1;
}
