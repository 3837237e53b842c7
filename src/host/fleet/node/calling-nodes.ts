// The nodes that calls come from: the reply subjects of their calls begin with the name of the node and a token of its run. Each
// client gets an identity that is unique across nodes and runs.

import { createHash } from 'node:crypto';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { CallerRecord } from '../call-protocol.ts';
import { fleetName, isSecretOf, type Subjects } from '../subjects.ts';

/** Above these limits, the oldest are dropped. */
const MOST_NODES = 10_000;
const MOST_CLIENTS = 10_000;
/** Requests of a node's host on its own behalf belong to no client, here as there. */
const HOST_AFFINITY = 'host';

export class CallingNode {
  readonly name: string;
  /** Secret token of one process of the node. It outlives the sessions of its lease. */
  readonly run: string;
  /** Prefix of the reply subjects of its calls; the number of the call follows. */
  readonly prefix: string;
  /** True if all its calls were seen: the node was not dropped before. */
  readonly isComplete: boolean;
  /** Number of its calls in flight. */
  calls = 0;
  bytes = 0;
  /** Highest call numbers: of calls whose answers are no longer kept, and of the older and newer half of the kept ones. */
  forgotten = 0;
  older = 0;
  newer = 0;
  /** Highest number of its requests. */
  highest = 0;
  /** Clients whose connection or session can end. */
  readonly #clients = new Map<string, ClientIdentity>();
  /** Prefix of the ids of its clients. Other parts of the program may show them, so that it must not contain the token. */
  readonly #ids: string;

  constructor(name: string, run: string, prefix: string, isComplete: boolean) {
    this.name = name;
    this.run = run;
    this.prefix = prefix;
    this.isComplete = isComplete;
    this.#ids = `${name}/${createHash('sha256').update(run).digest('hex').slice(0, 16)}/`;
  }

  /** NaN if it is not a call of this node. */
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

  /** Called when a client has disconnected. Undefined if the client is unknown here. */
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
    return this.#ids + id;
  }
}

export class CallingNodes {
  readonly #subjects: Subjects;
  readonly #byPrefix = new Map<string, CallingNode>();
  #last: CallingNode | undefined;
  /** True if nodes were dropped that may have had calls. */
  #hasForgotten = false;

  constructor(subjects: Subjects) {
    this.#subjects = subjects;
  }

  /** Undefined if the subject does not belong to a call of a node. */
  of(reply: string): CallingNode | undefined {
    const last = this.#last;
    if (last && reply.startsWith(last.prefix)) return last;
    const prefix = reply.slice(0, reply.lastIndexOf('.') + 1);
    const node = this.#byPrefix.get(prefix) ?? this.#add(prefix);
    this.#last = node ?? last;
    return node;
  }

  /** Those whose token is a secret of the run: several if the node has changed it. */
  ofRun(name: string, run: string): CallingNode[] {
    return [...this.values()].filter((node) => node.name === name && isSecretOf(node.run, run));
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
