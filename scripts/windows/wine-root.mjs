// A Debian root with Wine, created once and kept: trixie, because Wine 8 of bookworm is too old for Node.js 24 and its
// taskkill lacks /T. Everything in it runs in separate mount and pid namespaces, so that the kernel ends the processes
// and removes the mounts of a run in any case.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram } from '../system-package.mjs';

const SUITE = 'trixie';
const defaultMirror = 'http://deb.debian.org/debian';
/** Users usually do not have these folders in PATH. */
const sbin = ['/usr/sbin', '/sbin'];
const withSbin = { ...process.env, PATH: [process.env.PATH, ...sbin].join(':') };
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

export const wineRoot = process.env.STANDPIPE_WINE_ROOT ?? join(cache, 'standpipe-test', 'wine-root');

/** The prefix that each run copies, because creating one takes half a minute. */
const template = 'prefixes/template';
const isMade = () => existsSync(join(wineRoot, template, 'system.reg'));

/** Missing requirements of this machine, one line each. */
export function missingForWine() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return [`Linux on x64: this is ${process.platform} on ${process.arch}`];
  const programs = ['unshare', 'chroot', 'mount', ...(isMade() ? [] : ['debootstrap'])];
  return [
    ...(process.getuid() === 0 ? [] : ['root: required to mount /proc and to change the root folder']),
    ...programs.filter((name) => !findProgram([name], sbin)).map((name) => `the program ${name}`),
  ];
}

/** Creates the root unless it exists. */
export async function ensureWineRoot() {
  if (isMade()) return;
  const folder = `${wineRoot}.new`;
  console.error(`Creating a Debian root with Wine in ${wineRoot}: 2.5 GB, takes minutes, only once`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  await step(
    'debootstrap',
    spawn('debootstrap', ['--variant=minbase', SUITE, folder, mirror()], { stdio: 'pipe', env: withSbin }),
  );
  const install = 'apt-get update && apt-get install -y --no-install-recommends wine wine64 && apt-get clean';
  await step('install wine and wine64', inRoot(folder, ['sh', '-c', install], { DEBIAN_FRONTEND: 'noninteractive' }));
  mkdirSync(join(folder, 'prefixes'));
  const boot = 'wine64 wineboot -i && wineserver -w';
  await step('create a Wine prefix', inRoot(folder, ['sh', '-c', boot], { WINEPREFIX: `/${template}` }));
  renameSync(folder, wineRoot);
}

/**
 * Starts a command in the root, with /proc, which Wine needs. It is the first process of a pid namespace, so all its
 * processes end with it. `stdio`: as for spawn; Node.js in Wine needs files.
 */
export function inRoot(root, command, env = {}, stdio = ['ignore', 'pipe', 'pipe']) {
  const variables = {
    PATH: '/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    ...env,
  };
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--propagation', 'private'];
  const script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
  const child = spawn(
    'unshare',
    [...namespaces, 'sh', '-c', script, root, 'env', '-i', ...assignments(variables), ...command],
    { stdio, env: withSbin },
  );
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

const assignments = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/** The first Debian archive in the configuration of apt, so that a local mirror is used. */
function mirror() {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  const lines = files.filter((file) => existsSync(file)).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const used = lines.filter((line) => !line.startsWith('#')).join('\n');
  return /https?:\/\/\S+\/debian\/?(?=\s|$)/.exec(used)?.[0] ?? defaultMirror;
}

async function step(name, child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return console.error(`${name}: done`);
  throw new Error(`${name} failed with exit code ${code}. Is a Debian mirror reachable?\n${output.slice(-3000)}`);
}
