// Caches the tools of servers, so that a shell can complete their names without starting a server. Entries may be outdated or
// missing. An error of the cache must not fail a command.

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shortHash } from '../../../base/short-hash.ts';
import type { Tool } from '../../../mcp/types.ts';
import { cacheFolder } from '../../../wire/process/files/cache-folder.ts';
import { replacePrivately } from '../../../wire/process/files/private-file.ts';
import type { Settings } from '../invocation.ts';
import { configFileOf } from '../servers/running-host.ts';

export type RememberedTool = Pick<Tool, 'name' | 'description' | 'inputSchema'>;
type Remembered = Record<string, RememberedTool[]>;

const MOST_CHARACTERS = 1_000_000;

export function rememberTools(settings: Settings, server: string, tools: readonly Tool[]): void {
  const file = fileOf(settings);
  if (!file) return;
  const before = recallTools(settings);
  const lists: Remembered = {
    ...before,
    [server]: tools.map(({ name, description, inputSchema }) => ({
      name,
      description: typeof description === 'string' ? description.slice(0, 100) : undefined,
      inputSchema,
    })),
  };
  const text = JSON.stringify(lists);
  if (text.length > MOST_CHARACTERS || text === JSON.stringify(before)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replacePrivately(file, text);
  } catch {
    // without a writable cache, tools are not completed
  }
}

export function recallTools(settings: Settings): Remembered {
  const file = fileOf(settings);
  try {
    const value: unknown = file && JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Remembered) : {};
  } catch {
    return {}; // the cache does not exist or cannot be read
  }
}

function fileOf(settings: Settings): string | undefined {
  const config = configFileOf(settings);
  if (!config) return undefined;
  return join(cacheFolder(), `tools-${shortHash(config)}.json`);
}
