// The states of a supervised server, and its status: plain data.

import type { Evidence } from '../../base/errors.ts';
import type { Position } from '../../config/problem.ts';
import type { SharePolicy } from '../../config/server-config.ts';
import type { QuestionStatus } from '../../mcp/client/session/asking-tools.ts';

/** `unreachable`: a server at an address that does not answer. The host connects again until it answers. */
export type ServerState =
  | 'disabled'
  | 'stopped'
  | 'starting'
  | 'ready'
  | 'backoff'
  | 'unreachable'
  | 'failed'
  | 'stopping';

/** Returns true if calls are refused at once, or after one more attempt for a remote server. */
export function isAway(state: ServerState): boolean {
  return state === 'failed' || state === 'unreachable';
}

export interface StateChange {
  server: string;
  from: ServerState;
  to: ServerState;
  reason: string;
  atMs: number;
  /** The user of the process, as text, if it serves one client, principal or call. */
  owner?: string;
}

export interface LastExit {
  message: string;
  code: string | undefined;
  hint: string | undefined;
  evidence: Evidence | undefined;
}

export interface SupervisedStatus {
  name: string;
  state: ServerState;
  reason: string;
  protocol: 'mcp' | 'litemcp';
  /** Address without credentials. Undefined for a process. */
  url: string | undefined;
  pid: number | null;
  uptimeMs: number;
  restarts: number;
  calls: number;
  errors: number;
  revision: string | undefined;
  serverInfo: { name: string; version: string; title?: string } | undefined;
  lastExit: LastExit | undefined;
  lastError: string | undefined;
}

export interface ProcessStatus
  extends Pick<SupervisedStatus, 'state' | 'reason' | 'pid' | 'uptimeMs' | 'restarts' | 'calls' | 'errors'> {
  /** The user of the process, as text: `all`, `host`, or the name of a principal or of a client. */
  owner: string;
  /** Number of the process run, from 1: `life` in the flow. */
  generation: number;
}

export interface ServerStatus extends SupervisedStatus {
  /** Position of the entry in the config. */
  source: Position;
  share: SharePolicy['by'];
  /** `unannounced`: capabilities of clients of the shared process that were not declared to it. A restart declares them. */
  questions: QuestionStatus & { unannounced?: readonly string[] };
  /** Processes that run, will run, or have failed. */
  processes: ProcessStatus[];
  /** Requests that wait for a process slot because `maxProcesses` is reached. */
  waiting: number;
}
