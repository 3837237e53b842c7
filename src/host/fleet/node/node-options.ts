// The options for joining a fleet, and the metrics of a node.

import type { Clock } from '../../../base/clock.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import type { FleetNode } from '../fleet-node.ts';
import type { FleetQuotas } from '../quotas/fleet-quotas.ts';
import type { CallCounts } from '../route/call-counts.ts';

export interface JoinOptions {
  network: ClusterNetwork;
  node: string;
  labels?: readonly string[] | undefined;
  /** Whether other nodes may use the servers of its config. Default: true. */
  offers?: boolean | undefined;
  /** URL of its gateway. */
  url?: string | undefined;
  /** Quotas of the principals of its gateway. */
  quotas?: FleetQuotas | undefined;
  /** Limit for calls to end when a server is moved, and when the node leaves. Default: 10 s. */
  drainMs?: number | undefined;
  /** Called with messages for people. */
  note?: ((text: string) => void) | undefined;
  /** Called before servers are started, to learn their secrets. */
  learn?: ((servers: readonly ServerConfig[]) => void) | undefined;
  /** Called with the node before it joins. From then on, it applies changes of the config and its channels are used. */
  onBegin?: ((node: FleetNode) => void) | undefined;
  /** Aborts joining. */
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

export interface FleetFigures {
  isConnected: boolean;
  hasLease: boolean;
  /** Number of replicas that this node runs. */
  claims: number;
  /** Number of nodes in the directory. */
  nodes: number;
  calls: CallCounts;
}
