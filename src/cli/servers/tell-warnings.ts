// What a server does against the protocol was understood in some way: said on stderr, and in the document of --json, so that
// a result never looks cleaner than what was sent.

import type { ServerWarning } from '../../host/control-methods.ts';
import type { HostAccess } from '../../host/host-access.ts';
import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

/** For a document: `warnings`, where there are any. */
export async function tellWarnings(
  host: HostAccess,
  servers: readonly string[],
  out: Output,
): Promise<{ warnings?: ServerWarning[] }> {
  const { warnings: ofHost } = await host.status().catch(() => ({ warnings: [] })); // it stops
  const own = servers.flatMap((server) =>
    host.client(server).warnings.map(({ topic, message }) => ({ server, topic, message })),
  );
  const all = [...ofHost.filter(({ server }) => servers.includes(server)), ...own];
  const warnings = [...new Map(all.map((warning) => [JSON.stringify(warning), warning])).values()];
  for (const { server, message } of warnings) {
    out.say(`${out.paintError('yellow', 'warning:')} ${visibleLine(server)}: ${visibleLine(message)}`);
  }
  return warnings.length > 0 ? { warnings } : {};
}
