// What runs the claims of a node. The host of the node does; a test may only write down what it was asked for.

import type { ClaimRecord, ServerRecord } from '../fabric.ts';

export interface InstanceRunner {
  /**
   * The process is wanted and served from now on, as the record says. If the slot runs already and the record has changed, the process
   * of before drains and ends first; `end` may follow meanwhile, and then nothing is run. Does not wait until the server is ready.
   * Resolves to true if the process of before goes on: nothing of its entry has changed. Rejects if this node cannot run the server at all.
   */
  run(claim: ClaimRecord, record: ServerRecord): Promise<boolean | undefined>;
  /** Resolves when the process that took the place of another is ready, has failed, or has had its time. Must not reject. */
  settled?(claim: ClaimRecord): Promise<void>;
  /** Why this node cannot run the server, as far as that is known before it is claimed. */
  whyNot?(record: ServerRecord): string | undefined;
  /** Resolves when the process tree is gone. `now` may follow while it drains, and also ends what drains. If it rejects, the slot is not given back. */
  end(claim: ClaimRecord, reason: string, how: 'drain' | 'now'): Promise<void>;
}
