// Describes a config as plain data: the files, the servers, and the problems. Values of `env` and headers and other recognisable
// secrets are left out.

import { REDACTED } from '../base/secrets/mask-values.ts';
import { redactor } from '../base/secrets/redact.ts';
import { redactArguments } from '../base/secrets/redact-arguments.ts';
import type { ConfigFile } from './config-file.ts';
import type { Config } from './files/load-config.ts';
import { maskOf } from './secrets-of-server.ts';
import type { CommandConfig, RemoteConfig, ServerConfig } from './server-config.ts';

/** `lock`: the file of the lock beside the config. */
type FileDescription = Omit<ConfigFile, 'servers' | 'rejected' | 'problems' | 'lock'> & {
  servers: readonly string[];
  lock?: string;
};

interface ConfigDescription extends Pick<Config, 'searched' | 'shadowed' | 'problems'> {
  files: readonly FileDescription[];
  servers: readonly ServerDescription[];
}

/** `rejected`: the entry cannot be used; its problems have the reason. */
export type ServerDescription =
  | ({ status: 'enabled' | 'disabled' } & (
      | Omit<CommandConfig, 'secrets' | 'enabled' | 'lock'>
      | Omit<RemoteConfig, 'secrets' | 'enabled' | 'lock'>
    ))
  | { status: 'rejected'; name: string; message: string; source: ServerConfig['source'] };

export function describeConfig({ searched, files, servers, rejected, shadowed, problems }: Config): ConfigDescription {
  return {
    searched,
    files: files.map(({ servers, rejected: _rejected, problems: _problems, lock, ...file }) => ({
      ...file,
      ...(lock?.found && { lock: lock.file }),
      servers: servers.map(({ name }) => name),
    })),
    servers: [
      ...servers.map(describeServer),
      ...rejected.map(({ name, source, message }) => ({ status: 'rejected' as const, name, message, source })),
    ],
    shadowed,
    problems,
  };
}

function describeServer(config: ServerConfig): ServerDescription {
  const mask = maskOf(config);
  const { enabled, secrets, lock, ...rest } = config;
  const server = { ...rest, locked: lock?.mode ?? rest.locked };
  const status = enabled ? 'enabled' : 'disabled';
  if (server.url !== undefined) {
    const headers = Object.fromEntries(Object.keys(server.headers).map((name) => [name, REDACTED]));
    const oauth = server.oauth && {
      ...server.oauth,
      clientId: server.oauth.clientId && mask(server.oauth.clientId),
      clientSecret: server.oauth.clientSecret && REDACTED,
    };
    return { status, ...server, url: redactor({ mask })(server.url), headers, oauth };
  }
  return {
    status,
    ...server,
    command: mask(server.command),
    args: redactArguments(server.args, mask),
    env: Object.fromEntries(Object.keys(server.env).map((name) => [name, `[env ${name}]`])),
    cwd: mask(server.cwd),
  };
}
