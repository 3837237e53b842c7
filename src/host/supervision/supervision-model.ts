// The state of the supervision of one server, the events that change it, and the effects that follow: plain data.

import type { RestartLimits } from '../../config/server-config.ts';
import type { Ending, RestartHistory } from './restart-policy.ts';
import type { ServerState } from './server-state.ts';

/** What was asked for last. */
export interface Intention {
  readonly wanted: boolean;
  /** Why a call must not start it: it was stopped. Only a command takes that back. */
  readonly held: string | undefined;
  /** Raised by every command, every start of a process and every wait, so that each has a number of its own. */
  readonly generation: number;
  /** A process with a lower number belongs to an earlier intention. */
  readonly since: number;
}

/** The one process of the server, from the moment it is asked for until all of its tree is gone. */
export interface ServerProcessSlot {
  readonly phase: 'opening' | 'running' | 'closing';
  readonly generation: number;
}

export interface Supervision {
  readonly state: ServerState;
  readonly reason: string;
  readonly enabled: boolean;
  readonly limits: RestartLimits;
  /** At an address: it comes back by itself, and costs nothing while it is away. */
  readonly isRemote: boolean;
  readonly intention: Intention;
  readonly process: ServerProcessSlot | undefined;
  /** Callers wait for the server to be ready. */
  readonly awaited: boolean;
  /** The number of the wait before the next start. */
  readonly backoff: number | undefined;
  readonly history: RestartHistory;
  readonly restarts: number;
  readonly readySinceMs: number;
  /** It was ready since the last command. */
  readonly wasReady: boolean;
  /** When the last attempt failed, or the server was lost. */
  readonly fellAtMs: number;
}

/** Why a start failed or a process is of no more use. */
export interface Fall extends Omit<Ending, 'uptimeMs'> {
  readonly message: string;
  /** Trying again cannot help: the entry itself is wrong, or a person has to log in. */
  readonly hopeless: boolean;
  readonly nowMs: number;
  /** From 0 up to 1. */
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
  /** A call waits for the server. */
  | { readonly type: 'needed'; readonly nowMs: number }
  /** A remote server is there again. */
  | { readonly type: 'reachable' }
  // What became of effects.
  | { readonly type: 'opened'; readonly generation: number; readonly nowMs: number }
  | { readonly type: 'open-failed' | 'lost'; readonly generation: number; readonly fall: Fall }
  | { readonly type: 'closed' | 'backoff-over'; readonly generation: number };

export type SupervisionEffect =
  | { readonly type: 'changed'; readonly from: ServerState; readonly to: ServerState; readonly reason: string }
  | { readonly type: 'open' | 'abort' | 'close'; readonly generation: number }
  | { readonly type: 'wait'; readonly generation: number; readonly ms: number }
  | { readonly type: 'cancel-wait' }
  /** Callers that wait for the server get it. */
  | { readonly type: 'ready' }
  /** Callers that wait for the server are refused. */
  | { readonly type: 'refuse'; readonly why: 'failed' | 'stopped' | 'disabled' }
  /** No process is left. */
  | { readonly type: 'gone' };

export interface Stepped {
  readonly next: Supervision;
  readonly effects: readonly SupervisionEffect[];
}
