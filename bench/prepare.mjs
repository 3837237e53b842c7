// Makes a fresh clone measurable: our packages, the peers' packages, and a build no older than the source. Types are not
// checked here: a fault in a layer that is not measured must not keep the others from it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installArguments, isNewer, isPageBuilt, root } from '../scripts/prepare.mjs';

export function prepare() {
  if (!existsSync(join(root, 'node_modules'))) run('npm', installArguments);
  if (!existsSync(join(root, 'bench/node_modules'))) run('npm', ['ci', '--prefix', 'bench']);
  // The last file that a build writes.
  if (!isNewer('dist/cli/main.cjs', ['src'])) run(process.execPath, ['scripts/build.mjs', '--noCheck']);
  if (!isPageBuilt()) run('npm', ['run', 'build:ui']);
}

function run(command, args) {
  console.error(`> ${[command, ...args].join(' ')}`);
  // npm is a script on Windows, and scripts need the shell there.
  const shell = command === 'npm' && process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  console.error(`That failed (${error?.message ?? `exit code ${status}`}); nothing was measured.`);
  process.exit(1);
}
