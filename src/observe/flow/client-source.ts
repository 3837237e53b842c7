// Records the actions of one host client as events of a store. A gateway with a wire passes bytes; one with messages passes their texts.
// The store drops its oldest events, so the facts about a client are repeated after they were dropped. Its traffic thus always stays
// attributable.

import { firstChars } from '../../base/first-chars.ts';
import type { FrameFault } from '../../wire/framing/framing.ts';
import type { WireObserver } from '../../wire/wire.ts';
import { copy } from './cut-frame.ts';
import { encodeOnce } from './encode-once.ts';
import type { ClientFact, FlowDirection, HttpPlace } from './event.ts';
import type { FlowStore } from './store.ts';

/** Client texts are cut to this many characters, because they are kept as long as the client is known. */
const LONGEST_TEXT = 200;

type Described = Omit<ClientFact, 'kind' | 'state'>;

/** Facts about a client, over all its requests. */
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

  /** Returns whether any fact changed. */
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

  /** `isAlone`: the source is a single request of a stateless client. */
  constructor(store: FlowStore, client: KnownClient, life: number, isAlone: boolean) {
    this.#store = store;
    this.#client = client;
    this.#life = life;
    this.#isAlone = isAlone;
    this.#isKnown = isAlone;
  }

  /** Records the client's description of itself. Only the first name counts. */
  introduced(facts: SelfDescription): void {
    if (this.#isKnown) return;
    this.#isKnown = facts.info !== undefined;
    if (this.#client.learn(textsOf(facts))) this.#client.tell('known', this.#life);
  }

  /** Records that a request of this client led to a request on another wire. */
  linked(
    request: string | number,
    { server: wire, life: wireLife }: { server: string; life: number },
    direction: FlowDirection,
    id: string | number,
  ): void {
    this.#store.append(this.#client.name, this.#life, { kind: 'link', request, wire, wireLife, direction, id });
  }

  /** Records a question to the client during its request. */
  asked(request: string | number, id: string | number): void {
    this.linked(request, { server: this.#client.name, life: this.#life }, 'toClient', id);
  }

  /** The number of the client's next HTTP request. */
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
