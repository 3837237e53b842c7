// The clients of a host and their traffic. Bounded: the clients whose last event is oldest are forgotten.

import type { FlowEvent } from '../flow/event.ts';
import { keepNewest } from './exchange.ts';

export interface ClientSummary {
  /** The source name in the events of this client. */
  client: string;
  /** The gateway that the client uses. Absent if the event that names it is no longer stored. */
  door?: string | undefined;
  principal?: string | undefined;
  name?: string | undefined;
  version?: string | undefined;
  revision?: string | undefined;
  /** The client sends independent requests and never has a connection. */
  stateless: boolean;
  openedAtMs: number;
  /** The end of the connection; absent while the client is connected. */
  closedAtMs?: number | undefined;
  lastAtMs: number;
  requests: number;
  /** How many of the requests control the host (`standpipe/…`): a program may have a connection for them alone. */
  controls: number;
  /** Requests that failed or were refused. */
  errors: number;
  bytesIn: number;
  bytesOut: number;
}

const MOST_CLIENTS = 1_000;

export class Clients {
  /** Clients by name, ordered by their last event, newest last. */
  readonly #byName = new Map<string, ClientSummary>();

  /** Returns the clients, ordered by `openedAtMs`. */
  list(): ClientSummary[] {
    return [...this.#byName.values()].sort((a, b) => a.openedAtMs - b.openedAtMs).map((client) => ({ ...client }));
  }

  /** `requests`: the number of requests in the event. `controls`: those of them that control the host. */
  see(event: FlowEvent, requests: number, controls = 0): void {
    const client = this.#client(event);
    client.lastAtMs = event.atMs;
    client.requests += requests;
    client.controls += controls;
    if (event.kind === 'frame') client[event.direction === 'fromClient' ? 'bytesIn' : 'bytesOut'] += event.length;
    if (event.kind !== 'client') return;
    const { door, principal, name, version, revision, stateless = false, state } = event;
    Object.assign(client, { door, principal, name, version, revision, stateless });
    if (state === 'closed' && !stateless) client.closedAtMs = event.atMs;
  }

  failed(client: string): void {
    const known = this.#byName.get(client);
    if (known) known.errors++;
  }

  #client({ server, atMs }: FlowEvent): ClientSummary {
    const counts = { requests: 0, controls: 0, errors: 0, bytesIn: 0, bytesOut: 0 };
    const fresh = { client: server, stateless: false, openedAtMs: atMs, lastAtMs: atMs, ...counts };
    const known = this.#byName.get(server) ?? fresh;
    this.#byName.delete(server);
    this.#byName.set(server, known);
    keepNewest(this.#byName, MOST_CLIENTS);
    return known;
  }
}
