// Names the clients of a host and gives each a source in the flow. A connection or session is a client. Stateless requests are grouped by
// their principal and their description, so that the list of clients stays short.

import { ClientSource, KnownClient, type SelfDescription, textsOf } from './client-source.ts';
import type { FlowStore } from './store.ts';

/** The connection path of a client. */
export interface FlowClientOrigin {
  /** The gateway: `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** The description in a stateless request. Absent for connections and sessions. */
  readonly alone?: SelfDescription | undefined;
}

/** Identity of a client within this process. */
export interface ObservedIdentity {
  readonly id: string;
  readonly principal: string | undefined;
}

interface Group {
  client: KnownClient;
  requests: number;
  /** Number of the last stateless request that used the group. */
  usedAt: number;
}

/** Clients choose their names. Beyond this many groups, the least recently used one is forgotten. */
const MOST_GROUPS = 1000;

export class FlowClients {
  readonly #store: FlowStore;
  readonly #groups = new Map<string, Group>();
  #requests = 0;

  constructor(store: FlowStore) {
    this.#store = store;
  }

  /** Must be called once for each connection, session or stateless request. */
  readonly observe = ({ id, principal }: ObservedIdentity, { door, alone }: FlowClientOrigin): ClientSource => {
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
    // The lengths make the concatenated key unambiguous.
    const lengths = `${principal?.length} ${name?.length} ${version?.length} ${revision?.length}`;
    const key = `${door} ${lengths} ${principal}${name}${version}${revision}`;
    let group = this.#groups.get(key);
    if (!group) {
      if (this.#groups.size === MOST_GROUPS) this.#forgetOldest();
      const facts = { door, principal, name, version, revision, stateless: true } as const;
      group = { client: new KnownClient(this.#store, nameOf(id), facts), requests: 0, usedAt: 0 };
      this.#groups.set(key, group);
    }
    group.usedAt = ++this.#requests;
    return group;
  }

  /** Searched only when needed: reordering a map with each request would keep much garbage alive. */
  #forgetOldest(): void {
    let oldest: string | undefined;
    let usedAt = Number.POSITIVE_INFINITY;
    for (const [key, group] of this.#groups) {
      if (group.usedAt >= usedAt) continue;
      oldest = key;
      usedAt = group.usedAt;
    }
    this.#groups.delete(oldest!);
  }
}

/** The number is the host's id of the client; for a group, the id of its first request. */
function nameOf(id: string): string {
  return `client ${id}`;
}
