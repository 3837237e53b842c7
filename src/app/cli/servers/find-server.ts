// Finds a server by its name, or explains why it cannot be used.

import { shellWord } from '../../../base/command-line.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { type ConfigProblem, problemError, problemText } from '../../../config/problem.ts';
import { onNodes, rejections, unknownServer } from '../../../host/services/unknown-name.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import { UnusableEntry } from '../exit-code.ts';
import type { Settings } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import type { Reached } from './reach-host.ts';

type Searched = Pick<Reached, 'host' | 'running' | 'only'>;

export async function findServer(name: string, reached: Searched, settings: Settings): Promise<ServerStatus> {
  const { servers, notJoined } = await reached.host.status();
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name);
  await explainRejected(name, reached, settings);
  const elsewhere = onlyNode(name, servers);
  if (elsewhere) return elsewhere;
  throw unknownServer(name, names, [], notJoined ?? commandHint(name));
}

/** `files` means `files@one` if no other node has a server of this name. */
export function onlyNode(name: string, servers: readonly ServerStatus[]): ServerStatus | undefined {
  const [only, ...others] = onNodes(
    name,
    servers.map((server) => server.name),
  );
  return others.length === 0 ? servers.find((server) => server.name === only) : undefined;
}

/** Hint for a name that looks like a URL, a program or a file. */
export function commandHint(name: string): string | undefined {
  if (/^[a-z]+:\/\//i.test(name)) return 'The URL of a server begins with https:// or http://.';
  if (/^(?:localhost|[\w-]+(?:\.[\w-]+)+):\d+(?:\/|$)/i.test(name))
    return `To use the server at a URL, write http://${name}`;
  const isCommand =
    name.includes('/') || /\.[a-z]{1,4}$/i.test(name) || /^(?:node|npx|python3?|uvx?|bun|deno)$/.test(name);
  return isCommand ? `Write the command of a server at the end, after --: -- ${shellWord(name)} …` : undefined;
}

export async function explainRejected(name: string, reached: Searched, settings: Settings): Promise<void> {
  const problem = (await rejectedEntries(reached, settings)).find(({ server }) => server === name);
  if (!problem) return;
  const { code, message, hint } = problemError(problem);
  throw new UnusableEntry(code, message, { hint });
}

/** Asks the running host, which may have loaded an earlier version of the file; otherwise reads the config. */
export async function rejectedEntries(
  { host, running, only }: Pick<Reached, 'host' | 'running' | 'only'>,
  settings: Settings,
): Promise<ConfigProblem[]> {
  if (only !== undefined) return [];
  if (running) return (await host.control('standpipe/config')).rejected;
  const { loadServers } = await import('./own-host.ts');
  return rejections(await loadServers(settings).catch(() => undefined)); // the error was reported when the config was loaded
}

export function tellRejected(rejected: readonly ConfigProblem[], out: Output): void {
  for (const problem of rejected) {
    const hint = problem.suggestion ? ` ${visibleLine(problem.suggestion)}` : '';
    out.tell('ignored', `${visibleLine(problemText(problem))}.${hint}`);
  }
}
