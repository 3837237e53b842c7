// Installs the packages of package-lock.json if they are missing, and builds dist/.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Not `npm ci`, which would delete node_modules with the cached versions of Node.js. */
export const installArguments = ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];

export async function prepare() {
  await prepareLibrary();
  if (!isPageBuilt()) await step('build the page', 'npm', ['run', 'build:ui']);
}

/** Everything except the page. */
export async function prepareLibrary() {
  if (!installed()) await step('install', 'npm', installArguments);
  if (!isBuilt()) await step('build', 'npm', ['run', 'build']);
}

/** Whether the last file that a build writes is newer than all sources of the build. */
export function isBuilt() {
  return isNewer('dist/cli/main.cjs', ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.build.json']);
}

/** The page has the slowest build and changes rarely. The only source that it imports is api.ts. */
export function isPageBuilt() {
  return isNewer('dist/ui/index.html', ['ui', 'src/app/inspector/api.ts']);
}

/** npm keeps a copy of the lock file: if packages and versions are equal, the install is skipped. */
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

/** Time of the last change of a file in these paths, including folders. */
function newestMs(paths) {
  const timesMs = paths.flatMap((path) => {
    const full = join(root, path);
    const stats = statSync(full);
    const inside = stats.isDirectory() ? readdirSync(full, { recursive: true }) : [];
    return [stats.mtimeMs, ...inside.map((name) => statSync(join(full, name)).mtimeMs)];
  });
  return Math.max(...timesMs);
}

/** Runs a command and prints one line about it. Its output is printed only when it fails. */
export async function step(name, command, args) {
  const startMs = performance.now();
  const { code, output } = await run(command, args, 'pipe');
  if (code === 0) return console.error(`${name}: ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  console.error(`${output}\n${name} failed: ${command} ${args.join(' ')} ended with code ${code}`);
  process.exit(code ?? 1);
}

/** With 'pipe', `output` is the output of both streams. `options` are those of `spawn`. */
export function run(command, args, stdio = 'inherit', options = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', stdio, stdio],
    shell: process.platform === 'win32',
    ...options,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
