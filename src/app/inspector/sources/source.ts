// A source of the Inspector: a flow of events, and optionally a host to act on.

import type { Redact } from '../../../base/secrets/redact.ts';
import { type HostAccess, OwnHost } from '../../../host/control/host-access.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { Host } from '../../../host/host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import type { Overview, Reach } from '../api.ts';
import type { Questions } from '../calls/questions.ts';

export interface InspectorSource {
  readonly kind: Overview['source']['kind'];
  readonly title: string;
  readonly startedAt: Date;
  readonly live: boolean;
  readonly flow: FlowStore;
  /** True if the traffic runs in this process: events are not read while no page is open. */
  readonly isOurs?: boolean;
  /** The host of the source; absent if the source can only be watched. */
  readonly host?: SourceHost | undefined;
  /** Whether a host of the source runs the server. */
  isHosted?(server: string): boolean;
  /** Replaces the secrets that the owner of the source knows. Text that looks like a secret is found without it. */
  readonly redact?: Redact | undefined;
  /** How the command line reaches a server, if it can. */
  reach?(server: string): Reach | undefined;
  readonly questions?: Questions | undefined;
  /** Status of the fleet that the host has joined. Resolves to undefined without a fleet. */
  fleet?(): Promise<FleetStatus | undefined>;
  /** Number of events that were lost before they arrived here. */
  readonly lost?: number;
  /** Fills the flow; resolves when earlier events are in it. Rejects if there is nothing to show. */
  open?(): Promise<void>;
  close(): Promise<void>;
}

/** The host or hosts that the Inspector acts on. Servers have the names that the flow gives them. */
export interface SourceHost {
  status(): ServerStatus[] | Promise<ServerStatus[]>;
  /** The host that runs a server. Throws if there is none. */
  find(server: string): FoundServer;
  /** Tells the running servers that the roots of the page have changed. Absent if they do not get their roots from it. */
  rootsChanged?(): Promise<void>;
}

export interface FoundServer {
  host: HostAccess;
  name: string;
  /** Whether arguments may be `RawJson`: false if another process or protocol parses them first. */
  sendsRawJson: boolean;
}

export interface HostSourceOptions {
  title?: string;
  /** The result of `inspectorInputs()`, if the host got its handlers. */
  questions?: Questions;
  /** Hides the secrets of the host's servers, which are known from their config. */
  redact?: Redact;
  reach?: (server: string) => Reach;
  fleet?: () => Promise<FleetStatus | undefined>;
}

/** A host in this process. Closing the Inspector does not stop it. */
export function hostSource(host: Host, options: HostSourceOptions = {}): InspectorSource {
  const { title, questions, redact, reach, fleet } = options;
  const access = new OwnHost(host);
  const speaksMcp = (server: string) =>
    host.status().some(({ name, protocol }) => name === server && protocol === 'mcp');
  const acting: SourceHost = {
    status: () => host.status(),
    find: (name) => ({ host: access, name, sendsRawJson: speaksMcp(name) }),
    async rootsChanged() {
      const ready = host.status().filter(({ name, state }) => state === 'ready' && speaksMcp(name));
      // A server that has exited meanwhile asks for the roots when it runs again.
      await Promise.allSettled(ready.map(({ name }) => host.use(name, (client) => client.notifyRootsChanged())));
    },
  };
  return {
    kind: 'host',
    title: title ?? (host.names.join(', ') || 'no servers'),
    startedAt: host.flow.startedAt,
    live: true,
    flow: host.flow,
    isOurs: true,
    isHosted: () => true,
    host: acting,
    questions,
    redact,
    reach,
    ...(fleet && { fleet }),
    close: async () => undefined,
  };
}
