// Describes a config as plain data: the files, the servers, and the problems. It contains no value of any `env`, not even in part,
// and no other recognisable secret.

import { maskValues } from '../secrets/mask-values.ts';
import { redactArguments } from '../secrets/redact-arguments.ts';
import type { ConfigFile } from './config-file.ts';
import type { Config, ShadowedServer } from './files/load-config.ts';
import type { ConfigProblem } from './problem.ts';
import type { ServerConfig } from './server-config.ts';

export interface ConfigDescription {
  searched: readonly string[];
  files: readonly (Pick<ConfigFile, 'file' | 'origin' | 'usable' | 'envFiles'> & { servers: readonly string[] })[];
  servers: readonly ServerDescription[];
  shadowed: readonly ShadowedServer[];
  problems: readonly ConfigProblem[];
}

/** `rejected`: the entry cannot be used; its problems explain it. `remote`: the server does not use stdio. */
export type ServerDescription =
  | ({ status: 'enabled' | 'disabled' } & Omit<ServerConfig, 'secrets' | 'enabled'>)
  | { status: 'rejected' | 'remote'; name: string; message: string; source: ServerConfig['source'] };

export function describeConfig({ searched, files, servers, rejected, shadowed, problems }: Config): ConfigDescription {
  return {
    searched,
    files: files.map(({ file, origin, usable, envFiles, servers }) => ({
      file,
      origin,
      usable,
      envFiles,
      servers: servers.map(({ name }) => name),
    })),
    servers: [
      ...servers.map(describeServer),
      ...rejected.map(({ name, source, remote, message }) => ({
        status: remote ? ('remote' as const) : ('rejected' as const),
        name,
        message,
        source,
      })),
    ],
    shadowed,
    problems,
  };
}

function describeServer({ enabled, secrets, ...server }: ServerConfig): ServerDescription {
  const mask = maskValues(server.env, secrets);
  return {
    status: enabled ? 'enabled' : 'disabled',
    ...server,
    command: mask(server.command),
    args: redactArguments(server.args, mask),
    env: Object.fromEntries(Object.keys(server.env).map((name) => [name, `[env ${name}]`])),
    cwd: mask(server.cwd),
  };
}
