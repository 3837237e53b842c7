// `npm start`: installs and builds on a fresh clone, then runs the servers of examples/mcp.json under `standpipe up`:
// the same small server in three languages. Servers of languages that are not installed are left out, with a message.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const examples = join(root, 'examples');

await prepare();
process.argv.splice(2, 0, 'up', '--config', configOfWhatCanRun());
await import('../dist/cli/main.cjs');

function configOfWhatCanRun() {
  const file = join(examples, 'mcp.json');
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
  const missing = Object.entries(mcpServers).filter(([, { command }]) => !isInstalled(command));
  for (const [name, { command }] of missing) {
    console.error(`${name} is left out: ${command} is not installed or not in PATH.`);
    delete mcpServers[name];
  }
  if (missing.length === 0) return file;
  for (const server of Object.values(mcpServers)) server.cwd = examples;
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-examples-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const shorter = join(folder, 'mcp.json');
  writeFileSync(shorter, JSON.stringify({ mcpServers }, null, 2));
  console.error(`In another terminal: npx standpipe tools --config ${shorter}`);
  return shorter;
}

function isInstalled(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}
