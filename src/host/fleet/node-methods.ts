// Requests between the nodes of a fleet other than calls, sent to the subject of a node. `{method, params}` is answered with
// `{result}` or `{error}`, an `ErrorDescription`.

import type { ControlMethod, ControlResults } from '../control/control-methods.ts';
import type { CallState } from './call-protocol.ts';
import type { WaitingSlot } from './place/plan.ts';
import type { QuotaAsk, QuotaGrant } from './quotas/quota-home.ts';

export interface PlaceRefusal {
  refused: string;
  /** True if the node cannot run the server with its current entry. Otherwise the reason may be temporary. */
  isUnfit?: boolean;
}

export interface NodeRequests {
  /** Reads the node's wall clock, to measure its offset. */
  'standpipe/ping': { params: Record<string, never>; result: { session: string; nowMs: number } };
  /** Claims a slot, if its claim still has this revision (0: there is none), and runs the server. Answered when the claim is made. */
  'standpipe/place': {
    params: { server: string; slot: number; revision: number };
    result: { generation: number } | PlaceRefusal;
  };
  /** Ends the process of a slot and gives the slot back. Answered at once; the claim shows when it is done. */
  'standpipe/release': {
    params: { server: string; slot: number; generation: number; reason: string };
    result: Record<string, never>;
  };
  /** Runs the server with its changed record. Answered at once; the claim shows when the new process is ready or has failed. */
  'standpipe/renew': { params: { server: string; slot: number; generation: number }; result: Record<string, never> };
  /** Asks the placing node why slots run nowhere, or cannot leave a drained node. */
  'standpipe/placement': { params: Record<string, never>; result: { waiting: readonly WaitingSlot[] } };
  /**
   * Asks for the state of calls, given by their reply subjects. `run`: `runOf` the node. Another run knows nothing of this one's
   * calls.
   */
  'standpipe/calls': { params: { calls: string[] }; result: { run: string; states: CallState[] } };
  /** A gateway requests shares of a principal's quotas from the node that keeps them. */
  'standpipe/quota': { params: QuotaAsk; result: QuotaGrant };
  /** Runs a control method of the node's host (`status`, `logs`, `restart`, …). */
  'standpipe/control': { params: { method: ControlMethod; params: object }; result: ControlResults[ControlMethod] };
}

export type NodeMethod = keyof NodeRequests;
