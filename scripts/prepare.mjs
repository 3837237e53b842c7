// Installs what package-lock.json names, where it is not installed yet, and builds dist/.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Not `npm ci`: it refuses a lock file without the entries of other platforms' optional packages. */
export const installArguments = ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];

export async function prepare() {
  if (!installed()) await run('npm', installArguments);
  await run('npm', ['run', 'build']);
  // It takes longer than everything else together, and changes rarely. Of the sources it imports the shapes of answers.
  if (!isNewer('dist/ui/index.html', ['ui', 'src/inspector/api.ts'])) await run('npm', ['run', 'build:ui']);
}

/** npm leaves a copy of the lock behind: the same packages and versions mean that nothing is to be done. */
function installed() {
  const copy = `${root}/node_modules/.package-lock.json`;
  if (!existsSync(copy)) return false;
  const have = JSON.parse(readFileSync(copy, 'utf8')).packages;
  const want = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')).packages;
  return Object.entries(want).every(
    ([path, { version, optional }]) => path === '' || optional || have[path]?.version === version,
  );
}

/** Whether a build is not older than any of its sources. */
export function isNewer(built, sources) {
  if (!existsSync(join(root, built))) return false;
  return newestMs(sources) <= statSync(join(root, built)).mtimeMs;
}

/** When one of them, a file or anything in a folder, was last written. */
function newestMs(paths) {
  const timesMs = paths.flatMap((path) => {
    const full = join(root, path);
    const stats = statSync(full);
    const inside = stats.isDirectory() ? readdirSync(full, { recursive: true }) : [];
    return [stats.mtimeMs, ...inside.map((name) => statSync(join(full, name)).mtimeMs)];
  });
  return Math.max(...timesMs);
}

export function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) return resolve();
      process.exitCode = code ?? 1;
      reject(new Error(`${command} ${args.join(' ')} ended with code ${code}`));
    });
  });
}
