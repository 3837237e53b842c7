// The requests that a question of a legacy server may belong to: those that were sent before it came and are not answered, those
// included that their clients gave up.

import type { PendingCall } from '../../../jsonrpc/outbound.ts';
import type { AbandonedRequests } from './abandoned-requests.ts';
import { type ClientKey, isOwner, type OwnerRequest } from './gated-request.ts';

export class QuestionOwners {
  readonly #peer: { readonly requests: Iterable<PendingCall> };
  readonly #abandoned: AbandonedRequests;

  constructor(peer: { readonly requests: Iterable<PendingCall> }, abandoned: AbandonedRequests) {
    this.#peer = peer;
    this.#abandoned = abandoned;
  }

  /** Those with a smaller id, and the clients of those that were given up. */
  before(id: number): { open: OwnerRequest[]; abandoned: Set<ClientKey> } {
    return { open: [...this.#open(id)], abandoned: new Set(this.#abandoned.clientsBefore(id)) };
  }

  /** The oldest with a smaller id that was not given up. */
  first(id: number): OwnerRequest | undefined {
    for (const request of this.#open(id)) return request;
    return undefined;
  }

  /** Whether those that were not given up are of one client. */
  openAreOfOne(beforeId: number): boolean {
    let only: ClientKey | undefined;
    for (const { client } of this.#open(beforeId)) {
      only ??= client;
      if (client !== only) return false;
    }
    return true;
  }

  /** Whether there are more than `count` that were not given up. */
  hasMoreOpen(beforeId: number, count: number): boolean {
    let left = count;
    for (const _ of this.#open(beforeId)) if (left-- === 0) return true;
    return false;
  }

  /** Whether there is one client at most, the given one if any. Stops at the second: requests and questions may be many. */
  areOfOne(beforeId: number, client?: ClientKey): boolean {
    let only = client;
    for (const request of this.#open(beforeId)) {
      only ??= request.client;
      if (request.client !== only) return false;
    }
    for (const each of this.#abandoned.clientsBefore(beforeId)) {
      only ??= each;
      if (each !== only) return false;
    }
    return true;
  }

  *#open(beforeId: number): Iterable<OwnerRequest> {
    for (const { id, options } of this.#peer.requests) {
      if (id >= beforeId) return;
      if (isOwner(options)) yield options;
    }
  }
}
