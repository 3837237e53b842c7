// The remote server that `connect URL` adds to the shared host. Variables are expanded here: the host has a different environment.

import type { BroughtAddress } from '../../../host/control/shared-servers.ts';
import { serverAtAddress } from '../servers/server-at-address.ts';
import type { ConnectAddress } from './connect-arguments.ts';

export function broughtAddress(given: ConnectAddress, say: (text: string) => void): BroughtAddress {
  const { server, warnings } = serverAtAddress(given.url, given, {});
  for (const warning of warnings) say(`warning: ${warning}`);
  const { url, headers, transport, secrets } = server;
  return { name: given.name ?? server.name, url, headers, transport, secrets, share: given.share };
}
