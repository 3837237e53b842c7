// `--url <address>`: a remote server for one command, validated like an entry of a config.

import { UsageError } from '../../../base/errors.ts';
import { readHeader, secretsInAddress, showsSecret } from '../../../config/expand/address.ts';
import { configOf } from '../../../config/given-config.ts';
import type { RemoteConfig, RemoteTransport } from '../../../config/server-config.ts';
import type { BroughtAddress } from '../../../host/control/shared-servers.ts';
import type { ConnectAddress } from '../connect/connect-arguments.ts';
import type { Settings } from '../invocation.ts';
import { forOneServer } from './server-command.ts';

export interface AddressOptions {
  url?: string;
  header?: readonly string[];
  transport?: RemoteTransport;
}

export function serverAtAddress(
  url: string,
  { header = [], transport = 'auto' }: AddressOptions,
  settings: Settings,
): { server: RemoteConfig; warnings: string[] } {
  const headers = Object.fromEntries(header.map(readHeader));
  const type = transport === 'auto' ? 'remote' : transport;
  const { servers, problems } = configOf({ mcpServers: { [url]: { url, headers, type } } });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) {
    const code = error.code === 'VARIABLE_NOT_SET' ? error.code : 'INVALID_OPTION';
    throw new UsageError(code, error.message, { hint: error.suggestion });
  }
  const server = servers[0] as RemoteConfig;
  return {
    server: { ...server, ...forOneServer(settings), name: new URL(server.url).host },
    warnings: [
      ...problems.map(({ message, suggestion }) => `${message}. ${suggestion}`),
      ...visibleSecrets(url, headers),
    ],
  };
}

/** Values that the shell expands are visible in the process list; values that Standpipe expands are not. */
function visibleSecrets(url: string, headers: Readonly<Record<string, string>>): string[] {
  const hint = "Set a variable and write '${NAME}' in single quotes: Standpipe expands it.";
  const warnings = Object.entries(headers)
    .filter(showsSecret)
    .map(([name]) => `Other users of this machine can see the value of the header "${name}". ${hint}`);
  if (!url.includes('${') && secretsInAddress(url).length > 0) {
    warnings.push(`Other users of this machine can see the credentials in the address. ${hint}`);
  }
  return warnings;
}

/**
 * Reads the address of `connect URL`. Variables are expanded here, because the shared host has a different environment.
 */
export function broughtAddress(given: ConnectAddress, say: (text: string) => void): BroughtAddress {
  const { server, warnings } = serverAtAddress(given.url, given, {});
  for (const warning of warnings) say(`warning: ${warning}`);
  const { url, headers, transport, secrets } = server;
  return { name: given.name ?? server.name, url, headers, transport, secrets, share: given.share };
}
