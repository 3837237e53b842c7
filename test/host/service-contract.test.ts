// The servers of a host, and a host behind its socket, pass the contract tests of services.

import { join } from 'node:path';
import { serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { Host, type HostOptions } from '../../src/host/host.ts';
import { contractServer, serviceContract } from '../contract/service.contract.ts';
import { folder, writeConfig } from './run-host.ts';

const entry = { command: process.execPath, args: [contractServer] };
const eras = ['modern', 'legacy'] as const;

function openHost(era: (typeof eras)[number], options: HostOptions = {}): Promise<Host> {
  // A legacy server sends questions only to clients that declared the capability when they connected.
  const inputs = () => ({ elicit: () => ({ action: 'decline' as const }) });
  return Host.open(writeConfig({ contract: { ...entry, era } }), { inputs, ...options });
}

const stays = {
  'a closed service refuses requests and ends its subscriptions':
    'a server that has stopped is started again when it is needed',
};
const modernSkips = {
  'a subscriber gets log messages that are unrelated to a request': '2026-07-28 has none',
};
const legacySkips = {
  'each of several callers gets only its own question': 'a question of a legacy server does not name its request',
  'a log message goes to the caller of its request': 'a log message of a legacy server does not name its request',
};

for (const era of eras) {
  serviceContract(
    `a server of a host, of the ${era} era,`,
    async () => {
      const host = await openHost(era);
      return { service: host.service('contract'), close: () => host.stop() };
    },
    { skip: { ...stays, ...(era === 'legacy' ? legacySkips : modernSkips) } },
  );
}

serviceContract(
  'all servers of a host as one',
  async () => {
    const host = await openHost('modern');
    return { service: host.service(), close: () => host.stop() };
  },
  { skip: { ...stays, ...modernSkips }, listedWith: 'contract__' },
);

let sockets = 0;
for (const [name, server] of [
  ['a server', 'contract'],
  ['all servers', undefined],
] as const) {
  serviceContract(
    `${name} of a host behind its socket`,
    async () => {
      const host = await openHost('modern');
      const control = await serveControl(host, join(folder, `contract-${++sockets}.sock`));
      const remote = (await RemoteHost.connect(control.path))!;
      return {
        service: remote.service(server),
        close: async () => {
          await remote.close();
          await control.close();
          await host.stop();
        },
      };
    },
    { skip: modernSkips, ...(server === undefined && { listedWith: 'contract__' }) },
  );
}
