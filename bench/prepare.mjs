// Prepares a fresh clone: installs our packages and those of the contenders, and builds unless the build is newer than
// the source. Types are not checked, so that a type error in an unrelated layer does not prevent a measurement.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installArguments, isNewer, isPageBuilt, root } from '../scripts/prepare.mjs';

export function prepare() {
  if (!existsSync(join(root, 'node_modules'))) run('npm', installArguments);
  if (!existsSync(join(root, 'bench/node_modules'))) run('npm', ['ci', '--prefix', 'bench']);
  // main.cjs is the last file that a build writes.
  if (!isNewer('dist/cli/main.cjs', ['src'])) run(process.execPath, ['scripts/build.mjs', '--noCheck']);
  if (!isPageBuilt()) run('npm', ['run', 'build:ui']);
}

function run(command, args) {
  console.error(`> ${[command, ...args].join(' ')}`);
  // npm is a script on Windows, which requires the shell.
  const shell = command === 'npm' && process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  console.error(`${command} failed (${error?.message ?? `exit code ${status}`}); nothing was measured.`);
  process.exit(1);
}
