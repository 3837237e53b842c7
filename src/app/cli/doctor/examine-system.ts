// What servers need of the system: Node.js, the programs that run packages, PATH, proxies and free disk space.

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import { toError } from '../../../base/errors.ts';
import type { CommandConfig, ServerConfig } from '../../../config/server-config.ts';
import { stateFolder } from '../../../wire/process/files/cache-folder.ts';
import { childEnvironment, readVariable } from '../../../wire/process/launch/environment.ts';
import { findCommand, isPath } from '../../../wire/process/launch/find-command.ts';
import type { Finding } from './finding.ts';

/** The `engines` of package.json; a test keeps both equal. */
export const LEAST_NODE = '20.19';

export function examineNode(version: string = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  const message = `Node.js ${version} is older than ${LEAST_NODE}, the oldest version that works`;
  return [{ level: 'problem', topic: 'node', message, fix: `Install Node.js ${LEAST_NODE} or later.` }];
}

/** Programs that run packages. */
const runners = ['npx', 'uvx', 'bunx', 'docker'];

interface FoundRunner {
  name: string;
  /** Undefined if it is not in PATH. The failed start of the server has the fix. */
  file: string | undefined;
}

/** The package runners that enabled entries name. */
export function findRunners(servers: readonly ServerConfig[]): FoundRunner[] {
  const found = new Map<string, string | undefined>();
  for (const server of localServers(servers)) {
    const name = runnerOf(server);
    if (name !== undefined) found.set(name, found.get(name) ?? pathOfCommand(server));
  }
  return [...found].map(([name, file]) => ({ name, file }));
}

function localServers(servers: readonly ServerConfig[]): CommandConfig[] {
  return servers.filter((server) => server.enabled).filter((server) => server.url === undefined);
}

function runnerOf({ command }: CommandConfig): string | undefined {
  const name = basename(command).replace(/\.(?:cmd|exe)$/i, '');
  return runners.includes(name) ? name : undefined;
}

function pathOfCommand({ command, env, cwd }: CommandConfig, PATH?: string): string | undefined {
  const environment = childEnvironment(PATH === undefined ? env : { ...env, PATH });
  const found = findCommand(command, { environment, cwd });
  return found?.kind === 'executable' ? found.file : undefined;
}

/** PATH of a program that was started from the desktop instead of a shell. */
const desktopPaths: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
  linux: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin',
};

/** Commands that a shell finds and an editor that was started from the desktop does not. */
export function examinePath(servers: readonly ServerConfig[], desktopPath = desktopPaths[process.platform]): Finding[] {
  if (desktopPath === undefined) return [];
  return localServers(servers).flatMap((server): Finding[] => {
    const { name, command, env, source } = server;
    if (isPath(command) || readVariable(env, 'PATH') !== undefined) return [];
    const file = pathOfCommand(server);
    if (file === undefined || pathOfCommand(server, desktopPath) !== undefined) return [];
    const finding: Finding = {
      level: 'warning',
      topic: 'command',
      server: name,
      place: `${source.file}:${source.line}`,
      message: `"${command}" is found in ${dirname(file)}, which is usually not in the PATH of programs started from the desktop`,
      fix: `Write the absolute path as "command" if an editor does not start the server: ${file}`,
    };
    return [finding];
  });
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/** The set proxy variables without credentials, and entries that download packages without them. */
export function examineProxies(
  servers: readonly ServerConfig[],
  env: NodeJS.ProcessEnv = process.env,
): { proxies: Record<string, string>; findings: Finding[] } {
  const set = proxyVariables.filter((name) => env[name]);
  const findings: Finding[] = [];
  const proxies = Object.fromEntries(
    set.map((name) => {
      const address = hostOf(env[name]!);
      if (address === undefined) {
        const message = `${name} is not an address`;
        findings.push({ level: 'warning', topic: 'proxy', message, fix: 'Write it as http://HOST:PORT.' });
      }
      return [name, address ?? 'not an address'];
    }),
  );
  for (const server of set.length === 0 ? [] : localServers(servers)) {
    if (runnerOf(server) === undefined || proxyVariables.some((name) => server.env[name] !== undefined)) continue;
    findings.push({
      level: 'warning',
      topic: 'proxy',
      server: server.name,
      place: `${server.source.file}:${server.source.line}`,
      message: `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set here and not passed to "${server.name}", which may download packages`,
      fix: `If the download needs the proxy, add it to "env" of the entry: "${set[0]}": "\${${set[0]}}"`,
    });
  }
  return { proxies, findings };
}

/** Undefined for an invalid address. Credentials are dropped. */
function hostOf(address: string): string | undefined {
  try {
    const { protocol, host } = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`);
    return `${protocol}//${host}`;
  } catch {
    return undefined;
  }
}

/** Below this, npm and records of hosts fail soon. */
const LEAST_FREE_BYTES = 100 * 1024 * 1024;

export async function examineDisks(
  folders: readonly string[] = [stateFolder(), tmpdir()],
  leastBytes = LEAST_FREE_BYTES,
): Promise<{ disks: { folder: string; freeBytes: number }[]; findings: Finding[] }> {
  const disks: { folder: string; freeBytes: number }[] = [];
  const findings: Finding[] = [];
  for (const folder of folders) {
    try {
      const { bavail, bsize } = await statfs(existingParent(folder));
      const freeBytes = bavail * bsize;
      disks.push({ folder, freeBytes });
      if (freeBytes >= leastBytes) continue;
      const message = `Only ${Math.floor(freeBytes / 1024 / 1024)} MB are free for ${folder}`;
      findings.push({ level: 'problem', topic: 'disk', message, fix: 'Free disk space.' });
    } catch (error) {
      const message = `The free space of ${folder} is unknown: ${toError(error).message}`;
      findings.push({ level: 'warning', topic: 'disk', message });
    }
  }
  return { disks, findings };
}

function existingParent(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingParent(dirname(folder));
}
