// What the process of a claim knows about it. Whatever the server writes to can compare the generations and refuse an owner of the
// past: no lease can stop a write that is already under way.

import type { ClaimRecord } from '../fabric.ts';

export function fencingEnvironment({ node, generation }: ClaimRecord): Record<string, string> {
  return { STANDPIPE_NODE: node, STANDPIPE_GENERATION: String(generation) };
}
