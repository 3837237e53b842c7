// What a server does against the protocol was understood in some way: said on stderr, and in the document of --json, so that
// a result never looks cleaner than what was sent.

import type { HostApi } from '../../host/host-api.ts';
import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

export interface ServerWarning {
  server: string;
  topic: string;
  message: string;
}

/** For a document: `warnings`, where there are any. */
export async function tellWarnings(
  host: HostApi,
  servers: readonly string[],
  out: Output,
): Promise<{ warnings?: ServerWarning[] }> {
  const lists = servers.map(async (server) => {
    const warnings = await Promise.resolve(host.warnings(server)).catch(() => []); // an older host, or one that stops
    return warnings.map(({ topic, message }) => ({ server, topic, message }));
  });
  const warnings = (await Promise.all(lists)).flat();
  for (const { server, message } of warnings) {
    out.say(`${out.paintError('yellow', 'warning:')} ${visibleLine(server)}: ${visibleLine(message)}`);
  }
  return warnings.length > 0 ? { warnings } : {};
}
