// The processes of a server for those who share one, one process after another: their supervision, the service that answers
// by them, what is known of their tools, and their part of the flow.

import { unlessAborted } from '../../base/wait.ts';
import { shownUrl } from '../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { AskingTools } from '../../mcp/client/session/asking-tools.ts';
import type { ClientKey } from '../../mcp/client/session/gated-request.ts';
import { Session } from '../../mcp/client/session/session.ts';
import type { MemberContext } from '../member.ts';
import { ProcessService } from '../services/process-service.ts';
import { ToolMemory } from '../services/tool-memory.ts';
import { openServer } from '../supervision/open-server.ts';
import type { ProcessStatus } from '../supervision/server-state.ts';
import { SupervisedServer } from '../supervision/supervised-server.ts';
import { WatchedServer } from '../supervision/watched-server.ts';
import { type Askable, askableByHandlers, usableHandlers } from './askable.ts';

/** The server that it belongs to, with its current entry. */
export interface InstanceOwner {
  readonly config: ServerConfig;
  readonly mayUse: (tool: string) => boolean;
  /** What is known of its questions. */
  readonly asking: AskingTools;
  /** Of a server that other nodes run: why it cannot be reached at the moment. */
  readonly whyAway: string | undefined;
  /** Processes that have to be gone before the next one starts. */
  readonly leaving: Promise<unknown> | undefined;
  /** What can be asked of the clients of a process that is started now. */
  askable(instance: Instance): Iterable<Askable>;
  /** A process is connected. Called before any call. */
  connected(instance: Instance): void;
}

export class Instance {
  readonly supervised: SupervisedServer<Client>;
  readonly memory = new ToolMemory();
  readonly service = new ProcessService(this);
  /** Of the last process of the current entry that was connected. */
  client: Client | undefined;
  /** What that one was announced, if it is of the legacy era. */
  announced: ReadonlySet<Askable> = new Set();
  /** Its clients are known when it starts: it is announced what they have, and not what the host answers. */
  readonly isExact: boolean;
  /** The process has got a request during which it could have asked. */
  hasRun = false;
  /** Who uses it, in words. Undefined: the host itself, and those who share its process. */
  readonly owner: string | undefined;
  readonly #server: InstanceOwner;
  readonly #watched: WatchedServer;

  constructor(server: InstanceOwner, context: MemberContext, owner?: string, isExact = false) {
    const { name } = server.config;
    const { flow, clock, eraMemory, inputs, onNoise, onStateChange, channelTo, random } = context;
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
          channelTo,
          observer: watched.source,
          asking: server.asking,
          inputs: this.service.inputsOf(handlers),
          askable,
          onNoise: (text, count) => onNoise?.({ server: name, text, count }),
        });
        link.client.service.wire = watched.source;
        this.client = link.client;
        server.connected(this);
        this.memory.follow(link.client);
        this.service.follow(link.client);
        return { ...link, process: { server: name, pid: watched.pid, generation: watched.life } };
      },
      onStateChange: (change) => {
        watched.changed(change);
        onStateChange?.(owner === undefined ? change : { ...change, owner });
      },
    });
  }

  /** Whether a question during a request of this client could belong to no other client. */
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
