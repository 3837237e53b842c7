// The states of a supervised server, and its status: plain data.

import type { Evidence } from '../../base/errors.ts';
import type { Position } from '../../config/problem.ts';
import type { SharePolicy } from '../../config/server-config.ts';
import type { QuestionStatus } from '../../mcp/client/session/asking-tools.ts';

/**
 * `disabled → stopped → starting → ready → backoff → failed`, and `stopping` on the way back. `unreachable`: a server at an
 * address that is away. It is tried again until it is there.
 */
export type ServerState =
  | 'disabled'
  | 'stopped'
  | 'starting'
  | 'ready'
  | 'backoff'
  | 'unreachable'
  | 'failed'
  | 'stopping';

/** Calls are refused at once, or tried once more for a remote server. */
export function isAway(state: ServerState): boolean {
  return state === 'failed' || state === 'unreachable';
}

export interface StateChange {
  server: string;
  from: ServerState;
  to: ServerState;
  reason: string;
  atMs: number;
  /** Of the process of one client, principal or call: whose it is, in words. */
  owner?: string;
}

/** How the last process of a server ended. */
export interface LastExit {
  message: string;
  code: string | undefined;
  hint: string | undefined;
  evidence: Evidence | undefined;
}

/** What supervision knows of a server, or of one of its processes. */
export interface SupervisedStatus {
  name: string;
  state: ServerState;
  /** Why it is in this state. */
  reason: string;
  protocol: 'mcp' | 'litemcp';
  /** Where it is reached, without credentials. Undefined: it is a process. */
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

/** The process that one of those has who share a server. */
export interface ProcessStatus
  extends Pick<SupervisedStatus, 'state' | 'reason' | 'pid' | 'uptimeMs' | 'restarts' | 'calls' | 'errors'> {
  /** Who uses it, in words: `all`, `host`, or the name of a principal or of a client. */
  owner: string;
  /** Which process of the server, from 1: `life` in the flow. */
  generation: number;
}

export interface ServerStatus extends SupervisedStatus {
  /** Where its entry is. */
  source: Position;
  /** Who shares a process. */
  share: SharePolicy['by'];
  questions: QuestionStatus & {
    /** What clients of the shared process can be asked for, and it was not announced when it started: a restart announces it. */
    unannounced?: readonly string[];
  };
  /** Those that run, are to run, or have failed. */
  processes: ProcessStatus[];
  /** Requests that wait for a place among them: `maxProcesses` is reached. */
  waiting: number;
}
