// `npm test`: prepares a fresh clone and runs the tests. A successful step prints one line. Without arguments, all test
// files except the slow ones, `*.full.test.ts`, are run; with `--full`, all of them, in a copy (test-in-copy.mjs).
// Other arguments are passed to Vitest.

import { ensureChromium } from './chromium.mjs';
import { ensureNatsServer } from './nats-server.mjs';
import { prepare, run } from './prepare.mjs';
import { testInCopy } from './test-in-copy.mjs';

const given = process.argv.slice(2);
const isFull = given.includes('--full');
const forVitest = given.filter((word) => word !== '--full');
// A path argument includes slow files.
const isQuick = !isFull && forVitest.every((word) => word.startsWith('-'));

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
ensureNatsServer();

// The check runs beside the tests, which mostly wait for processes.
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
