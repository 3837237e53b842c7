// Runs a control method on the host of another node, over NATS.

import { PeerError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { ControlMethod, ControlResults } from '../../control/control-methods.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { askNode, looksAtHost } from './answer-node-requests.ts';

/** Limit for methods that only read: a host answers them at once, unless the node hangs. */
const KNOWN_MS = 3_000;
/** A restart takes as long as the server. */
const DONE_MS = 60_000;

export async function controlNode<M extends ControlMethod>(
  network: ClusterNetwork,
  node: string,
  method: M,
  params: object,
  timeoutMs?: number,
): Promise<ControlResults[M]> {
  const waitMs = timeoutMs ?? (looksAtHost(method) ? KNOWN_MS : DONE_MS);
  try {
    const asked = await askNode(network, node, 'standpipe/control', { method, params }, waitMs);
    return asked as ControlResults[M];
  } catch (error) {
    throw explained(error, network, node, waitMs);
  }
}

/** Rewrites the error for the command line: it names the node instead of its subject. */
function explained(error: unknown, { isConnected }: ClusterNetwork, node: string, waitMs: number): unknown {
  if (!(error instanceof PeerError)) return error;
  const hint = `\`${ownCommand} ls --fleet\` shows the nodes that are alive.`;
  if (error.code === 'REQUEST_TIMEOUT')
    return new PeerError(error.code, `Node "${node}" did not answer within ${waitMs} ms`, { hint, cause: error });
  if (error.code !== 'NOT_SENT' || error.evidence) return error;
  const why = isConnected ? 'it is not connected to NATS' : 'there is no connection to NATS';
  return new PeerError(error.code, `Node "${node}" cannot be asked: ${why}`, { hint, cause: error });
}
