// What the nodes of a fleet ask each other beside calls: requests at the subject of a node. `{method, params}` is answered with
// `{result}` or `{error}`, an `ErrorDescription`.

import type { ControlMethod, ControlResults } from '../host/control/control-methods.ts';
import type { CallState } from './call-protocol.ts';
import type { Waiting } from './place/plan.ts';
import type { QuotaAsk, QuotaGrant } from './quotas/quota-home.ts';

export interface Refusal {
  refused: string;
  /** The node cannot run the server as its entry is. Without it the reason may be gone in a moment. */
  isUnfit?: boolean;
}

export interface NodeRequests {
  /** The wall clock of the node, to measure its offset. */
  'standpipe/ping': { params: Record<string, never>; result: { session: string; nowMs: number } };
  /** Claim a slot, if its claim still has this revision (0: it has none), and run the server. Answered when the claim is made. */
  'standpipe/place': {
    params: { server: string; slot: number; revision: number };
    result: { generation: number } | Refusal;
  };
  /** End the process of a slot and give the slot back. Answered at once; the claim shows when it is done. */
  'standpipe/release': {
    params: { server: string; slot: number; generation: number; reason: string };
    result: Record<string, never>;
  };
  /** The record of the server has changed: run it as it is now. Answered at once; the claim shows when that is ready or has failed. */
  'standpipe/renew': { params: { server: string; slot: number; generation: number }; result: Record<string, never> };
  /** What the node knows as the one that places servers: why slots run nowhere, or cannot leave a drained node. */
  'standpipe/placement': { params: Record<string, never>; result: { waiting: readonly Waiting[] } };
  /** What became of these calls, by their reply subjects. `run`: `runOf` the node. Another run knows nothing of what this one got. */
  'standpipe/calls': { params: { calls: string[] }; result: { run: string; states: CallState[] } };
  /** A gateway asks the home of a principal for parts of its quotas. */
  'standpipe/quota': { params: QuotaAsk; result: QuotaGrant };
  /** A method of the host's control socket (`status`, `logs`, `restart`, …). */
  'standpipe/control': { params: { method: ControlMethod; params: object }; result: ControlResults[ControlMethod] };
}

export type NodeMethod = keyof NodeRequests;
