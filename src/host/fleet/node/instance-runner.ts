// Runs the claims of a node. The node's host implements it; tests may only record the requests.

import type { ClaimRecord, ServerRecord } from '../cluster-network.ts';

export interface InstanceRunner {
  /**
   * Runs and serves the process with this record from now on. If the slot is running and the record has changed, the previous process
   * drains and exits first; if `end` follows meanwhile, nothing is run. Does not wait until the server is ready. Resolves to true if
   * the previous process continues, because its entry is unchanged. Rejects if this node cannot run the server at all.
   */
  run(claim: ClaimRecord, record: ServerRecord): Promise<boolean | undefined>;
  /** Resolves when a process that replaced another is ready, has failed, or has exceeded its limit. Must not reject. */
  settled?(claim: ClaimRecord): Promise<void>;
  /** Why this node cannot run the server, as far as that is known before the claim. */
  whyNot?(record: ServerRecord): string | undefined;
  /**
   * Resolves when the process tree has exited. `now` may follow during a drain and ends it. If it rejects, the slot is not given
   * back.
   */
  end(claim: ClaimRecord, reason: string, how: 'drain' | 'now'): Promise<void>;
}
