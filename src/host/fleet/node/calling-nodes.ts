// The nodes that calls come from: the reply subjects of their calls begin with the name of the node and a token of its run. Each
// client gets an identity that is unique across nodes and runs.

import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { CallerRecord } from '../call-protocol.ts';
import type { Payload } from '../parts.ts';
import { fleetName, isSecretOf, type Subjects } from '../subjects.ts';

/** Limits above which the oldest entries are dropped. */
const MOST_NODES = 10_000;
const MOST_CLIENTS = 10_000;
/** Requests of a node's host on its own behalf are unrelated to a client, on both nodes. */
const HOST_AFFINITY = 'host';

export class CallingNode {
  readonly name: string;
  /** Secret token of one process of the node. It outlives the sessions of its lease. */
  readonly run: string;
  /** Prefix of the reply subjects of its calls; the number of the call follows. */
  readonly prefix: string;
  /** True if all calls of the node were seen: the node was not dropped before. */
  readonly isComplete: boolean;
  calls = 0;
  bytes = 0;
  /** Highest call numbers: of calls whose answers are no longer kept, and of the older and newer half of the kept ones. */
  forgotten = 0;
  older = 0;
  newer = 0;
  highest = 0;
  /** Clients whose connection or session can end. */
  readonly #clients = new Map<string, ClientIdentity>();
  /**
   * Prefix of the ids of the node's clients. Other parts of the program may show them, so that it must not contain the
   * token.
   */
  readonly #ids: string;

  constructor(name: string, run: string, prefix: string, isComplete: boolean) {
    this.name = name;
    this.run = run;
    this.prefix = prefix;
    this.isComplete = isComplete;
    this.#ids = `${name}/${createHash('sha256').update(run).digest('hex').slice(0, 16)}/`;
  }

  /** Returns NaN if the subject is not that of a call of this node. */
  numberOf(reply: string): number {
    const number = Number(reply.slice(this.prefix.length));
    return Number.isSafeInteger(number) && number > 0 ? number : Number.NaN;
  }

  identityOf(caller: CallerRecord | undefined): ClientIdentity {
    const isPaced = true;
    if (caller === undefined) return { id: this.#ids, principal: undefined, affinity: HOST_AFFINITY, isPaced };
    const { id, principal, affinity } = caller;
    if (id !== affinity) {
      const here = affinity === HOST_AFFINITY ? affinity : `${this.name}/${affinity}`;
      return { id: this.#ids + id, principal, affinity: here, isPaced };
    }
    const known = this.#clients.get(id);
    if (known && known.principal === principal) return known;
    const own = this.#ids + id;
    const identity = { id: own, principal, affinity: own, isPaced };
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

  /** Returns undefined if the subject does not belong to a call of a node. */
  of(reply: string): CallingNode | undefined {
    const last = this.#last;
    if (last && reply.startsWith(last.prefix)) return last;
    const prefix = reply.slice(0, reply.lastIndexOf('.') + 1);
    const node = this.#byPrefix.get(prefix) ?? this.#add(prefix);
    this.#last = node ?? last;
    return node;
  }

  /** Nodes whose token is a secret of the run: several if the node has changed it. */
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

export interface KeptLimits {
  maxKept: number;
  maxKeptChars: number;
  /** Answers are kept between half of this time and this time, or shorter if `maxKept` or `maxKeptChars` is reached. */
  keptMs: number;
}

/** Stands for an answer that is too long to be kept, and for a cancelled call. */
const NOTHING = '';

/**
 * Keeps sent answers for a limited time: an answer can be lost with the connection to NATS, and the calling node then asks for it.
 * They are kept in two halves. When the newer one is full or old enough, the older one is dropped as a whole, so that keeping an answer
 * costs one Map entry and no later work. The highest number of the dropped calls of each node is remembered: it shows for every call
 * whether it certainly never arrived.
 */
export class AnsweredCalls {
  readonly #limits: KeptLimits;
  readonly #clock: Clock;
  readonly #nodes: CallingNodes;
  #newer = new Map<string, Payload>();
  #older = new Map<string, Payload>();
  #newerChars = 0;
  #timer: Timer | undefined;

  constructor(limits: KeptLimits, clock: Clock, nodes: CallingNodes) {
    this.#limits = limits;
    this.#clock = clock;
    this.#nodes = nodes;
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /**
   * Returns an empty payload if the call has ended and its answer is not kept, and undefined if the call is unknown
   * here.
   */
  get(reply: string): Payload | undefined {
    return this.#newer.get(reply) ?? this.#older.get(reply);
  }

  add(caller: CallingNode, number: number, reply: string, answer: Payload = NOTHING): void {
    const { maxKept, maxKeptChars } = this.#limits;
    const chars = reply.length + answer.length;
    const isTooLong = chars > maxKeptChars / 2;
    if (this.#newer.size >= maxKept / 2 || (!isTooLong && this.#newerChars + chars > maxKeptChars / 2))
      this.#dropOlder();
    this.#newer.set(reply, isTooLong ? NOTHING : answer);
    this.#newerChars += isTooLong ? reply.length : chars;
    if (number > caller.newer) caller.newer = number;
    if (!this.#timer) this.#tickLater();
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dropOlder();
    this.#dropOlder();
  }

  #tickLater(): void {
    this.#timer = this.#clock.after(this.#limits.keptMs / 2, () => {
      this.#timer = undefined;
      this.#dropOlder();
      if (this.#older.size > 0) this.#tickLater();
    });
    this.#timer.keepAlive(false);
  }

  #dropOlder(): void {
    for (const caller of this.#nodes.values()) {
      if (caller.older > caller.forgotten) caller.forgotten = caller.older;
      caller.older = caller.newer;
      caller.newer = 0;
    }
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerChars = 0;
  }
}
