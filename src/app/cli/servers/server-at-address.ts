// `--url <address>`: a remote server for one command, validated like an entry of a config.

import { UsageError } from '../../../base/errors.ts';
import { secretsInAddress } from '../../../config/expand/address.ts';
import { configOf } from '../../../config/given-config.ts';
import { readHeader, showsSecret } from '../../../config/header-option.ts';
import type { RemoteConfig, RemoteTransport } from '../../../config/server-config.ts';
import type { Settings } from '../settings.ts';
import { forOneServer } from './server-command.ts';

export interface AddressOptions {
  url?: string;
  /** `Name: value`. */
  header?: readonly string[];
  transport?: RemoteTransport;
}

export interface ServerAtAddress {
  server: RemoteConfig;
  warnings: string[];
}

export function serverAtAddress(
  url: string,
  { header = [], transport = 'auto' }: AddressOptions,
  settings: Settings,
): ServerAtAddress {
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
