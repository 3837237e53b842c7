// Hosts for tests: from a config in a separate folder, stopped after each test, with the files that their servers
// wrote.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { Host, type HostOptions } from '../../src/host/host.ts';
import { isAlive } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export const folder = temporaryFolder('host');

const open = new Set<Host>();
afterEach(async () => {
  await Promise.all([...open].map((host) => host.stop()));
  open.clear();
});

let hosts = 0;
export function writeConfig(servers: Record<string, object>, file = join(folder, `mcp-${++hosts}.json`)): string {
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

export async function openHost(servers: Record<string, object>, options?: HostOptions): Promise<Host> {
  const host = await Host.open(writeConfig(servers), options);
  open.add(host);
  return host;
}

export const serverFile = (name: string) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

/** An entry for servers/counts.mjs, and readers of the files that it writes. */
export function counting(name: string, more: { env?: Record<string, string> } & Record<string, unknown> = {}) {
  const file = (what: string) => join(folder, `${name}.${what}`);
  const env = { PID_FILE: file('pids'), COUNT_FILE: file('count'), ONCE_FILE: file('once'), ...more.env };
  return {
    entry: { command: process.execPath, args: [serverFile('counts')], ...more, env },
    /** Pid and parent pid of each process. */
    lives: () =>
      read(file('pids'))
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' ').map(Number)),
    count: () => read(file('count')).length,
    alive: () =>
      read(file('pids'))
        .split(/\s/)
        .filter(Boolean)
        .map(Number)
        .filter((pid) => pid !== process.pid && isAlive(pid)),
  };
}

export const misbehaving = (way: string, more: object = {}) => ({
  command: process.execPath,
  args: [serverFile('misbehaves'), way],
  ...more,
});

export function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // not written yet
  }
}

export const stateOf = (host: { status(): { name: string; state: string }[] }, server: string) =>
  host.status().find(({ name }) => name === server)!.state;
