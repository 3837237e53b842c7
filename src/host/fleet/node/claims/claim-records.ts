// Writes the records of a node's claims. A write whose answer is lost is resolved by reading.

import type { ClaimRecord, Table } from '../../cluster-network.ts';
import type { WhileHeld } from './while-held.ts';

/** Resolves to the new revision, or to undefined if another node was first, or if the session of the claim lost its lease meanwhile. */
export function writeClaim(
  claims: Table<ClaimRecord>,
  whileHeld: WhileHeld,
  { key, claim, revision }: { key: string; claim: ClaimRecord; revision: number },
): Promise<number | undefined> {
  return whileHeld.sure(claim.session, async () => {
    const written = await (revision === 0 ? claims.create(key, claim) : claims.update(key, claim, revision));
    if (written !== undefined) return written;
    // It may be this node's own write whose acknowledgement was lost.
    const entry = await claims.get(key);
    return entry && isSame(entry.value, claim) ? entry.revision : undefined;
  });
}

/** Whether the entry belongs to this claim. */
export function isOf(claim: ClaimRecord, entry: ClaimRecord | undefined): boolean {
  return entry?.session === claim.session && entry.generation === claim.generation;
}

function isSame(one: ClaimRecord, other: ClaimRecord): boolean {
  return (['session', 'generation', 'held', 'config', 'failed'] as const).every((field) => one[field] === other[field]);
}
