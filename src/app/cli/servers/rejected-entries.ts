// Finds config entries that cannot be used. Commands that list servers report them with the reason.

import { visibleLine } from '../../../base/terminal/visible.ts';
import { type ConfigProblem, problemText } from '../../../config/problem.ts';
import { rejections } from '../../../host/services/unknown-name.ts';
import type { Output } from '../output/output.ts';
import type { Settings } from '../settings.ts';
import type { Reached } from './reach-host.ts';

/** Asks the running host, which may have loaded an earlier version of the file; otherwise reads the config. */
export async function rejectedEntries(
  { host, running, only }: Pick<Reached, 'host' | 'running' | 'only'>,
  settings: Settings,
): Promise<ConfigProblem[]> {
  if (only !== undefined) return [];
  if (running) return (await host.control('standpipe/config')).rejected;
  const { loadServers } = await import('./own-host.ts');
  return rejections(await loadServers(settings).catch(() => undefined)); // already reported when the config was loaded
}

/** Prints one line per invalid entry. */
export function tellRejected(rejected: readonly ConfigProblem[], out: Output): void {
  for (const problem of rejected) {
    const hint = problem.suggestion ? ` ${visibleLine(problem.suggestion)}` : '';
    out.say(`${out.paintError('yellow', 'ignored:')} ${visibleLine(problemText(problem))}.${hint}`);
  }
}
