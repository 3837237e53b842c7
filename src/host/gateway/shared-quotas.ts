// Quotas of a principal shared by several gateways: each holds a share and requests more before it refuses a request. This file does not
// know who distributes the shares.

import type { Counted, Counts } from './limits.ts';
import type { Quotas } from './principal.ts';

/** The share of a principal at this gateway. `counts`: what its clients hold here now. Undefined if the quotas are not shared. */
export type SharedQuotas = (principal: string, quotas: Quotas, counts: Readonly<Counts>) => QuotaShare | undefined;

export interface QuotaShare {
  /** The current quotas of the principal. */
  quotas: Quotas;
  /** The number of these that clients of this gateway may hold now. */
  limitOf(kind: Counted): number;
  /** Returns 0 if a request may pass, otherwise the milliseconds until one may. */
  takeRequest(): number;
  /** Requests a larger share. Resolves to true if even more may be available; the caller then retries the refused request. */
  refill(): Promise<boolean>;
  /** True if the share can be discarded without loss. */
  readonly isIdle: boolean;
}
