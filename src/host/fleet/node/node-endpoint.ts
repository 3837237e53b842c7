// The gateway by which the nodes of a fleet reach the servers of this node. Each instance has its own subject. Callers on this node
// use the instance itself.

import { type Clock, systemClock } from '../../../base/clock.ts';
import { within } from '../../../base/wait.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { CallState } from '../call-protocol.ts';
import type { ClusterNetwork, Subscription } from '../cluster-network.ts';
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
  readonly #instances = new Map<string, { instance: EndpointInstance; open: OpenInstance }>();

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
    const instance = new EndpointInstance(this.#node, served, this.#calls, this.#clock);
    const own = this.#network.subscribe(this.#subjects.call(this.#node, id), instance.receive);
    const open: OpenInstance = {
      get inFlight() {
        return instance.inFlight;
      },
      drain: async (ms) => {
        await instance.drain(ms);
        await this.#flush();
      },
      close: async () => {
        this.#instances.delete(id);
        void ended(own);
        await instance.close();
        await this.#flush();
      },
    };
    this.#instances.set(id, { instance, open });
    return open;
  }

  /** The client may have used any instance. */
  clientEnded(client: ClientIdentity): void {
    for (const { instance } of this.#instances.values()) instance.clientEnded(client);
  }

  /** Access to an instance for callers on this node. */
  local(id: string): LocalInstance | undefined {
    return this.#instances.get(id)?.instance;
  }

  /** The states of calls, given by their reply subjects. Kept answers are sent again. */
  inquire(calls: readonly string[]): CallState[] {
    return calls.map((reply) => this.#calls.inquire(reply));
  }

  /** A run of another node has ended: nobody receives the answers of its calls. */
  callerEnded(node: string, run: string): void {
    this.#calls.runEnded(node, run);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#instances.values()].map(({ open }) => open.close()));
    this.#calls.close();
  }

  /** Skipped while NATS is disconnected: nothing can be sent then. */
  async #flush(): Promise<void> {
    if (this.#network.isConnected)
      await within(
        this.#clock,
        FLUSH_MS,
        this.#network.flush().catch(() => undefined),
      );
  }
}

function ended(subscription: Subscription): Promise<void> {
  return subscription.end().catch(() => undefined); // the connection is closed, and with it the subscription
}
