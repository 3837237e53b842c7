// Finds a NATS server for the tests of the fleet, and installs one by the system's package manager where there is none.

import { findProgram, installPackage } from './system-package.mjs';

const packages = {
  'apt-get': 'nats-server',
  pacman: 'nats-server',
  apk: 'nats-server',
  brew: 'nats-server',
  choco: 'nats-server',
};

/** The path of a nats-server, or nothing. `STANDPIPE_NATS_SERVER` says which one. */
export function findNatsServer() {
  if (process.env.STANDPIPE_NATS_SERVER) return process.env.STANDPIPE_NATS_SERVER;
  return findProgram(['nats-server', 'nats-server.exe'], ['/usr/sbin', '/usr/local/sbin']);
}

export function ensureNatsServer() {
  if (findNatsServer()) return;
  installPackage('nats-server', packages);
  if (findNatsServer()) return;
  throw new Error(
    'The tests of the fleet need a nats-server, and none could be installed. Install one, or name it in STANDPIPE_NATS_SERVER.',
  );
}
