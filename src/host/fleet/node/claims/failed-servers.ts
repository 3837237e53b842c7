// Records in the claim of a slot that its server has failed on its node. The placer then moves the server, to each node once. So the
// claim lists the nodes where the server has failed with this config, until the config changes or a command starts the server again.

import type { ClaimRecord } from '../../cluster-network.ts';

/** In characters. */
const LONGEST_REASON = 300;

/** `reason`: why it has failed. Undefined if it was started again by a command, or with another config. */
export function withFailure(claim: ClaimRecord, reason: string | undefined): ClaimRecord {
  const { failed: _, tried = [], ...rest } = claim;
  if (reason === undefined) return rest;
  return { ...rest, failed: reason.slice(0, LONGEST_REASON), tried: [...new Set([...tried, claim.node])] };
}

/** The nodes where the server has failed with this config, for the next claim of the slot. */
export function triedBefore(claim: ClaimRecord | undefined, config: number): Pick<ClaimRecord, 'tried'> {
  return claim?.tried && claim.config === config ? { tried: claim.tried } : {};
}
