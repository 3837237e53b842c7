// Quotas of a principal that several gateways share: each has a part of them at a time, and asks for more before it refuses a request.
// Who gives the parts out is not known here.

import type { Counted, Counts } from './limits.ts';
import type { Quotas } from './principal.ts';

/** The part of a principal at this gateway. `counts`: what its clients hold here now. Undefined: the quotas are not shared. */
export type SharedQuotas = (principal: string, quotas: Quotas, counts: Readonly<Counts>) => QuotaShare | undefined;

export interface QuotaShare {
  /** As the principal has them now. */
  quotas: Quotas;
  /** How many of these the clients of this gateway may hold now. */
  limitOf(kind: Counted): number;
  /** 0 for a request that may pass; otherwise in how many milliseconds one may. */
  takeRequest(): number;
  /** Asks for more. Resolves with the answer, to whether there may be still more: what would be refused is tried once more. */
  refill(): Promise<boolean>;
  /** Whether nothing is lost if it is forgotten. */
  readonly isIdle: boolean;
}
