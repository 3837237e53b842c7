// The nodes that calls come from: the reply subjects of their calls begin with the name of the node and a token of its run. A client
// of theirs has an identity here that no client of another node or of another run has.

import type { ClientIdentity } from '../../mcp/service.ts';
import type { CallerRecord } from '../call-protocol.ts';
import { fleetName, type Subjects } from '../subjects.ts';

/** Beyond these, the oldest are forgotten. */
const MOST_NODES = 10_000;
const MOST_CLIENTS = 10_000;
/** What the host of a node asks on its own behalf belongs to no client, here as there. */
const HOST_AFFINITY = 'host';

export class CallingNode {
  readonly name: string;
  /** Of one process of the node. It outlives the sessions of its lease. */
  readonly run: string;
  /** Of the reply subjects of its calls. The number of the call follows. */
  readonly prefix: string;
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

  constructor(name: string, run: string, prefix: string, isComplete: boolean) {
    this.name = name;
    this.run = run;
    this.prefix = prefix;
    this.isComplete = isComplete;
  }

  /** NaN: it is no call of this node. */
  numberOf(reply: string): number {
    const number = Number(reply.slice(this.prefix.length));
    return Number.isSafeInteger(number) && number > 0 ? number : Number.NaN;
  }

  identityOf(caller: CallerRecord | undefined): ClientIdentity {
    if (caller === undefined) return { id: this.#own(''), principal: undefined, affinity: HOST_AFFINITY };
    const { id, principal, affinity } = caller;
    if (id !== affinity) {
      const here = affinity === HOST_AFFINITY ? affinity : `${this.name}/${affinity}`;
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
    return `${this.name}/${this.run}/${id}`;
  }
}

export class CallingNodes {
  readonly #subjects: Subjects;
  readonly #byPrefix = new Map<string, CallingNode>();
  #last: CallingNode | undefined;
  /** Nodes were forgotten that may have had calls. */
  #hasForgotten = false;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
  }

  /** Undefined: the subject is not that of a call of a node. */
  of(reply: string): CallingNode | undefined {
    const last = this.#last;
    if (last && reply.startsWith(last.prefix)) return last;
    const prefix = reply.slice(0, reply.lastIndexOf('.') + 1);
    const node = this.#byPrefix.get(prefix) ?? this.#add(prefix);
    this.#last = node ?? last;
    return node;
  }

  /** If there were calls of it. */
  find(name: string, run: string): CallingNode | undefined {
    return this.#byPrefix.get(this.#subjects.reply(name, run, 1).slice(0, -1));
  }

  values(): Iterable<CallingNode> {
    return this.#byPrefix.values();
  }

  #add(prefix: string): CallingNode | undefined {
    const [name = '', run = ''] = prefix.split('.').slice(-3);
    const isOne = fleetName.test(name) && fleetName.test(run);
    if (!isOne || this.#subjects.reply(name, run, 1) !== `${prefix}1`) return undefined;
    if (this.#byPrefix.size >= MOST_NODES) this.#forgetOne();
    const added = new CallingNode(name, run, prefix, !this.#hasForgotten);
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
