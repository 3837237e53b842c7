// A tool by its name alone, among those of all servers; and what to say when there is none.

import { UsageError } from '../../base/errors.ts';
import { resolve } from '../../host/catalog.ts';
import { didYouMean } from '../../host/config/nearest.ts';
import type { ServerStatus } from '../../host/server-state.ts';
import { unknownServer } from '../../host/unknown-name.ts';
import type { Tool } from '../../mcp/types.ts';
import { readAssignment } from '../values/word.ts';
import type { FoundTool } from './find-tool.ts';
import type { Reached } from './reach-host.ts';

export async function findByName(
  { host }: Reached,
  servers: readonly ServerStatus[],
  name: string,
  words: string[],
): Promise<FoundTool> {
  const { tools, failed } = await host.tools({ start: true });
  if (!tools.some((tool) => tool.name === name)) {
    const names = servers.map((server) => server.name);
    if (name.indexOf('/') > 0) throw unknownServer(name.slice(0, name.indexOf('/')), names, []);
    const trouble = failed.map(({ server }) => ` "${server}" could not be asked.`).join('');
    const known = [...names, ...tools.map(({ address }) => address)];
    throw new UsageError('NAME_UNKNOWN', `There is no server and no tool named "${name}"`, {
      hint: `${didYouMean(name, known) ?? '`standpipe tools` lists what there is.'}${trouble}`,
    });
  }
  const { server, definition } = resolve(tools, name, 'tool');
  const { protocol } = servers.find((each) => each.name === server)!;
  return { server, protocol, tool: definition, words };
}

/** `next`: the word behind the name, where a server is started for the purpose and none is named. */
export function noSuchTool(
  server: string,
  name: string | undefined,
  tools: readonly Tool[],
  next?: string,
): UsageError {
  const names = tools.map((tool) => tool.name);
  const there = names.length > 0 ? `There are: ${names.slice(0, 20).join(', ')}` : 'It has no tools.';
  if (name === undefined || readAssignment(name)) {
    return new UsageError('INVALID_OPTION', `Which tool of "${server}" is to be called?`, { hint: there });
  }
  if (next !== undefined && names.includes(next)) {
    return new UsageError('NAME_UNKNOWN', `"${server}" has no tool named "${name}"`, {
      hint: `With a server behind -- no server is named: standpipe call ${next} … -- <command …>`,
    });
  }
  const meant = didYouMean(name, names);
  return new UsageError('NAME_UNKNOWN', `"${server}" has no tool named "${name}"`, {
    hint: meant ? `${meant} ${there}` : there,
  });
}
