// Tells the process of a claim its generation. Storage that the server writes to can compare generations and refuse an earlier owner:
// a lease cannot stop a write that is already in progress.

import type { ClaimRecord } from '../cluster-network.ts';

export function fencingEnvironment({ node, generation }: ClaimRecord): Record<string, string> {
  return { STANDPIPE_NODE: node, STANDPIPE_GENERATION: String(generation) };
}
