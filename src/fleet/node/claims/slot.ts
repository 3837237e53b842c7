// A slot that this node has claimed.

import type { ClaimRecord } from '../../fabric.ts';

export interface Slot {
  readonly key: string;
  /** What this node claimed last. Its session shows whether it can still be in force. */
  claim: ClaimRecord;
  revision: number;
  isStateless: boolean;
  /** What the runner has, or may still have a part of. */
  instance: ClaimRecord | undefined;
  isDraining: boolean;
  /** Why its server has failed. */
  failure: string | undefined;
}

/** `before`: the same slot in an earlier claim of this node. */
export function claimedSlot(
  before: Slot | undefined,
  claimed: Pick<Slot, 'key' | 'claim' | 'revision' | 'isStateless'>,
): Slot {
  const none = { instance: undefined, isDraining: false };
  return Object.assign(before ?? none, { ...claimed, failure: undefined }) as Slot;
}
