// The error for a host whose name another node of the fleet already has.

import { UsageError } from '../../../base/errors.ts';
import type { ClusterNetwork } from '../cluster-network.ts';

export async function nameTaken(node: string, { fleet, directory }: ClusterNetwork): Promise<UsageError> {
  const other = await directory.nodes.get(node).catch(() => undefined);
  const where = other ? ` (process ${other.value.pid} on ${other.value.hostname})` : '';
  return new UsageError('NODE_NAME_TAKEN', `Another host runs as node "${node}" of the fleet "${fleet}"${where}`, {
    hint: 'Give this host another name with --node, or stop the other one.',
  });
}
