// The entries of the config that cannot be run: whoever lists what there is says what was left out, and why.

import { type ConfigProblem, problemText } from '../../config/problem.ts';
import { rejections } from '../../host/unknown-name.ts';
import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';
import type { Settings } from '../settings.ts';
import type { Reached } from './reach-host.ts';

/** From the host that runs, which may know another state of the file; or from the config itself. */
export async function rejectedEntries(
  { host, running, only }: Pick<Reached, 'host' | 'running' | 'only'>,
  settings: Settings,
): Promise<ConfigProblem[]> {
  if (only !== undefined) return [];
  if (running) return (await host.control('standpipe/config')).rejected;
  const { loadServers } = await import('./own-host.ts');
  return rejections(await loadServers(settings).catch(() => undefined)); // who needs the config has said what is wrong
}

/** A line for each that is a mistake. A server over the network is none. */
export function tellRejected(rejected: readonly ConfigProblem[], out: Output): void {
  for (const problem of rejected.filter(({ severity }) => severity === 'error')) {
    const hint = problem.suggestion ? ` ${visibleLine(problem.suggestion)}` : '';
    out.say(`${out.paintError('yellow', 'ignored:')} ${visibleLine(problemText(problem))}.${hint}`);
  }
}
