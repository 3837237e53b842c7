// The servers of a node's own config, offered to other nodes by its endpoint. They belong to their node, so answering for them does
// not require a lease.

import type { Host } from '../../host.ts';
import { MOST_OFFERS } from '../place/fleet-state.ts';
import { isAddressable, ownInstanceOf } from '../subjects.ts';
import type { NodeEndpoint, OpenInstance } from './node-endpoint.ts';

const MOST_REPORTED = 100;

export class OwnServers {
  readonly #host: Host;
  readonly #endpoint: NodeEndpoint;
  readonly #drainMs: number;
  readonly #note: (text: string) => void;
  readonly #refused = new Set<string>();
  #isLimitReported = false;
  readonly #open = new Map<string, { id: string; open: OpenInstance }>();

  /** `drainMs`: maximum time for pending calls to end when a server is no longer offered. */
  constructor(
    host: Host,
    endpoint: NodeEndpoint,
    { drainMs, note }: { drainMs: number; note: (text: string) => void },
  ) {
    this.#host = host;
    this.#endpoint = endpoint;
    this.#drainMs = drainMs;
    this.#note = note;
  }

  /** Offers exactly these servers. Returns the offered names: those that fit into a subject, up to the limit. */
  offer(given: readonly string[], session: string): string[] {
    const addressable = given.filter((name) => isAddressable(name) || this.#refuse(name));
    const names = addressable.slice(0, MOST_OFFERS);
    if (addressable.length > MOST_OFFERS && !this.#isLimitReported) {
      this.#isLimitReported = true;
      this.#note(
        `This node offers the first ${MOST_OFFERS} of its ${addressable.length} servers to other nodes. Put the others on another node`,
      );
    }
    const wanted = new Map(names.map((name) => [name, ownInstanceOf(name, session)]));
    for (const [name, { id, open }] of this.#open) {
      if (wanted.get(name) === id) continue;
      this.#open.delete(name);
      void open.drain(this.#drainMs).then(() => open.close());
    }
    for (const [server, id] of wanted) {
      if (this.#open.has(server)) continue;
      const service = this.#host.service(server);
      const open = this.#endpoint.open({ id, server, service, generation: undefined, mayAct: () => true });
      this.#open.set(server, { id, open });
    }
    return names;
  }

  #refuse(name: string): false {
    if (this.#refused.size < MOST_REPORTED && !this.#refused.has(name)) {
      this.#refused.add(name);
      this.#note(
        `The server ${JSON.stringify(name.slice(0, 60))} of this node is not offered: its name is too long or not valid Unicode`,
      );
    }
    return false;
  }

  /** Takes no more calls. Resolves when none is in flight, or after `drainMs`. */
  async drain(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ open }) => open.drain(this.#drainMs)));
  }
}
