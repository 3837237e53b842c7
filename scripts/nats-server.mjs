// Finds nats-server for the tests of the fleet, and installs it with the package manager of the system if it is
// missing.

import { findProgram, installPackage } from './system-package.mjs';

const packages = {
  'apt-get': 'nats-server',
  pacman: 'nats-server',
  apk: 'nats-server',
  brew: 'nats-server',
  choco: 'nats-server',
};

/** Path of nats-server, or undefined. `STANDPIPE_NATS_SERVER` overrides it. */
export function findNatsServer() {
  if (process.env.STANDPIPE_NATS_SERVER) return process.env.STANDPIPE_NATS_SERVER;
  return findProgram(['nats-server', 'nats-server.exe'], ['/usr/sbin', '/usr/local/sbin']);
}

export function ensureNatsServer() {
  if (findNatsServer()) return;
  installPackage('nats-server', packages);
  if (findNatsServer()) return;
  throw new Error(
    'The tests of the fleet need nats-server, which could not be installed. Install it, or set STANDPIPE_NATS_SERVER to its path.',
  );
}
