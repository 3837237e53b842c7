// The envelopes of 2026-07-28 by client: every request from a client carries the same one, so its text is made once.

import { metaOf } from '../../../base/json-object.ts';
import { SharedMembers } from '../../../wire/jsonrpc/message-text.ts';
import type { RequestEnvelope } from '../../meta.ts';
import type { ClientFacts, Params } from '../../service.ts';
import type { LogLevel } from '../../types.ts';

export class ClientEnvelopes {
  readonly #make: (client: ClientFacts) => RequestEnvelope;
  readonly #known = new WeakMap<ClientFacts, { shared: SharedMembers; logLevel: LogLevel | undefined }>();
  /** The client of the last request, cached because most sessions have only one. */
  #client: ClientFacts | undefined;
  #logLevel: LogLevel | undefined;
  #last: SharedMembers | undefined;

  constructor(make: (client: ClientFacts) => RequestEnvelope) {
    this.#make = make;
  }

  of(client: ClientFacts): SharedMembers {
    if (client === this.#client && client.logLevel === this.#logLevel) return this.#last!;
    const known = this.#known.get(client);
    // The level of a client may change.
    const isKnown = known !== undefined && known.logLevel === client.logLevel;
    const shared = isKnown ? known.shared : new SharedMembers({ _meta: this.#make(client) });
    if (!isKnown) this.#known.set(client, { shared, logLevel: client.logLevel });
    this.#client = client;
    this.#logLevel = client.logLevel;
    this.#last = shared;
    return shared;
  }

  /** The parameters with the envelope added to their `_meta`. */
  added(params: Params, client: ClientFacts): Params {
    const envelope = this.of(client).value._meta as RequestEnvelope;
    return { ...params, _meta: { ...metaOf(params), ...envelope } };
  }
}
