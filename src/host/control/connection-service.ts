// The service of one connection to a host's socket: the server that its first request chose, or all servers merged, plus the
// `standpipe/…` methods. The choice is final, so that a request cannot reach another server than its client intended.

import { UsageError } from '../../base/errors.ts';
import { SERVER_INFO } from '../../mcp/meta.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type {
  Caller,
  ClientFacts,
  ClientIdentity,
  Params,
  Result,
  Service,
  ServiceFacts,
  Watcher,
} from '../../mcp/service.ts';
import type { Host } from '../host.ts';
import { PassedCaller } from '../services/passed-caller.ts';
import type { HostCaller, Unanswered } from '../services/process-service.ts';
import { onNodes } from '../services/unknown-name.ts';
import { isAway } from '../supervision/server-state.ts';
import { CONTROL_VERSION } from './connect-host.ts';
import { answerControl, type ControlHooks, type ControlMethod, isControlMethod } from './control-methods.ts';
import type { ServerShare } from './shared-servers.ts';

const fromHost: Result = { _meta: { [SERVER_INFO]: ownInfo } };

export class ConnectionService implements Service {
  notifyClient: ((method: string, params: Params) => void) | undefined;
  readonly #host: Host;
  readonly #hooks: ControlHooks;
  #server: string | undefined;
  /** All servers merged, with tools that search those of the servers. */
  #searches = false;
  #share: ServerShare | undefined;
  /** True after the first MCP request: the choice of the server is final. */
  #isUsed = false;

  constructor(host: Host, hooks: ControlHooks) {
    this.#host = host;
    this.#hooks = hooks;
  }

  /** Handles `standpipe/use`. After an unknown name, later requests are refused too, because they may already be in transit. */
  use({ server, brought, retry, tools }: Params): Result {
    if (this.#isUsed) {
      throw new UsageError('INVALID_OPTION', 'standpipe/use must be the first request of a connection', {
        hint: 'Open another connection for another server.',
      });
    }
    this.#isUsed = true;
    if (brought !== undefined) this.#server = this.#take(brought);
    else if (server !== undefined) this.#server = String(server);
    if (this.#server !== undefined) this.#server = this.#known(this.#server);
    else this.#searches = tools === 'search';
    if (retry === true) this.#retryFailed();
    return { ...fromHost, controlVersion: CONTROL_VERSION, version: ownInfo.version };
  }

  close(): void {
    this.#share?.release();
  }

  describe(client?: ClientFacts): ServiceFacts | Promise<ServiceFacts> {
    return this.#chosen.describe(client);
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    if (isControlMethod(method)) return this.#control(method, params);
    return this.#chosen.request(method, params, new ConnectionCaller(caller, this.#unanswered));
  }

  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void> {
    return this.#chosen.notify(method, params, client);
  }

  watch(watcher: Watcher): Promise<() => void> {
    return this.#chosen.watch(watcher);
  }

  gone(client: ClientIdentity): void {
    try {
      this.#host.service(this.#server).gone?.(client);
    } catch (error) {
      // The server was removed, and with it everything that it kept for the client.
      if (!(error instanceof UsageError) || error.code !== 'NAME_UNKNOWN') throw error;
    }
  }

  /** `files` means `files@one` if only one node has a server of this name. */
  #known(name: string): string {
    try {
      this.#host.service(name);
      return name;
    } catch (error) {
      const names = this.#host.status().map((server) => server.name);
      const [only, ...others] = onNodes(name, names);
      const isUnknown = error instanceof UsageError && error.code === 'NAME_UNKNOWN';
      if (!isUnknown || only === undefined || others.length > 0) throw error;
      return only;
    }
  }

  #take(brought: unknown): string {
    if (!this.#hooks.shareServer) {
      throw new UsageError('NOT_SUPPORTED', 'This host accepts only the servers of its config');
    }
    this.#share = this.#hooks.shareServer(brought);
    return this.#share.name;
  }

  /** A new connection counts as another attempt, as it would if the client started its own process. */
  #retryFailed(): void {
    const failed = this.#host.status().find(({ name, state }) => name === this.#server && isAway(state));
    if (failed) this.#host.restartServer(failed.name).catch(() => undefined); // each request reports the failure
  }

  get #chosen(): Service {
    this.#isUsed = true;
    return this.#searches ? this.#host.toolSearch : this.#host.service(this.#server);
  }

  /** The answer names the host as its sender, because the chosen server is not involved. */
  async #control(method: ControlMethod, params: Params): Promise<Result> {
    return { ...(await answerControl(this.#host, method, params, this.#hooks)), ...fromHost };
  }

  readonly #unanswered = (question: Unanswered): void => {
    this.notifyClient?.('standpipe/unanswered', { ...question });
  };
}

class ConnectionCaller extends PassedCaller implements HostCaller {
  readonly isOwner = true; // only the owner's programs can open the socket
  readonly unanswered: (question: Unanswered) => void;

  constructor(caller: Caller, unanswered: (question: Unanswered) => void) {
    super(caller);
    this.unanswered = unanswered;
  }
}
