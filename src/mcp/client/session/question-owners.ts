// The requests that a question from a legacy server may belong to: those sent before it arrived and not answered yet,
// including those that their clients gave up.

import type { PendingCall } from '../../../wire/jsonrpc/outbound.ts';
import type { AbandonedRequests } from './abandoned-requests.ts';
import { type ClientKey, GatedRequest, isOwner, type OwnerRequest } from './gated-request.ts';

export class QuestionOwners {
  readonly #peer: { readonly requests: Iterable<PendingCall> };
  readonly #abandoned: AbandonedRequests;

  constructor(peer: { readonly requests: Iterable<PendingCall> }, abandoned: AbandonedRequests) {
    this.#peer = peer;
    this.#abandoned = abandoned;
  }

  /** The pending requests with a smaller id, and the clients of the requests that were given up. */
  before(id: number): { open: OwnerRequest[]; abandoned: Set<ClientKey> } {
    return { open: [...this.#open(id)], abandoned: new Set(this.#abandoned.clientsBefore(id)) };
  }

  /** The oldest pending request with a smaller id. */
  first(id: number): OwnerRequest | undefined {
    for (const request of this.#open(id)) return request;
    return undefined;
  }

  /** The pending request about this id. */
  about(id: string, beforeId: number): OwnerRequest | undefined {
    for (const request of this.#open(beforeId)) {
      if (request instanceof GatedRequest && request.isAbout(id)) return request;
    }
    return undefined;
  }

  /** Whether all pending requests are from one client. */
  openAreOfOne(beforeId: number): boolean {
    let only: ClientKey | undefined;
    for (const { client } of this.#open(beforeId)) {
      only ??= client;
      if (client !== only) return false;
    }
    return true;
  }

  /** Whether more than `count` pending requests have an id below `beforeId`. */
  hasMoreOpen(beforeId: number, count: number): boolean {
    let left = count;
    for (const _ of this.#open(beforeId)) if (left-- === 0) return true;
    return false;
  }

  /**
   * Whether no two requests are from different clients, and none is from another client than the given one, if one is given. Stops at the
   * second client,
   * because there may be many requests and questions.
   */
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
