// What the Inspector shows: a flow of events, and perhaps a host to act on. One file per implementation.

import type { FleetStatus } from '../../fleet/fleet-status.ts';
import type { FlowStore } from '../../flow/store.ts';
import type { HostAccess } from '../../host/control/host-access.ts';
import type { ServerStatus } from '../../host/supervision/server-state.ts';
import type { Redact } from '../../secrets/redact.ts';
import type { Overview, Reach } from '../api.ts';
import type { Questions } from '../calls/questions.ts';

export interface InspectorSource {
  readonly kind: Overview['source']['kind'];
  /** For display. */
  readonly title: string;
  /** The date of `atMs` 0. */
  readonly startedAt: Date;
  /** Whether more can happen. */
  readonly live: boolean;
  readonly flow: FlowStore;
  /** The traffic runs in this process: events are not read while no page is open. */
  readonly isOurs?: boolean;
  /** Absent where the source can only be watched. */
  readonly host?: SourceHost | undefined;
  /** Replaces the secrets that its owner knows. Text that looks like a secret is found without it. */
  readonly redact?: Redact | undefined;
  /** How the command line reaches a server, where it can. */
  reach?(server: string): Reach | undefined;
  /** Questions of servers. */
  readonly questions?: Questions | undefined;
  /** The fleet that the host has joined. Resolves to undefined if it has joined none. */
  fleet?(): Promise<FleetStatus | undefined>;
  /** Events that were lost before they came here. */
  readonly lost?: number;
  /** Fills the flow; resolves when earlier events are in it. Rejects if there is nothing to show. */
  open?(): Promise<void>;
  close(): Promise<void>;
}

/** What the Inspector acts on: one host, or several. Servers have the names that the flow gives them. */
export interface SourceHost {
  status(): ServerStatus[] | Promise<ServerStatus[]>;
  /** The host that runs a server. Throws where none does. */
  find(server: string): FoundServer;
}

export interface FoundServer {
  host: HostAccess;
  /** The name that the server has there. */
  name: string;
  /** Whether arguments may be `RawJson`: not where another process or protocol reads them as values first. */
  sendsRawJson: boolean;
}
