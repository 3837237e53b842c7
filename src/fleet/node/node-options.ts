// How a host joins a fleet, and the figures of a node.

import type { Clock } from '../../base/clock.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Fabric } from '../fabric.ts';
import type { FleetNode } from '../fleet-node.ts';
import type { FleetQuotas } from '../quotas/fleet-quotas.ts';
import type { CallCounts } from '../route/call-counts.ts';

export interface JoinOptions {
  fabric: Fabric;
  node: string;
  labels?: readonly string[] | undefined;
  /** Whether the other nodes may use the servers of its config. Default: true. */
  offers?: boolean | undefined;
  /** Of its gateway. */
  url?: string | undefined;
  /** Of the principals of its gateway. */
  quotas?: FleetQuotas | undefined;
  /** How long calls may take to end when a server is moved, and when the node leaves. Default: 10 s. */
  drainMs?: number | undefined;
  /** Called with what happens, for people. */
  note?: ((text: string) => void) | undefined;
  /** Called before servers are started, for their secrets. */
  learn?: ((servers: readonly ServerConfig[]) => void) | undefined;
  /** Called with the node before it joins. From then on it takes up changes of the config, and its channels are used. */
  onBegin?: ((node: FleetNode) => void) | undefined;
  /** Gives up joining. */
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

/** For metrics. */
export interface FleetFigures {
  isConnected: boolean;
  hasLease: boolean;
  /** Replicas of servers that this node runs. */
  claims: number;
  /** In the directory. */
  nodes: number;
  calls: CallCounts;
}
