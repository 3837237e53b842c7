// A remote server as a client brings it to the shared host. Variables are those of this process: the host has others.

import type { BroughtAddress } from '../../../host/control/shared-servers.ts';
import { serverAtAddress } from '../servers/server-at-address.ts';
import type { ConnectAddress } from './connect-arguments.ts';

export function broughtAddress(given: ConnectAddress, say: (text: string) => void): BroughtAddress {
  const { server, warnings } = serverAtAddress(given.url, given, {});
  for (const warning of warnings) say(`warning: ${warning}`);
  const { url, headers, transport, secrets } = server;
  return { name: given.name ?? server.name, url, headers, transport, secrets, share: given.share };
}
