// `npm run test:nodes`: runs all tests on each supported major version of Node.js, one after another. Arguments select
// the versions; arguments after `--` are passed to Vitest: `npm run test:nodes -- 24 26 -- src/wire/jsonrpc`.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { ensureNatsServer } from './nats-server.mjs';
import { environmentFor, fetchNode, majors, versionOf } from './node-binaries.mjs';
import { prepare, root } from './prepare.mjs';

const given = process.argv.slice(2);
const separator = given.indexOf('--');
const chosen = separator < 0 ? given : given.slice(0, separator);
const forVitest = separator < 0 ? [] : given.slice(separator + 1);

const unknown = chosen.filter((major) => !majors.includes(major));
if (unknown.length > 0) {
  console.error(`Unknown version of Node.js: ${unknown.join(', ')}. Available: ${majors.join(', ')}.`);
  console.error('Test paths follow a second `--`: npm run test:nodes -- 24 26 -- src/wire/jsonrpc');
  process.exit(2);
}

await prepare();
if (!process.env.STANDPIPE_SKIP_BROWSER) ensureChromium();
ensureNatsServer();
const summary = [];
for (const major of chosen.length > 0 ? chosen : majors) {
  const { passed, line } = await testOn(major);
  summary.push(line);
  if (!passed) process.exitCode = 1;
}
console.log(`\n${summary.join('\n')}`);

async function testOn(major) {
  const version = versionOf(major);
  if (!version) {
    const line = `Node ${major}: not run, because npm has no package with it for ${process.platform} ${process.arch}`;
    return { passed: chosen.length === 0, line };
  }
  const file = await fetchNode(version);
  const env = environmentFor(file);
  requireVersion(file, version, env);
  requireVersion('node', version, env);
  console.log(`\nNode ${version}`);
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...forVitest];
  const { status, signal } = spawnSync(file, args, { cwd: root, env, stdio: 'inherit' });
  const result = status === 0 ? 'passed' : `failed (${signal ?? `exit code ${status}`})`;
  return { passed: status === 0, line: `Node ${version}: ${result}` };
}

/** The tests start processes with `process.execPath` and with `node`; both must be this version. */
function requireVersion(command, version, env) {
  const found = spawnSync(command, ['--version'], { env, encoding: 'utf8' });
  if (found.stdout?.trim() === `v${version}`) return;
  throw new Error(`${command} is ${found.stdout?.trim() || found.error?.message}, not v${version}`);
}
