// The server somebody means, by its name; or a helpful word about why there is none.

import { problemError } from '../../config/problem.ts';
import type { ServerStatus } from '../../host/server-state.ts';
import { unknownServer } from '../../host/unknown-name.ts';
import { shellWord } from '../output/shell-word.ts';
import type { Settings } from '../settings.ts';
import type { Reached } from './reach-host.ts';
import { rejectedEntries } from './rejected-entries.ts';

export async function findServer(name: string, reached: Reached, settings: Settings): Promise<ServerStatus> {
  const servers = await reached.host.status();
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name);
  throw unknownServer(name, names, await rejectedEntries(reached, settings), commandHint(name));
}

/** What looks like a program or a file is probably meant to be started. */
export function commandHint(name: string): string | undefined {
  const isCommand =
    name.includes('/') || /\.[a-z]{1,4}$/i.test(name) || /^(?:node|npx|python3?|uvx?|bun|deno)$/.test(name);
  return isCommand ? `Write the command of a server at the end, after --: -- ${shellWord(name)} …` : undefined;
}

/** It stands in the config, but cannot be used: then that is what to say. */
export async function explainRejected(name: string, reached: Reached, settings: Settings): Promise<void> {
  const problem = (await rejectedEntries(reached, settings)).find(({ server }) => server === name);
  if (problem) throw problemError(problem);
}
