// Runs the tests in a copy of the checkout whose path has a space, a non-ASCII letter and the name of the product, in
// random order, and, if started by root, as a user without a name. A test that depends on any of these fails here
// first.

import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { root, run } from './prepare.mjs';

/** A uid that systems do not assign. */
const UNPRIVILEGED = 64_321;
/** Large folders that are not tested. */
const notCopied = ['.git', join('node_modules', '.cache'), join('node_modules', '.vite')];

/** Resolves to the exit code. The seed is `STANDPIPE_TEST_SEED`, to repeat an order, or random. */
export async function testInCopy(args) {
  const seed = process.env.STANDPIPE_TEST_SEED ?? String(Math.floor(Math.random() * 1e9));
  const parent = mkdtempSync(join(tmpdir(), 'standpipe-'));
  // Vitest handles Ctrl-C; the copy is removed after it has ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  try {
    const folder = join(parent, 'Standpipe tést', 'standpipe');
    cpSync(root, folder, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter: (path) => !notCopied.includes(relative(root, path)),
    });
    const other = canBecomeOther() ? becomeOther(parent) : {};
    console.error(`tests: in ${folder}${other.uid ? ` as user ${other.uid}` : ''}, STANDPIPE_TEST_SEED=${seed}`);
    const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
    const order = ['--sequence.shuffle.files', `--sequence.seed=${seed}`];
    const { code } = await run(process.execPath, [vitest, 'run', ...order, ...args], 'inherit', {
      cwd: folder,
      shell: false, // the path has a space
      ...other,
    });
    return code ?? 1;
  } finally {
    rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 }); // workers may still write after Ctrl-C
  }
}

/** Root can switch to another user unless Node.js is in the home folder of root. */
function canBecomeOther() {
  return process.getuid?.() === 0 && !isOfRoot(process.execPath);
}

function isOfRoot(path) {
  return !relative(homedir(), path).startsWith('..');
}

/** Returns the options of spawn, and makes the user the owner of the folder, which contains a separate home. */
function becomeOther(parent) {
  const home = join(parent, 'home');
  mkdirSync(home);
  const settings = process.env.npm_config_userconfig ?? join(homedir(), '.npmrc');
  if (existsSync(settings)) copyFileSync(settings, join(home, '.npmrc'));
  chownSync(parent, UNPRIVILEGED, UNPRIVILEGED);
  for (const name of readdirSync(parent, { recursive: true }))
    lchownSync(join(parent, name), UNPRIVILEGED, UNPRIVILEGED);
  // Removes variables of npm for this run and folders of root from PATH: for an unknown command, a shell reports a
  // missing permission if a folder of PATH is not readable.
  const isPersonal = (name) => /^(?:npm_|XDG_)/i.test(name) || ['USER', 'LOGNAME', 'MAIL'].includes(name);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isPersonal(name)));
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => !isOfRoot(folder));
  return { uid: UNPRIVILEGED, gid: UNPRIVILEGED, env: { ...env, PATH: folders.join(delimiter), HOME: home } };
}
