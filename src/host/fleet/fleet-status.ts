// Status of a fleet: plain data for the command line, the Inspector and metrics.

import type { ClaimRecord, NodeRecord, ServerRecord } from './cluster-network.ts';

/** How a program of the same user reaches the fleet of a host. It may contain a password and must not be shown. */
export interface FleetAddress {
  servers: readonly string[];
  fleet: string;
  /** Absolute paths of files. */
  credentials?: string | undefined;
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
}

export interface FleetStatus {
  fleet: string;
  /** The reporting node. Undefined if the program is not a node. */
  self: string | undefined;
  isConnected: boolean;
  placer: string | undefined;
  nodes: NodeStatus[];
  servers: FleetServerStatus[];
}

export interface NodeStatus extends NodeRecord {
  isAlive: boolean;
  /** How far the node's wall clock is ahead of the reporting node's, and the uncertainty. Undefined if not measured. */
  clockOffset?: { ms: number; uncertaintyMs: number } | undefined;
}

export interface FleetServerStatus extends Pick<ServerRecord, 'name' | 'place'> {
  replicas: ReplicaStatus[];
}

export interface ReplicaStatus extends Pick<ClaimRecord, 'slot' | 'node' | 'generation' | 'held'> {
  isInForce: boolean;
  reason?: string | undefined;
}
