// The clients of a host, as the events show them, with what passed between them and the host. Bounded: those that were
// silent for longest are forgotten.

import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import { keepNewest } from './keep-newest.ts';

export interface ClientSummary {
  /** The name of its events. */
  client: string;
  /** How it reaches the host. Absent where the event that says so is not stored any more. */
  door?: string | undefined;
  principal?: string | undefined;
  /** What it calls itself. */
  name?: string | undefined;
  version?: string | undefined;
  revision?: string | undefined;
  /** Each of its requests comes alone: it is never connected. */
  stateless: boolean;
  openedAtMs: number;
  /** When it went; absent while it is connected. */
  closedAtMs?: number | undefined;
  lastAtMs: number;
  requests: number;
  /** Requests that failed or were refused. */
  errors: number;
  bytesIn: number;
  bytesOut: number;
}

const MOST_CLIENTS = 1_000;

export class Clients {
  /** Those whose last event is newest come last. */
  readonly #byName = new Map<string, ClientSummary>();

  /** In the order in which they came. */
  list(): ClientSummary[] {
    return [...this.#byName.values()].sort((a, b) => a.openedAtMs - b.openedAtMs).map((client) => ({ ...client }));
  }

  /** An event of a client. `requests`: how many it has. */
  see(event: FlowEvent, requests: number): void {
    const client = this.#client(event);
    client.lastAtMs = event.atMs;
    client.requests += requests;
    if (event.kind === 'frame') countBytes(client, event);
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
    const known = this.#byName.get(server) ?? {
      client: server,
      stateless: false,
      openedAtMs: atMs,
      lastAtMs: atMs,
      requests: 0,
      errors: 0,
      bytesIn: 0,
      bytesOut: 0,
    };
    this.#byName.delete(server);
    this.#byName.set(server, known);
    keepNewest(this.#byName, MOST_CLIENTS);
    return known;
  }
}

function countBytes(client: ClientSummary, { direction, length }: FrameEvent): void {
  if (direction === 'fromClient') client.bytesIn += length;
  else client.bytesOut += length;
}
