// The gateway by which the nodes of a fleet reach the servers of this node. Each instance has its own subject. Callers on this node
// use the instance itself.

import { type Clock, systemClock } from '../../base/clock.ts';
import { within } from '../../base/wait.ts';
import type { ClientIdentity } from '../../mcp/service.ts';
import type { CallState } from '../call-protocol.ts';
import type { Fabric, Subscription } from '../fabric.ts';
import { type Subjects, subjectsOf } from '../subjects.ts';
import { DoorCalls, type DoorLimits } from './door-calls.ts';
import { DoorInstance, type LocalInstance, type OpenInstance, type ServedInstance } from './door-instance.ts';

export type { DoorLimits } from './door-calls.ts';
export type { LocalInstance, OpenInstance, ServedInstance } from './door-instance.ts';

export interface NodeDoorOptions {
  clock?: Clock;
  limits?: Partial<DoorLimits>;
}

/** Limit for the last answers to reach NATS. */
const FLUSH_MS = 2_000;

export class NodeDoor {
  readonly #fabric: Fabric;
  readonly #node: string;
  readonly #subjects: Subjects;
  readonly #clock: Clock;
  readonly #calls: DoorCalls;
  readonly #instances = new Map<string, { instance: DoorInstance; open: OpenInstance }>();

  constructor(fabric: Fabric, node: string, { clock = systemClock, limits }: NodeDoorOptions = {}) {
    this.#fabric = fabric;
    this.#node = node;
    this.#subjects = subjectsOf(fabric.fleet);
    this.#clock = clock;
    this.#calls = new DoorCalls(fabric, limits, clock);
    this.#calls.onClientEnded = (client) => this.clientEnded(client);
  }

  /** The id must not belong to an open instance. */
  open(served: ServedInstance): OpenInstance {
    const { id } = served;
    const instance = new DoorInstance(this.#node, served, this.#calls, this.#clock);
    const own = this.#fabric.subscribe(this.#subjects.call(this.#node, id), instance.receive);
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
    if (this.#fabric.isConnected)
      await within(
        this.#clock,
        FLUSH_MS,
        this.#fabric.flush().catch(() => undefined),
      );
  }
}

function ended(subscription: Subscription): Promise<void> {
  return subscription.end().catch(() => undefined); // the connection is closed, and with it the subscription
}
