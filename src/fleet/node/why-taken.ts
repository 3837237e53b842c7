// Whether a slot may be claimed. What is missing in a table that was deleted in NATS and made anew proves nothing for a time: its owners
// have to notice that, and either claim again what they run or end it.

import type { ClaimRecord, Fabric } from '../fabric.ts';

/** After this time, each node that is connected knows that the table of claims was made anew. */
const UNNOTICED_MS = 20_000;

/** Why another node may still run the slot. `before`: its claim, if it has one. */
export async function whyTaken(
  { directory: { claims }, leases }: Fabric,
  before: ClaimRecord | undefined,
): Promise<string | undefined> {
  if (!before) return (await claims.isSettled(UNNOTICED_MS)) ? undefined : madeAnew('claims');
  const { node, session, held, generation } = before;
  if (!held) return undefined;
  const lease = await leases.table.get(`node.${node}`);
  if (lease?.value.session === session) return `Node "${node}" runs it in generation ${generation}`;
  return (await leases.table.isSettled(leases.lifetimeMs)) ? undefined : madeAnew('leases');
}

function madeAnew(table: string): string {
  return `The table of ${table} was deleted in NATS and made anew: an owner that it does not show may still run the slot`;
}
