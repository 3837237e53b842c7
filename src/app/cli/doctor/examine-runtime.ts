// What hosts and taps of this user left or keep on this machine: the runtime folder, its sockets, running hosts and taps, and the token file.

import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { toError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { RemoteHost } from '../../../host/control/remote-host.ts';
import { defaultTokenFile, readTokenFile } from '../../../host/gateway/access/token-file.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import { findLive } from '../../../observe/live/find-live.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { findOrphans, type Orphan } from '../../../wire/process/tree/orphans.ts';
import { isServed } from '../../../wire/transport/local-socket.ts';
import type { Settings } from '../invocation.ts';
import { controlPathOf } from '../servers/running-host.ts';
import { failure } from './examine-servers.ts';
import type { Finding } from './finding.ts';

interface LiveProgram {
  kind: 'host' | 'tap';
  name: string;
  pid: number;
  startedAt: string;
}

interface RuntimeExamination {
  folder: string;
  live: LiveProgram[];
  findings: Finding[];
}

/** Sockets are examined before `findLive`, which removes those of killed programs. */
export async function examineRuntime(folder: string = runtimeFolder()): Promise<RuntimeExamination> {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return { folder, live: [], findings: [] };
  if (!isTrusted(folder)) {
    const message = `Other users can write to the runtime folder ${folder}, or it belongs to one of them, so it is not used`;
    const fix = `If it is yours: chmod 700 ${shellWord(folder)}. Otherwise have it removed by its owner, or set XDG_RUNTIME_DIR to a folder of your own.`;
    return { folder, live: [], findings: [{ level: 'problem', topic: 'runtime', message, fix }] };
  }
  const findings = (await staleSockets(folder)).map((socket): Finding => {
    const message = `No process listens at the socket ${socket}, which a host or tap left behind when it was killed`;
    const fix = `The next host of the config replaces it. To remove it: rm ${shellWord(socket)}`;
    return { level: 'warning', topic: 'runtime', code: 'STALE_SOCKET', message, fix };
  });
  const live = (await findLive(folder)).map(({ kind, name, pid, startedAt }) => ({ kind, name, pid, startedAt }));
  return { folder, live, findings };
}

async function staleSockets(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return []; // a named pipe ends with its process
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sock')).sort();
  const sockets = names.map((name) => join(folder, name));
  const served = await Promise.all(sockets.map(isServed));
  return sockets.filter((_, at) => !served[at]);
}

/** The state of the servers in the running host of the config, and why that host cannot be used. */
export async function examineHost(settings: Settings): Promise<{ running: ServerStatus[]; findings: Finding[] }> {
  const path = controlPathOf(settings);
  if (path === undefined || !isTrusted(runtimeFolder())) return { running: [], findings: [] };
  try {
    const host = await RemoteHost.connect(path);
    if (!host) return { running: [], findings: [] };
    try {
      return { running: (await host.status()).servers, findings: [] };
    } finally {
      await host.close();
    }
  } catch (error) {
    return { running: [], findings: [{ ...failure(error), topic: 'host' }] };
  }
}

const MOST_SHOWN = 20;

export function examineOrphans(orphans: readonly Orphan[] = findOrphans()): Finding[] {
  if (orphans.length === 0) return [];
  const shown = orphans.slice(0, MOST_SHOWN);
  const more = orphans.length - shown.length;
  const lines = shown.map(({ pid, name }) => `pid ${pid}: ${name}`);
  return [
    {
      level: 'warning',
      topic: 'orphan',
      message:
        orphans.length === 1
          ? 'A process of a server outlived its host'
          : `${orphans.length} processes of servers outlived their hosts`,
      fix: `Unless they are daemons that "keepDaemons" keeps, end them: kill ${shown.map(({ pid }) => pid).join(' ')}`,
      evidence: more > 0 ? [...lines, `and ${more} more`] : lines,
    },
  ];
}

export function examineTokens(file: string = defaultTokenFile()): Finding[] {
  try {
    const expired = (readTokenFile(file) ?? []).filter(({ expires }) => expires && Date.parse(expires) < Date.now());
    return expired.map(({ name }) => ({
      level: 'warning',
      topic: 'tokens',
      message: `The token "${name}" expired`,
      fix: `Make a new one: ${ownCommand} token rm ${name}, then ${ownCommand} token add ${name}`,
    }));
  } catch (error) {
    const { message, hint, code } = toError(error) as Error & { hint?: string; code?: string };
    // The message of a refused file contains its hint.
    const shown = hint !== undefined && message.endsWith(hint) ? message.slice(0, -hint.length).trim() : message;
    return [{ level: 'problem', topic: 'tokens', code, message: shown.replace(/\.$/, ''), fix: hint }];
  }
}
