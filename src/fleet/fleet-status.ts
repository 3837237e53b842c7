// What is known of a fleet: plain data for the command line, the Inspector and metrics.

import type { ClaimRecord, NodeRecord, ServerRecord } from './fabric.ts';

/** How a program of the same user reaches the fleet of a host. It may contain a password: it is never shown. */
export interface FleetAddress {
  /** URLs of NATS servers. */
  servers: readonly string[];
  fleet: string;
  /** Paths of files, absolute. */
  credentials?: string | undefined;
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
}

export interface FleetStatus {
  fleet: string;
  /** The node that reports this. Undefined: a program that is no node. */
  self: string | undefined;
  isConnected: boolean;
  /** The node that places servers. */
  placer: string | undefined;
  nodes: NodeStatus[];
  servers: FleetServerStatus[];
}

export interface NodeStatus extends NodeRecord {
  /** Whether it has its lease. */
  isAlive: boolean;
  /** How far its wall clock is ahead of the reporting node's, and how far that may be wrong. Undefined: not measured. */
  clockOffset?: { ms: number; uncertaintyMs: number } | undefined;
}

export interface FleetServerStatus extends Pick<ServerRecord, 'name' | 'place'> {
  replicas: ReplicaStatus[];
}

export interface ReplicaStatus extends Pick<ClaimRecord, 'slot' | 'node' | 'generation' | 'held'> {
  /** Its node has its lease. */
  isInForce: boolean;
  /** Why it runs nowhere, if it does not. */
  reason?: string | undefined;
}
