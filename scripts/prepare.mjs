// Installs what package-lock.json names, where it is not installed yet, and builds dist/.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function prepare() {
  // Not `npm ci`: it refuses a lock file without the entries of other platforms' optional packages.
  if (!installed()) await run('npm', ['install', '--include=dev', '--no-audit', '--no-fund']);
  await run('npm', ['run', 'build']);
  if (!newerThanSources('dist/ui/index.html', 'ui')) await run('npm', ['run', 'build:ui']);
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

/** Building the page takes longer than everything else together, and it changes rarely. */
function newerThanSources(built, sources) {
  if (!existsSync(`${root}/${built}`)) return false;
  const builtMs = statSync(`${root}/${built}`).mtimeMs;
  const files = readdirSync(`${root}/${sources}`, { recursive: true, withFileTypes: true });
  return files.every((file) => statSync(join(file.parentPath ?? file.path, file.name)).mtimeMs <= builtMs);
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
