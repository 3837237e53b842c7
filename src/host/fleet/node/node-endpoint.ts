// The endpoint at which the nodes of a fleet reach the servers of this node. Each instance has its own subject. Callers on this node
// use the instance itself.

import { type Clock, systemClock } from '../../../base/clock.ts';
import { within } from '../../../base/wait.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { CallState } from '../call-protocol.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { type Subjects, subjectsOf } from '../subjects.ts';
import { EndpointCalls, type EndpointLimits } from './endpoint-calls.ts';
import { EndpointInstance, type LocalInstance, type OpenInstance, type ServedInstance } from './endpoint-instance.ts';

export type { EndpointLimits } from './endpoint-calls.ts';
export type { LocalInstance, OpenInstance, ServedInstance } from './endpoint-instance.ts';

export interface NodeEndpointOptions {
  clock?: Clock;
  limits?: Partial<EndpointLimits>;
}

/** Limit for the last answers to reach NATS. */
const FLUSH_MS = 2_000;

export class NodeEndpoint {
  readonly #network: ClusterNetwork;
  readonly #node: string;
  readonly #subjects: Subjects;
  readonly #clock: Clock;
  readonly #calls: EndpointCalls;
  readonly #instances = new Map<string, EndpointInstance>();

  constructor(network: ClusterNetwork, node: string, { clock = systemClock, limits }: NodeEndpointOptions = {}) {
    this.#network = network;
    this.#node = node;
    this.#subjects = subjectsOf(network.fleet);
    this.#clock = clock;
    this.#calls = new EndpointCalls(network, limits, clock);
    this.#calls.onClientEnded = (client) => this.clientEnded(client);
  }

  /** The id must not belong to an open instance. */
  open(served: ServedInstance): OpenInstance {
    const { id } = served;
    const instance = new EndpointInstance(this.#node, served, this.#calls, this.#clock, () => this.#flush());
    const own = this.#network.subscribe(this.#subjects.call(this.#node, id), instance.receive);
    instance.onClose = () => {
      this.#instances.delete(id);
      own.end().catch(() => undefined); // the connection is closed, and with it the subscription
    };
    this.#instances.set(id, instance);
    return instance;
  }

  /** Informs every instance, because the client may have used any of them. */
  clientEnded(client: ClientIdentity): void {
    for (const instance of this.#instances.values()) instance.clientEnded(client);
  }

  local(id: string): LocalInstance | undefined {
    return this.#instances.get(id);
  }

  /** The states of calls, given by their reply subjects. Kept answers are sent again. */
  inquire(calls: readonly string[]): CallState[] {
    return calls.map((reply) => this.#calls.inquire(reply));
  }

  /** Called when a run of another node has ended: the answers to its calls can no longer be received. */
  callerEnded(node: string, run: string): void {
    this.#calls.runEnded(node, run);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.close()));
    this.#calls.close();
  }

  /** Skipped while NATS is disconnected: nothing can be sent then. */
  async #flush(): Promise<void> {
    if (!this.#network.isConnected) return;
    const flushed = this.#network.flush().catch(() => undefined);
    await within(this.#clock, FLUSH_MS, flushed);
  }
}
