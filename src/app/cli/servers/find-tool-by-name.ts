// Finds a tool by name among the tools of all servers, or explains why there is none.

import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { didYouMean, hintOfNames } from '../../../config/nearest.ts';
import type { HostStatus } from '../../../host/control/control-methods.ts';
import { listedAs, type Offer, resolve } from '../../../host/services/catalog.ts';
import { onNodes, unknownServer } from '../../../host/services/unknown-name.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { Tool } from '../../../mcp/types.ts';
import { recallTools } from '../completion/remembered-tools.ts';
import { invalidOption, type Settings } from '../invocation.ts';
import { readAssignment } from '../values/word.ts';
import { commandHint } from './find-server.ts';
import type { FoundTool } from './find-tool.ts';
import type { Reached } from './reach-host.ts';

/**
 * A first word similar to a server name counts as a misspelling, and no server is started. If an argument follows, the word may also be
 * a tool, so all servers are queried. A known tool of this name is always accepted.
 */
export async function refuseMisspeltServer(
  { host }: Reached,
  servers: readonly ServerStatus[],
  [first = '', next]: readonly string[],
  settings: Settings,
): Promise<void> {
  const slash = first.indexOf('/');
  if (slash < 1 && next !== undefined && (next === '-' || readAssignment(next))) return;
  const name = slash > 0 ? first.slice(0, slash) : first;
  const names = servers.map((server) => server.name);
  if (didYouMean(name, names) === undefined && onNodes(name, names).length === 0) return;
  const remembered = Object.values(recallTools(settings)).flat();
  if (remembered.some((tool) => tool.name === first)) return;
  const { offers } = await host.tools(true);
  if (!offers.some((tool) => tool.name === first)) throw unknownServer(name, names, []);
}

export async function findByName(
  { host, remember }: Reached,
  { servers, notJoined }: Pick<HostStatus, 'servers' | 'notJoined'>,
  name: string,
  words: string[],
): Promise<FoundTool> {
  const { offers: tools, failed } = await host.tools();
  rememberOffers(remember, tools);
  const names = servers.map((server) => server.name);
  if (!tools.some((tool) => tool.name === name) && listedAs(tools, name, names).length === 0) {
    if (name.indexOf('/') > 0) throw unknownServer(name.slice(0, name.indexOf('/')), names, [], notJoined);
    if (onNodes(name, names).length > 0) throw unknownServer(name, names, [], notJoined);
    const trouble = failed.map(({ server }) => ` "${server}" could not be queried.`).join('');
    const known = [...names, ...tools.map(({ address }) => address)];
    throw new UsageError('NAME_UNKNOWN', `There is no server and no tool named "${name}"`, {
      hint: `${notJoined ?? didYouMean(name, known) ?? commandHint(name) ?? `\`${ownCommand} tools\` lists all tools.`}${trouble}`,
    });
  }
  const { server, definition } = resolve(tools, name, 'tool', names);
  const { protocol } = servers.find((each) => each.name === server)!;
  return { server, protocol, tool: definition, words };
}

export function rememberOffers(remember: Reached['remember'], offers: readonly Offer<Tool>[]): void {
  for (const name of new Set(offers.map(({ server }) => server))) {
    const own = offers.filter(({ server }) => server === name);
    remember(
      name,
      own.map(({ definition }) => definition),
    );
  }
}

const NO_TOOLS = 'It has no tools.';

/** `next`: the word after the name, if the server comes after `--` and must not be named. */
export function noSuchTool(
  server: string,
  name: string | undefined,
  tools: readonly Tool[],
  next?: string,
): UsageError {
  const names = tools.map((tool) => tool.name);
  if (name === undefined || readAssignment(name)) {
    return invalidOption(`No tool of "${server}" was given`, hintOfNames('', names, NO_TOOLS));
  }
  if (next !== undefined && names.includes(next)) {
    return new UsageError('NAME_UNKNOWN', `"${server}" has no tool named "${name}"`, {
      hint: `With a server after --, do not name a server: ${ownCommand} call ${shellWord(next)} … -- <command …>`,
    });
  }
  return new UsageError('NAME_UNKNOWN', `"${server}" has no tool named "${name}"`, {
    hint: hintOfNames(name, names, NO_TOOLS),
  });
}
