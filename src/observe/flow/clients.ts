// Records the clients of a host as events of a store. A connection or session is a client. Stateless requests are grouped by their
// principal and their description, so that the list of clients stays short.

import { firstChars } from '../../base/first-chars.ts';
import type { FrameFault } from '../../wire/framing/framing.ts';
import type { WireObserver } from '../../wire/wire.ts';
import { copy, encodeOnce } from './cut-frame.ts';
import type { ClientFact, FlowDirection, HttpPlace } from './event.ts';
import type { FlowStore } from './store.ts';

export interface FlowClientOrigin {
  /** The gateway: `socket`, `http`, `http+sse`. */
  readonly door: string;
  /** The description in a stateless request. Absent for connections and sessions. */
  readonly alone?: SelfDescription | undefined;
}

interface ObservedIdentity {
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

  /**
   * The oldest group is searched only when needed: reordering a map with each request would keep much garbage alive.
   */
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

/** Client texts are cut to this many characters, because they are kept as long as the client is known. */
const LONGEST_TEXT = 200;

type Described = Omit<ClientFact, 'kind' | 'state'>;

/** Facts about a client. They are repeated after the store has dropped them, so that the traffic stays attributable. */
export class KnownClient {
  readonly name: string;
  readonly #store: FlowStore;
  #facts: Described;
  /** Sequence number of the newest event with these facts. */
  #factsSeq = 0;

  constructor(store: FlowStore, name: string, facts: Described) {
    this.name = name;
    this.#store = store;
    this.#facts = facts;
  }

  /** `life`: the process run of the event that follows. */
  tell(state: ClientFact['state'], life: number): void {
    this.#factsSeq = this.#store.lastSeq + 1;
    this.#store.append(this.name, life, { kind: 'client', state, ...this.#facts });
  }

  /** Must be called before each event of the client. */
  repeatIfDropped(life: number): void {
    if (this.#factsSeq <= this.#store.lastSeq - this.#store.size) this.tell('known', life);
  }

  learn(facts: Partial<Described>): boolean {
    const before = this.#facts;
    this.#facts = { ...before, ...facts };
    return (Object.keys(facts) as (keyof Described)[]).some((key) => facts[key] !== before[key]);
  }
}

export class ClientSource implements WireObserver {
  readonly #store: FlowStore;
  readonly #client: KnownClient;
  readonly #life: number;
  readonly #isAlone: boolean;
  #exchanges = 0;
  #isAnswered = false;
  #isKnown: boolean;

  /** `isAlone`: the source is a single request from a stateless client. */
  constructor(store: FlowStore, client: KnownClient, life: number, isAlone: boolean) {
    this.#store = store;
    this.#client = client;
    this.#life = life;
    this.#isAlone = isAlone;
    this.#isKnown = isAlone;
  }

  /** The name of the client in its events. */
  get name(): string {
    return this.#client.name;
  }

  /** Records the client's description of itself. Only the first name counts. */
  introduced(facts: SelfDescription): void {
    if (this.#isKnown) return;
    this.#isKnown = facts.info !== undefined;
    if (this.#client.learn(textsOf(facts))) this.#client.tell('known', this.#life);
  }

  /** Records that a request from this client led to a request on another wire. */
  linked(
    request: string | number,
    { server: wire, life: wireLife }: { server: string; life: number },
    direction: FlowDirection,
    id: string | number,
  ): void {
    this.#store.append(this.#client.name, this.#life, { kind: 'link', request, wire, wireLife, direction, id });
  }

  asked(request: string | number, id: string | number): void {
    this.linked(request, { server: this.#client.name, life: this.#life }, 'toClient', id);
  }

  nextExchange(): number {
    return this.#isAlone ? this.#life : ++this.#exchanges;
  }

  fromClient(text: string, exchange?: number): void {
    this.#text('fromClient', text, exchange === undefined ? undefined : { exchange });
  }

  answered(): void {
    this.#isAnswered = true;
  }

  toClient(text: string, exchange?: number, status?: number): void {
    this.#text('toClient', text, exchange === undefined ? undefined : { exchange, status });
  }

  receivedSpan(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#client.repeatIfDropped(this.#life);
    this.#store.appendSpan(this.#client.name, this.#life, 'fromClient', chunk, start, end, offset);
  }

  sentSpans(chunk: Uint8Array, places: number[]): void {
    this.#client.repeatIfDropped(this.#life);
    this.#store.appendSpans(this.#client.name, this.#life, 'toClient', chunk, places);
  }

  fault({ code, offset, length, prefix }: FrameFault): void {
    const fact = { kind: 'fault', direction: 'fromClient', code, offset, length, prefix: copy(prefix) } as const;
    this.#store.append(this.#client.name, this.#life, fact);
  }

  /** Records the end of the client. For a stateless request, only an end without an answer is recorded. */
  closed(): void {
    if (!this.#isAlone || !this.#isAnswered) this.#client.tell('closed', this.#life);
  }

  #text(direction: FlowDirection, text: string, http: HttpPlace | undefined): void {
    this.#client.repeatIfDropped(this.#life);
    this.#store.appendFrame(this.#client.name, this.#life, direction, encodeOnce(text), undefined, http);
  }
}

/** Values sent by the client, so they may have any type. */
export interface SelfDescription {
  revision?: unknown;
  info?: unknown;
}

export function textsOf({ revision, info }: SelfDescription) {
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  return { revision: cut(revision), name: cut(name), version: cut(version) };
}

function cut(text: unknown): string | undefined {
  return typeof text === 'string' ? firstChars(text, LONGEST_TEXT) : undefined;
}
