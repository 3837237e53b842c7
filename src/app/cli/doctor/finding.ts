// A finding of `standpipe doctor`, and the mask that makes a report safe to publish.

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { ServerSecrets } from '../servers/show-traffic.ts';

export interface Finding {
  /** Only a problem makes the command fail. */
  level: 'problem' | 'warning';
  topic: 'node' | 'config' | 'command' | 'server' | 'host' | 'runtime' | 'tokens' | 'orphan' | 'proxy' | 'disk';
  /** The stable code of an error. */
  code?: string | undefined;
  /** The recognised mistake of a server, as a heading of docs/troubleshooting.md. */
  diagnosis?: string | undefined;
  server?: string | undefined;
  /** `FILE:LINE` of the config entry. */
  place?: string | undefined;
  message: string;
  fix?: string | undefined;
  /** Command, exit code and output of a server, one line each. */
  evidence?: readonly string[];
}

/** Hides the values of `env`, other secrets and the home folder in every string of a document. */
export function maskerFor(servers: readonly ServerConfig[]): <T>(value: T) => T {
  const { redact } = new ServerSecrets(servers);
  const homes = homeFolders();
  const maskText: Redact = (text) => homes.reduce((shown, home) => withoutHome(shown, home), redact(text));
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(member)]));
  };
  return <T>(value: T) => mask(value) as T;
}

function homeFolders(): string[] {
  const home = homedir();
  const folders = [home];
  try {
    folders.push(realpathSync.native(home));
  } catch {
    // the home folder does not exist
  }
  const named = folders.map((folder) => folder.replace(/[\\/]+$/, '')).filter((folder) => folder.length > 1);
  return [...new Set(named)].sort((a, b) => b.length - a.length);
}

/** `/home/ann/x` becomes `~/x`, `/home/anna` stays. */
export function withoutHome(text: string, home: string): string {
  const parts = text.split(home);
  return parts.reduce((shown, part) => `${shown}${/^[\p{L}\p{N}_.-]/u.test(part) ? home : '~'}${part}`);
}
