// `standpipe logs` for a server on other nodes: prints the stderr that their hosts have in memory, and polls it with --follow. The
// nodes remove secrets.

import { systemClock } from '../../../base/clock.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { pause } from '../../../base/wait.ts';
import type { Invocation } from '../invocation.ts';
import { instancesNamed, type NamedInstance } from './instances.ts';
import type { FleetAccess } from './reach-fleet.ts';

const LOOK_MS = 500;

export async function printFleetLogs(
  fleet: FleetAccess,
  name: string,
  { isFollowed, tail }: { isFollowed: boolean; tail: number | undefined },
  { out, signal }: Invocation,
): Promise<void> {
  const since = new Map<string, number>();
  const print = async ({ node, server }: NamedInstance) => {
    const key = `${node}/${server}`;
    const { text, lastSeq } = await fleet.control(node, 'standpipe/logs', { server, since: since.get(key) ?? 0 });
    const isFirst = !since.has(key);
    since.set(key, lastSeq);
    const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
    for (const line of isFirst && tail !== undefined ? lines.slice(-tail) : lines) {
      if (out.json) out.documentLine({ node, server, kind: 'stderr', text: line });
      else out.write(`${visibleLine(node)} ${visibleLine(server)} stderr: ${visibleLine(line)}\n`);
    }
  };
  for (;;) {
    for (const each of instancesNamed(name, await fleet.status())) await print(each);
    if (!isFollowed) return;
    await pause(systemClock, LOOK_MS, signal); // the server may have moved in the meantime
  }
}
