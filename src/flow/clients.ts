// Names the clients of a host and gives each a source in the flow. A connection or session is a client; requests that come alone
// are grouped by who is behind them and what they call themselves, so that the list of clients stays short.

import { ClientSource, KnownClient, type SelfDescription, textsOf } from './client-source.ts';
import type { FlowStore } from './store.ts';

/** How a client reaches the host. */
export interface ClientOrigin {
  /** `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** What a request that comes alone says about itself. Absent for connections and sessions. */
  readonly alone?: SelfDescription | undefined;
}

interface Group {
  client: KnownClient;
  requests: number;
}

/** A client decides what it calls itself: beyond this many names, the group that was unused for longest is begun anew. */
const MOST_GROUPS = 1000;

export class FlowClients {
  readonly #store: FlowStore;
  readonly #groups = new Map<string, Group>();
  #count = 0;

  constructor(store: FlowStore) {
    this.#store = store;
  }

  /** To be called once for each connection, session or request that comes alone. */
  readonly observe = (
    { principal }: { principal: string | undefined },
    { door, alone }: ClientOrigin,
  ): ClientSource => {
    if (!alone) {
      const client = this.#newClient({ door, principal });
      client.tell('opened', 1);
      return new ClientSource(this.#store, client, 1, false);
    }
    const facts = { door, principal, ...textsOf(alone), stateless: true } as const;
    const key = JSON.stringify(facts);
    const group = this.#groups.get(key) ?? { client: this.#newClient(facts), requests: 0 };
    this.#groups.delete(key);
    this.#groups.set(key, group); // the newest last
    if (this.#groups.size > MOST_GROUPS) this.#groups.delete(this.#groups.keys().next().value!);
    const life = ++group.requests;
    if (life === 1) group.client.tell('opened', life);
    return new ClientSource(this.#store, group.client, life, true);
  };

  #newClient(facts: ConstructorParameters<typeof KnownClient>[2]): KnownClient {
    return new KnownClient(this.#store, `client ${++this.#count}`, facts);
  }
}
