// Makes a fresh clone measurable: our packages, the peers' packages, and a build no older than the source. Types are not
// checked here: a fault in a layer that is not measured must not keep the others from it.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = `${root}node_modules/typescript/bin/tsc`;

export function prepare() {
  if (!existsSync(tsc)) run('npm', ['ci']);
  if (!existsSync(`${root}bench/node_modules`)) run('npm', ['ci', '--prefix', 'bench']);
  if (newestMs(`${root}src`) > newestMs(`${root}dist`))
    run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck']);
}

function run(command, args) {
  console.error(`> ${[command, ...args].map((word) => word.replace(root, '')).join(' ')}`);
  // npm is a script on Windows, and scripts need the shell there.
  const shell = command === 'npm' && process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  console.error(`That failed (${error?.message ?? `exit code ${status}`}); nothing was measured.`);
  process.exit(1);
}

/** When a file in the folder was last written; 0 without a folder. */
function newestMs(folder) {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true }).reduce((newest, entry) => {
    const path = `${folder}/${entry.name}`;
    return Math.max(newest, entry.isDirectory() ? newestMs(path) : statSync(path).mtimeMs);
  }, 0);
}
