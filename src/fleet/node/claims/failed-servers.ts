// What the claim of a slot says about a server that has failed on its node. The placer moves it then, to each node once: so a claim
// carries where its server has failed with this config, until that changes or a command starts the server again.

import type { ClaimRecord } from '../../fabric.ts';

/** Characters. */
const LONGEST_REASON = 300;

/** `reason`: why it has failed. Undefined: it was started again by a command, or with another config. */
export function withFailure(claim: ClaimRecord, reason: string | undefined): ClaimRecord {
  const { failed: _, tried = [], ...rest } = claim;
  if (reason === undefined) return rest;
  return { ...rest, failed: reason.slice(0, LONGEST_REASON), tried: [...new Set([...tried, claim.node])] };
}

/** Where a server with this config has failed, for the next claim of the slot. */
export function triedBefore(claim: ClaimRecord | undefined, config: number): Pick<ClaimRecord, 'tried'> {
  return claim?.tried && claim.config === config ? { tried: claim.tried } : {};
}
