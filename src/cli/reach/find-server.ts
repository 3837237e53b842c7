// The server somebody means, by its name; or a helpful word about why there is none.

import { UsageError } from '../../base/errors.ts';
import { didYouMean } from '../../host/config/nearest.ts';
import type { ServerStatus } from '../../host/server-state.ts';
import type { Settings } from '../settings.ts';
import type { Reached } from './reach-host.ts';

export async function findServer(name: string, { host, running }: Reached, settings: Settings): Promise<ServerStatus> {
  const servers = await host.status();
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name);
  if (!running) await explainRejected(name, settings);
  throw unknownServer(name, names);
}

export function unknownServer(name: string, names: readonly string[]): UsageError {
  const there = names.length > 0 ? `There are: ${names.join(', ')}` : 'The config has no servers that can be used.';
  const meant = didYouMean(name, names);
  return new UsageError('NAME_UNKNOWN', `There is no server named "${name}"`, {
    hint: meant ? `${meant} ${there}` : there,
  });
}

/** It stands in the config, but cannot be used: then that is what to say. */
export async function explainRejected(name: string, settings: Settings): Promise<void> {
  const [{ loadServers }, { problemError }] = await Promise.all([
    import('./own-host.ts'),
    import('../../host/config/problem.ts'),
  ]);
  const { rejected, problems } = await loadServers(settings).catch(() => ({ rejected: [], problems: [] }));
  if (!rejected.some((entry) => entry.name === name)) return;
  const problem = problems.find(({ server, severity }) => server === name && severity === 'error');
  throw problemError(problem ?? problems.find(({ server }) => server === name)!);
}
