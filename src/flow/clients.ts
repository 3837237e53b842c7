// Names the clients of a host and gives each a source in the flow. A connection or session is a client; requests that come alone
// are grouped by who is behind them and what they call themselves, so that the list of clients stays short.

import { ClientSource, KnownClient, type SelfDescription, textsOf } from './client-source.ts';
import type { ClientFact } from './event.ts';
import type { FlowStore } from './store.ts';

/** How a client reaches the host. */
export interface ClientOrigin {
  /** `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** What a request that comes alone says about itself. Absent for connections and sessions. */
  readonly alone?: SelfDescription | undefined;
}

/** A client among all those of this process. */
export interface ObservedIdentity {
  readonly id: string;
  readonly principal: string | undefined;
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
  #last: (Omit<ClientFact, 'kind' | 'state'> & { group: Group }) | undefined;

  constructor(store: FlowStore) {
    this.#store = store;
  }

  /** To be called once for each connection, session or request that comes alone. */
  readonly observe = ({ id, principal }: ObservedIdentity, { door, alone }: ClientOrigin): ClientSource => {
    if (!alone) {
      const client = new KnownClient(this.#store, nameOf(id), { door, principal });
      client.tell('opened', 1);
      return new ClientSource(this.#store, client, 1, false);
    }
    const group = this.#groupOf(id, principal, door, alone);
    const life = ++group.requests;
    if (life === 1) group.client.tell('opened', life);
    return new ClientSource(this.#store, group.client, life, true);
  };

  #groupOf(id: string, principal: string | undefined, door: string, alone: SelfDescription): Group {
    const { name, version, revision } = textsOf(alone);
    const last = this.#last;
    // The usual case, without a key to make.
    if (last && last.name === name && last.version === version && last.revision === revision) {
      if (last.door === door && last.principal === principal) return last.group;
    }
    const facts = { door, principal, name, version, revision, stateless: true } as const;
    const key = JSON.stringify(facts);
    const group = this.#groups.get(key) ?? { client: new KnownClient(this.#store, nameOf(id), facts), requests: 0 };
    this.#groups.delete(key);
    this.#groups.set(key, group); // the newest last
    if (this.#groups.size > MOST_GROUPS) this.#groups.delete(this.#groups.keys().next().value!);
    this.#last = { ...facts, group };
    return group;
  }
}

/** The number is the one that the host knows the client by; of a group, that of its first request. */
function nameOf(id: string): string {
  return `client ${id}`;
}
