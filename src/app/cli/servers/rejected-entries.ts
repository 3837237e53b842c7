// The entries of the config that cannot be used. Commands that list servers also report these, with the reason.

import { visibleLine } from '../../../base/terminal/visible.ts';
import { type ConfigProblem, problemText } from '../../../config/problem.ts';
import { rejections } from '../../../host/services/unknown-name.ts';
import type { Output } from '../output/output.ts';
import type { Settings } from '../settings.ts';
import type { Reached } from './reach-host.ts';

/** From the running host, which may have loaded another state of the file; or from the config. */
export async function rejectedEntries(
  { host, running, only }: Pick<Reached, 'host' | 'running' | 'only'>,
  settings: Settings,
): Promise<ConfigProblem[]> {
  if (only !== undefined) return [];
  if (running) return (await host.control('standpipe/config')).rejected;
  const { loadServers } = await import('./own-host.ts');
  return rejections(await loadServers(settings).catch(() => undefined)); // already reported when the config was loaded
}

/** One line per faulty entry. */
export function tellRejected(rejected: readonly ConfigProblem[], out: Output): void {
  for (const problem of rejected) {
    const hint = problem.suggestion ? ` ${visibleLine(problem.suggestion)}` : '';
    out.say(`${out.paintError('yellow', 'ignored:')} ${visibleLine(problemText(problem))}.${hint}`);
  }
}
