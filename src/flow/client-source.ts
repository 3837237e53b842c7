// What one client of a host does, as events of a store. A door that has a wire gives it the bytes; one that has messages gives it
// their texts. The store drops what is oldest: what is known of a client is written again when that has happened, so that its
// traffic can always be told from that of others.

import { firstChars } from '../base/first-chars.ts';
import type { FrameFault } from '../framing/framing.ts';
import type { WireObserver } from '../transport/wire.ts';
import { copy } from './cut-frame.ts';
import { encodeOnce } from './encode-once.ts';
import type { ClientFact, FlowDirection, HttpPlace } from './event.ts';
import type { FlowStore } from './store.ts';

/** Texts of a client are cut to this: they are kept as long as it is known. */
const LONGEST_TEXT = 200;

type Described = Omit<ClientFact, 'kind' | 'state'>;

/** What is known of a client, over all its requests. */
export class KnownClient {
  readonly name: string;
  readonly #store: FlowStore;
  #facts: Described;
  /** The newest event that has these facts. */
  #factsSeq = 0;

  constructor(store: FlowStore, name: string, facts: Described) {
    this.name = name;
    this.#store = store;
    this.#facts = facts;
  }

  /** `life` is that of the event that this precedes. */
  tell(state: ClientFact['state'], life: number): void {
    this.#factsSeq = this.#store.lastSeq + 1;
    this.#store.append(this.name, life, { kind: 'client', state, ...this.#facts });
  }

  /** Before each of its events. */
  repeatIfDropped(life: number): void {
    if (this.#factsSeq <= this.#store.lastSeq - this.#store.size) this.tell('known', life);
  }

  /** Returns whether that was new. */
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

  /** `isAlone`: it is one request of a client of which all come alone. */
  constructor(store: FlowStore, client: KnownClient, life: number, isAlone: boolean) {
    this.#store = store;
    this.#client = client;
    this.#life = life;
    this.#isAlone = isAlone;
    this.#isKnown = isAlone;
  }

  /** What the client says about itself. The first name counts. */
  introduced(facts: SelfDescription): void {
    if (this.#isKnown) return;
    this.#isKnown = facts.info !== undefined;
    if (this.#client.learn(textsOf(facts))) this.#client.tell('known', this.#life);
  }

  /** A request of this client led to a request on another wire. */
  linked(
    request: string | number,
    { server: wire, life: wireLife }: { server: string; life: number },
    direction: FlowDirection,
    id: string | number,
  ): void {
    this.#store.append(this.#client.name, this.#life, { kind: 'link', request, wire, wireLife, direction, id });
  }

  /** The client itself is asked, during its request. */
  asked(request: string | number, id: string | number): void {
    this.linked(request, { server: this.#client.name, life: this.#life }, 'toClient', id);
  }

  /** The number of the next HTTP request of this client. */
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

  /** It is gone. Of a request that comes alone, only the end without an answer is worth an event. */
  closed(): void {
    if (!this.#isAlone || !this.#isAnswered) this.#client.tell('closed', this.#life);
  }

  #text(direction: FlowDirection, text: string, http: HttpPlace | undefined): void {
    this.#client.repeatIfDropped(this.#life);
    this.#store.appendFrame(this.#client.name, this.#life, direction, encodeOnce(text), undefined, http);
  }
}

/** They come from the client: anything may be there. */
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
