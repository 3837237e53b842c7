// The nodes that calls come from, each by its session: what their reply subjects begin with names both. A client of theirs has an
// identity here that no client of another node or session has.

import type { ClientIdentity } from '../../mcp/service.ts';
import type { CallerRecord } from '../call-protocol.ts';
import { fleetName, type Subjects } from '../subjects.ts';

/** Beyond these, the oldest are forgotten. */
const MOST_SESSIONS = 10_000;
const MOST_CLIENTS = 10_000;
/** What the host of a node asks on its own behalf belongs to no client, here as there. */
const HOST_AFFINITY = 'host';

export class CallingSession {
  readonly node: string;
  readonly session: string;
  /** Of the reply subjects of its calls. The number of the call follows. */
  readonly prefix: string;
  /** It has lost its lease: its calls have no receiver. */
  hasEnded = false;
  /** All its calls were seen: it is not one that was forgotten before. */
  readonly isComplete: boolean;
  /** Its calls that are in flight. */
  calls = 0;
  bytes = 0;
  /** The highest number of a call among those whose answers are not kept any more, and among the older and newer half of the others. */
  forgotten = 0;
  older = 0;
  newer = 0;
  /** Those whose connection or session can end. */
  readonly #clients = new Map<string, ClientIdentity>();

  constructor(node: string, session: string, prefix: string, isComplete: boolean) {
    this.node = node;
    this.session = session;
    this.prefix = prefix;
    this.isComplete = isComplete;
  }

  /** NaN: it is no call of this session. */
  numberOf(reply: string): number {
    const number = Number(reply.slice(this.prefix.length));
    return Number.isSafeInteger(number) && number > 0 ? number : Number.NaN;
  }

  identityOf(caller: CallerRecord | undefined): ClientIdentity {
    if (caller === undefined) return { id: this.#own(''), principal: undefined, affinity: HOST_AFFINITY };
    const { id, principal, affinity } = caller;
    if (id !== affinity) {
      const here = affinity === HOST_AFFINITY ? affinity : `${this.node}/${affinity}`;
      return { id: this.#own(id), principal, affinity: here };
    }
    const known = this.#clients.get(id);
    if (known && known.principal === principal) return known;
    const own = this.#own(id);
    const identity = { id: own, principal, affinity: own };
    if (this.#clients.size >= MOST_CLIENTS) this.#clients.delete(this.#clients.keys().next().value!);
    this.#clients.set(id, identity);
    return identity;
  }

  /** The client has ended. Undefined: nothing here belongs to it. */
  takeClient(id: string): ClientIdentity | undefined {
    const client = this.#clients.get(id);
    this.#clients.delete(id);
    return client;
  }

  takeClients(): ClientIdentity[] {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    return clients;
  }

  #own(id: string): string {
    return `${this.node}/${this.session}/${id}`;
  }
}

export class CallingSessions {
  readonly #subjects: Subjects;
  readonly #byPrefix = new Map<string, CallingSession>();
  #last: CallingSession | undefined;
  /** Sessions were forgotten that may have had calls. */
  #hasForgotten = false;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
  }

  /** Undefined: the subject is not that of a call of a node. */
  of(reply: string): CallingSession | undefined {
    const last = this.#last;
    if (last && reply.startsWith(last.prefix)) return last;
    const prefix = reply.slice(0, reply.lastIndexOf('.') + 1);
    const session = this.#byPrefix.get(prefix) ?? this.#add(prefix);
    this.#last = session ?? last;
    return session;
  }

  /** All of that name. */
  named(session: string): CallingSession[] {
    return [...this.#byPrefix.values()].filter((each) => each.session === session);
  }

  values(): Iterable<CallingSession> {
    return this.#byPrefix.values();
  }

  #add(prefix: string): CallingSession | undefined {
    const [node = '', session = ''] = prefix.split('.').slice(-3);
    const isOne = fleetName.test(node) && fleetName.test(session);
    if (!isOne || this.#subjects.reply(node, session, 1) !== `${prefix}1`) return undefined;
    if (this.#byPrefix.size >= MOST_SESSIONS) this.#forgetOne();
    const added = new CallingSession(node, session, prefix, !this.#hasForgotten);
    this.#byPrefix.set(prefix, added);
    return added;
  }

  #forgetOne(): void {
    for (const each of this.#byPrefix.values()) {
      if (each.calls > 0) continue;
      this.#byPrefix.delete(each.prefix);
      this.#hasForgotten = true;
      return;
    }
  }
}
