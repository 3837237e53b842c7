// The successive processes of a server that one group of clients shares: their supervision, the service that answers through them,
// their tools, and their source in the flow.

import { unlessAborted } from '../../base/wait.ts';
import { shownUrl } from '../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Catalogue } from '../../mcp/catalogue.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { AskingTools } from '../../mcp/client/session/asking-tools.ts';
import type { ClientKey } from '../../mcp/client/session/gated-request.ts';
import { Session } from '../../mcp/client/session/session.ts';
import type { MemberContext } from '../hosted-server.ts';
import { ProcessService } from '../services/process-service.ts';
import { openServer } from '../supervision/open-server.ts';
import type { ProcessStatus } from '../supervision/server-state.ts';
import { SupervisedServer } from '../supervision/supervised-server.ts';
import { WatchedServer } from '../supervision/watched-server.ts';
import { type Askable, askableByHandlers, usableHandlers } from './askable.ts';

/** The server that an instance belongs to, with its current entry. */
export interface InstanceOwner {
  readonly config: ServerConfig;
  readonly mayUse: (tool: string) => boolean;
  /** Tools of the server that are known to ask questions. */
  readonly asking: AskingTools;
  /** Why a server that other nodes run cannot be reached at the moment. */
  readonly whyAway: string | undefined;
  /** Settles when the processes have exited that must end before the next one starts. */
  readonly leaving: Promise<unknown> | undefined;
  /** The client capabilities that are declared to a process that starts now. */
  askable(instance: Instance): Iterable<Askable>;
  /** Called when a process is connected, before any call. */
  connected(instance: Instance): void;
}

export class Instance {
  readonly supervised: SupervisedServer<Client>;
  readonly service = new ProcessService(this);
  /** Client of the last connected process of the current entry. */
  client: Client | undefined;
  /** Lists of the last connected process, also of an earlier entry. */
  catalogue: Catalogue | undefined;
  /** The capabilities that were declared to that process, if it is of the legacy era. */
  announced: ReadonlySet<Askable> = new Set();
  /** True if the clients are known when the process starts. Their capabilities are then declared, not those of the host's handlers. */
  readonly isExact: boolean;
  /** True once the process has received a request during which it could ask a question. */
  hasRun = false;
  /** The user of the process, as text. Undefined for the host itself and the clients that share its process. */
  readonly owner: string | undefined;
  readonly #server: InstanceOwner;
  readonly #watched: WatchedServer;

  constructor(server: InstanceOwner, context: MemberContext, owner?: string, isExact = false) {
    const { name } = server.config;
    const { flow, clock, eraMemory, inputs, onNoise, onStateChange, serviceOf, random } = context;
    const watched = new WatchedServer(flow, () => server.config, owner);
    this.owner = owner;
    this.isExact = isExact;
    this.#server = server;
    this.#watched = watched;
    this.supervised = new SupervisedServer<Client>({
      name,
      entry: server.config,
      clock,
      random,
      pid: () => watched.pid,
      url: () => shownUrl(server.config),
      whyAway: () => server.whyAway,
      open: async (signal) => {
        const { leaving } = server;
        if (leaving) await unlessAborted(leaving, signal);
        const only = server.config.clientCapabilities;
        const handlers = usableHandlers(this.isExact ? {} : (inputs?.(name) ?? {}), only);
        const askable = new Set(server.askable(this));
        this.hasRun = false;
        this.announced = new Set([...askable, ...askableByHandlers(handlers, only)]);
        const link = await openServer(server.config, {
          signal,
          clock,
          eraMemory,
          serviceOf,
          observer: watched.source,
          asking: server.asking,
          inputs: this.service.inputsOf(handlers),
          askable,
          onNoise: (text, count) => onNoise?.({ server: name, text, count }),
        });
        link.client.service.wire = watched.source;
        this.client = link.client;
        server.connected(this);
        link.client.catalogue.keep(this.catalogue);
        this.catalogue = link.client.catalogue;
        this.service.follow(link.client);
        return { ...link, process: { server: name, pid: watched.pid, generation: watched.life } };
      },
      onStateChange: (change) => {
        watched.changed(change);
        onStateChange?.(owner === undefined ? change : { ...change, owner });
      },
    });
  }

  /** Whether a question during a request of this client could only be meant for this client. */
  isFreeFor(client: ClientKey): boolean {
    const { service } = this.client ?? {};
    return !(service instanceof Session) || service.isFreeFor(client);
  }

  status(owner: string): ProcessStatus {
    const { state, reason, pid, uptimeMs, restarts, calls, errors } = this.supervised.status;
    return { owner, generation: this.#watched.life, state, reason, pid, uptimeMs, restarts, calls, errors };
  }

  get config(): ServerConfig {
    return this.#server.config;
  }

  get mayUse(): (tool: string) => boolean {
    return this.#server.mayUse;
  }
}
