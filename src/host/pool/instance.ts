// The successive processes of a server that one group of clients shares: their supervision, the service that answers through them,
// their tools, and their source in the flow.

import { unfinishedValue } from '../../base/secrets/unfinished-value.ts';
import { unlessAborted } from '../../base/wait.ts';
import { secretsOf, shownUrl } from '../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Catalogue } from '../../mcp/catalogue.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { AskingTools } from '../../mcp/client/session/asking-tools.ts';
import type { ClientKey } from '../../mcp/client/session/gated-request.ts';
import { Session } from '../../mcp/client/session/session.ts';
import type { Service } from '../../mcp/service.ts';
import type { FlowSource } from '../../observe/flow/source.ts';
import type { FlowStore } from '../../observe/flow/store.ts';
import type { HostContext } from '../hosted-server.ts';
import { ProcessService } from '../services/process-service.ts';
import type { ServerLink } from '../supervision/link.ts';
import { openServer } from '../supervision/open-server.ts';
import type { ProcessStatus, StateChange } from '../supervision/server-state.ts';
import { SupervisedServer } from '../supervision/supervised-server.ts';
import { type Askable, askableByHandlers, usableHandlers } from './askable.ts';

export interface InstanceOwner {
  readonly config: ServerConfig;
  readonly mayUse: (tool: string) => boolean;
  readonly asking: AskingTools;
  readonly whyAway: string | undefined;
  /** Settles when the processes of an earlier `share` have exited. Another process does not start before that. */
  readonly leaving: Promise<unknown> | undefined;
  /** The client capabilities that are declared to a process that starts now. */
  askable(instance: Instance): Iterable<Askable>;
  /** Called when a process is connected, before any call. */
  connected(instance: Instance): void;
  /** The client of a process, limited to the definitions that the lock of the server approves. */
  locked(client: Client): Client | Promise<Client>;
}

export class Instance {
  readonly supervised: SupervisedServer<Client>;
  readonly service = new ProcessService(this);
  /** Client of the last connected process of the current entry. */
  client: Client | undefined;
  /** Lists of the last connected process, even if that ran an earlier entry. */
  catalogue: Catalogue | undefined;
  /** The capabilities that were declared to the last process, if it is of the legacy era. */
  announced: ReadonlySet<Askable> = new Set();
  /** True if the client is known when the process starts. Its capabilities are then declared instead of the capabilities of the host's handlers. */
  readonly isExact: boolean;
  /** True after a request during which the process could ask a question. */
  hasRun = false;
  /** The user of the process, as text. Undefined for the host's own process. */
  readonly owner: string | undefined;
  readonly #server: InstanceOwner;
  readonly #watched: WatchedServer;
  /** The service of the last connected process, without layers. */
  #session: Service | undefined;

  constructor(server: InstanceOwner, context: HostContext, owner?: string, isExact = false) {
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
        const opened = await openServer(server.config, {
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
        opened.client.service.wire = watched.source;
        this.#session = opened.client.service;
        const link = { ...opened, client: await this.#lockedOf(opened, signal) };
        this.client = link.client;
        server.connected(this);
        link.client.catalogue.keep(this.catalogue);
        this.catalogue = link.client.catalogue;
        this.service.follow(link.client, link.run);
        return { ...link, process: { server: name, pid: watched.pid, generation: watched.life } };
      },
      onStateChange: (change) => {
        watched.changed(change);
        onStateChange?.(owner === undefined ? change : { ...change, owner });
      },
    });
  }

  /** Definitions that were not approved before may be now, and the reverse. */
  lockChanged(): void {
    this.catalogue?.expire();
    this.service.definitionsChanged();
  }

  /** If the definitions are refused, the process is ended. */
  async #lockedOf({ client, close }: ServerLink<Client>, signal: AbortSignal): Promise<Client> {
    try {
      const locked = await this.#server.locked(client);
      signal.throwIfAborted();
      return locked;
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Whether a question during a request of this client is certainly for this client. */
  isFreeFor(client: ClientKey): boolean {
    return !(this.#session instanceof Session) || this.#session.isFreeFor(client);
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

/** Records the traffic of each process run, and the state changes, in the flow. */
class WatchedServer {
  readonly #flow: FlowStore;
  readonly #config: () => ServerConfig;
  readonly #owner: string | undefined;
  #source: FlowSource | undefined;

  /** `config` is read at each start, because it can change. */
  constructor(flow: FlowStore, config: () => ServerConfig, owner: string | undefined) {
    this.#flow = flow;
    this.#config = config;
    this.#owner = owner;
  }

  get pid(): number | null {
    return this.#source?.pid ?? null;
  }

  /** Number of the last process run; 0 before the first. */
  get life(): number {
    return this.#source?.life ?? 0;
  }

  get source(): FlowSource {
    return this.#source ?? this.#begin();
  }

  changed({ from, to, reason }: StateChange): void {
    // A start begins a new process run and is its first event.
    if (to === 'starting') this.#begin();
    this.#source?.add({ kind: 'state', from, to, reason });
  }

  #begin(): FlowSource {
    const config = this.#config();
    const { env, secrets } = secretsOf(config);
    this.#source = this.#flow.begin(config.name);
    this.#source.unfinishedSecret = unfinishedValue(env, secrets);
    if (this.#owner !== undefined) this.#source.add({ kind: 'note', text: `This process is used by ${this.#owner}` });
    return this.#source;
  }
}
