// The states of a supervised server, and its status: plain data.

import type { Evidence } from '../../base/errors.ts';

/** `disabled → stopped → starting → ready → backoff → failed`, and `stopping` on the way back. */
export type ServerState = 'disabled' | 'stopped' | 'starting' | 'ready' | 'backoff' | 'failed' | 'stopping';

export interface StateChange {
  server: string;
  from: ServerState;
  to: ServerState;
  reason: string;
  atMs: number;
}

/** How the last process of a server ended. */
export interface LastExit {
  message: string;
  code: string | undefined;
  hint: string | undefined;
  evidence: Evidence | undefined;
}

export interface ServerStatus {
  name: string;
  state: ServerState;
  /** Why it is in this state. */
  reason: string;
  protocol: 'mcp' | 'litemcp';
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
