// Installs a program that the tests need with the package manager of the system.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first file with one of these names in the folders of PATH and in `moreFolders`. */
export function findProgram(names, moreFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...moreFolders];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

const managers = {
  'apt-get': (name) => [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', name],
  ],
  dnf: (name) => [['dnf', 'install', '-y', name]],
  pacman: (name) => [['pacman', '-S', '--noconfirm', name]],
  apk: (name) => [['apk', 'add', name]],
  brew: (name) => [['brew', 'install', name]],
  choco: (name) => [['choco', 'install', '-y', name]],
};

/**
 * `packages`: the name of the package, by package manager. Errors are only printed; the caller checks whether the
 * program exists.
 */
export function installPackage(what, packages) {
  const manager = Object.keys(packages).find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
  console.log(`${what} was not found; installing it with ${manager ?? 'an unknown package manager'}`);
  for (const [command, ...args] of manager ? managers[manager](packages[manager]) : []) {
    const asRoot = process.platform === 'win32' || process.getuid?.() === 0 || command === 'brew';
    const line = asRoot ? [command, ...args] : ['sudo', '-n', command, ...args];
    // Prevents the start of a service that the package contains.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1' };
    const { status, stdout, stderr } = spawnSync(line[0], line.slice(1), { env, encoding: 'utf8' });
    if (status !== 0) console.error(`${line.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
}
