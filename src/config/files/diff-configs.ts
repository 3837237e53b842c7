// Compares two configs: finds the servers to start, stop and restart, and the settings to keep from the first config.

import { isDeepStrictEqual } from 'node:util';
import type { ConfigFile } from '../config-file.ts';
import { withLastLock } from '../lock/with-lock.ts';
import type { ServerConfig } from '../server-config.ts';
import type { Config } from './load-config.ts';

export interface ConfigDiff {
  added: readonly ServerConfig[];
  removed: readonly ServerConfig[];
  changed: readonly { before: ServerConfig; after: ServerConfig }[];
  unchanged: readonly ServerConfig[];
}

type Servers = Pick<Config, 'servers'>;

/** The position of an entry is ignored: a comment above it causes no restart. */
export function diffConfigs(before: Servers, after: Servers): ConfigDiff {
  const previous = new Map(before.servers.map((server) => [server.name, server]));
  const names = new Set(after.servers.map(({ name }) => name));
  const kept = after.servers.flatMap((server) => {
    const old = previous.get(server.name);
    return old ? [{ before: old, after: server, same: sameSettings(old, server) }] : [];
  });
  return {
    added: after.servers.filter(({ name }) => !previous.has(name)),
    removed: before.servers.filter(({ name }) => !names.has(name)),
    changed: kept.filter(({ same }) => !same).map(({ before, after }) => ({ before, after })),
    unchanged: kept.filter(({ same }) => same).map(({ after }) => after),
  };
}

export function isEmptyDiff({ added, removed, changed }: ConfigDiff): boolean {
  return added.length + removed.length + changed.length === 0;
}

export function sameSettings(a: ServerConfig, b: ServerConfig): boolean {
  return isDeepStrictEqual({ ...a, source: undefined }, { ...b, source: undefined });
}

/** While a file is edited it may be invalid. Servers keep their last valid settings until the file is valid again. */
export function keepLastGood(before: readonly ConfigFile[], after: readonly ConfigFile[]): ConfigFile[] {
  return after.map((file) => {
    const last = before.find((each) => each.file === file.file && each.scope === file.scope);
    return last ? withLastLock(last, keepInFile(last, file)) : file;
  });
}

function keepInFile(last: ConfigFile, file: ConfigFile): ConfigFile {
  if (!file.usable) return last.usable ? { ...last, problems: file.problems } : file;
  const broken = new Set(file.rejected.map(({ name }) => name));
  const kept = last.servers.filter(({ name }) => broken.has(name));
  const rejected = file.rejected.filter(({ name }) => !kept.some((server) => server.name === name));
  return { ...file, servers: [...file.servers, ...kept], rejected };
}
