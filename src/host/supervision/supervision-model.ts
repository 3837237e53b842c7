// Plain data: the state of the supervision of one server, the events that change it, and the resulting effects.

import type { RestartLimits } from '../../config/server-config.ts';
import type { ProcessEnding, RestartHistory } from './restart-policy.ts';
import type { ServerState } from './server-state.ts';

/** The outcome of the last command. */
export interface Intention {
  readonly wanted: boolean;
  /** Why a call must not start the server: it was stopped. Only a command clears it. */
  readonly held: string | undefined;
  /** Increased by every command, every start of a process and every wait, so that each has its own number. */
  readonly generation: number;
  /** A process with a lower number belongs to an earlier intention. */
  readonly since: number;
}

/** The one process of the server, from the request to start it until its whole tree has exited. */
export interface ServerProcessSlot {
  readonly phase: 'opening' | 'running' | 'closing';
  readonly generation: number;
}

export interface Supervision {
  readonly state: ServerState;
  readonly reason: string;
  readonly enabled: boolean;
  readonly limits: RestartLimits;
  /** True for a server at an address. It may recover by itself, and uses no local resources while it is away. */
  readonly isRemote: boolean;
  readonly intention: Intention;
  readonly process: ServerProcessSlot | undefined;
  /** True if callers wait for the server to be ready. */
  readonly awaited: boolean;
  /** The number of the current wait before the next start. */
  readonly backoff: number | undefined;
  readonly history: RestartHistory;
  readonly restarts: number;
  readonly readySinceMs: number;
  /** True if the server has been ready since the last command. */
  readonly wasReady: boolean;
  /** Time of the last failed attempt or loss of the server. */
  readonly fellAtMs: number;
}

/** Why a start failed or a process has to be replaced. */
export interface Fall extends Omit<ProcessEnding, 'uptimeMs'> {
  readonly message: string;
  /** True if a retry cannot help: the entry itself is wrong, or a person has to log in. */
  readonly hopeless: boolean;
  readonly nowMs: number;
  /** 0 ≤ x < 1. */
  readonly random: number;
}

export type SupervisionEvent =
  // Commands.
  | { readonly type: 'start' | 'restart' | 'release' }
  | { readonly type: 'stop'; readonly reason: string }
  | {
      readonly type: 'replace';
      readonly reason: string;
      readonly enabled: boolean;
      readonly limits: RestartLimits;
      readonly isRemote: boolean;
      readonly wanted: boolean;
      readonly held: string | undefined;
      readonly isUnused?: boolean;
    }
  /** A call needs the server. */
  | { readonly type: 'needed'; readonly nowMs: number }
  /** A remote server is reachable again. */
  | { readonly type: 'reachable' }
  // Outcomes of effects.
  | { readonly type: 'opened'; readonly generation: number; readonly nowMs: number }
  | { readonly type: 'open-failed' | 'lost'; readonly generation: number; readonly fall: Fall }
  | { readonly type: 'closed' | 'backoff-over'; readonly generation: number };

export type SupervisionEffect =
  | { readonly type: 'changed'; readonly from: ServerState; readonly to: ServerState; readonly reason: string }
  | { readonly type: 'open' | 'abort' | 'close'; readonly generation: number }
  | { readonly type: 'wait'; readonly generation: number; readonly ms: number }
  | { readonly type: 'cancel-wait' }
  /** Resolves callers that wait for the server. */
  | { readonly type: 'ready' }
  /** Rejects callers that wait for the server. */
  | { readonly type: 'refuse'; readonly why: 'failed' | 'stopped' | 'disabled' }
  /** The process has exited. */
  | { readonly type: 'gone' };

export interface Stepped {
  readonly next: Supervision;
  readonly effects: readonly SupervisionEffect[];
}
