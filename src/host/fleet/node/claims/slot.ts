// A slot that this node has claimed.

import type { ClaimRecord } from '../../cluster-network.ts';

export interface Slot {
  readonly key: string;
  /** This node's last claim. Its session shows whether it can still be in force. */
  claim: ClaimRecord;
  revision: number;
  isStateless: boolean;
  /** The claim that the runner runs, or whose process may not have exited completely. */
  instance: ClaimRecord | undefined;
  isDraining: boolean;
  /** Why the server has failed. */
  failure: string | undefined;
}

/** `before`: the slot as this node claimed it earlier. */
export function claimedSlot(
  before: Slot | undefined,
  claimed: Pick<Slot, 'key' | 'claim' | 'revision' | 'isStateless'>,
): Slot {
  const none = { instance: undefined, isDraining: false };
  return Object.assign(before ?? none, { ...claimed, failure: undefined }) as Slot;
}
