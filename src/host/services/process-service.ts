// The processes of an instance as a service. Requests wait until a process is ready, and are sent again only if that is safe. Subscriptions
// are renewed on each new process.

import { PeerError, type RpcError } from '../../base/errors.ts';
import { metaOf } from '../../base/json-object.ts';
import { firstOf, MOST_SUGGESTED } from '../../config/nearest.ts';
import { isOfFleet } from '../../config/server-config.ts';
import { type ListEntries, mayHave } from '../../mcp/catalogue.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import type { ServiceLayer } from '../../mcp/layers/layer.ts';
import { RAN } from '../../mcp/meta.ts';
import { type ListKind, type ListName, mayAsk, methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type {
  Caller,
  ClientFacts,
  Params,
  Result,
  Service,
  ServiceFacts,
  Watcher,
  WatchFilter,
} from '../../mcp/service.ts';
import type { ElicitResult, Tool } from '../../mcp/types.ts';
import { listKinds, needsServer } from '../../mcp/watchers.ts';
import type { Instance } from '../pool/instance.ts';
import type { Link } from '../supervision/link.ts';
import { isLost, type RepeatPermission } from '../supervision/server-calls.ts';
import { FairTurns } from './fair-turns.ts';
import { NotificationTurns } from './notification-turns.ts';
import { withRunIds } from './run-ids.ts';
import { refusedUnknown } from './unknown-name.ts';
import { keepWatch, notifyOfAll } from './watches.ts';

/** A question of a server that the host declined on behalf of the caller. */
export interface Unanswered {
  server: string;
  message: string;
  action: ElicitResult['action'];
}

export interface HostCaller extends Caller {
  unanswered?(question: Unanswered): void;
  /** Whether the caller may see the hint and evidence of errors, such as a server's stderr. */
  readonly isOwner?: boolean;
}

export class ProcessService implements Service {
  readonly #instance: Instance;
  readonly #watches = new Set<ProcessWatch>();
  readonly #callers = new Set<HostCaller>();

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  /** Uses the facts of the last process, even if it has exited, because the next one runs the same entry. */
  describe(): ServiceFacts | Promise<ServiceFacts> {
    return this.#instance.client?.server ?? this.#read(async ({ server }) => server);
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    if (params.requestState !== undefined && !isOfFleet(this.#instance.config)) return Promise.reject(unknownState());
    if (method === 'tools/call') return this.#callTool(params, caller);
    const facts = methodsOfMcp.get(method);
    if (facts?.list) return this.#list(method, facts.list.kind, params, caller);
    const repeatable = caller.options?.repeatable ?? facts?.repeat === 'always';
    const { signal, options: { timeoutMs: waitMs } = {} } = caller;
    const options = { repeatable, counts: method !== 'completion/complete', signal, waitMs };
    const run = (client: Client, link: Link<Client>) => {
      this.#instance.hasRun ||= mayAsk(method);
      return sent(client, link, method, params, caller);
    };
    return this.#during(caller, this.#instance.supervised.use(run, options));
  }

  /** A notification does not start a process: it is dropped unless one is ready. */
  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void> {
    const { supervised, client: connected } = this.#instance;
    if (supervised.state !== 'ready' || !connected) return undefined;
    const { principal, isPaced } = client.identity;
    const send = () => connected.service.notify(method, params, client);
    if (isPaced) return send();
    const bytes = params ? JSON.stringify(params).length : 0;
    return runOf(connected).notifications.send(principal, bytes, send);
  }

  /** Subscriptions to resources and of extensions start the server. Subscriptions to lists begin when it is ready. */
  async watch(watcher: Watcher): Promise<() => void> {
    const watch = new ProcessWatch(watcher, (client) => this.#ended(watch, client));
    return keepWatch(this.#watches, watch, async () => {
      const { supervised, client } = this.#instance;
      if (needsServer(watcher.filter)) await this.#read((ready) => watch.follow(ready));
      else if (supervised.state === 'ready') await watch.follow(client!).catch(unlessLost);
      watch.began = true;
    });
  }

  /** Must be called for each process as soon as it is connected. `run` names the process run in ids that the process assigns. */
  follow(client: Client, run: string | undefined): void {
    newRun(client, run === undefined ? client.service : withRunIds(client.service, run));
    for (const watch of this.#watches) {
      watch.follow(client).then(
        () => watch.notifyAll(),
        (error) => {
          if (!isLost(error) && this.#watches.delete(watch)) watch.end(); // after a loss, the watch follows the next process
        },
      );
    }
  }

  /** Another lock is in force: clients read the lists again. */
  definitionsChanged(): void {
    for (const watch of this.#watches) watch.notifyAll();
  }

  /** Must be called when the server has been removed from the host. */
  end(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  /** Wraps the host's handlers: a question that they do not accept is reported to the callers with a running request. */
  inputsOf(handlers: InputHandlers): InputHandlers {
    const { elicit } = handlers;
    if (!elicit) return handlers;
    return {
      ...handlers,
      elicit: async (params, context) => {
        const result = await elicit(params, context);
        const question = { server: this.#instance.config.name, message: params.message, action: result.action };
        if (result.action !== 'accept') for (const caller of this.#callers) caller.unanswered?.(question);
        return result;
      },
    };
  }

  /** Called when a subscription has ended at its process. If the process is lost, the next one is followed. */
  #ended(watch: ProcessWatch, client: Client): void {
    const { supervised, client: current } = this.#instance;
    if (current !== client || supervised.state !== 'ready') return;
    this.#watches.delete(watch);
    watch.end();
  }

  list<N extends ListName>(name: N): Promise<readonly ListEntries[N][]> {
    return this.#read(async ({ catalogue }) => catalogue.read(name));
  }

  tool(name: string): Tool | undefined | Promise<Tool | undefined> {
    const known = this.#instance.catalogue?.current('tools');
    if (known) return known.get(name);
    return this.#read(async ({ catalogue }) => catalogue.find('tools', name)).catch(() => undefined);
  }

  /** Asks a server only for lists that it declares. A missing list is not an error of the server. */
  async #list(method: string, kind: ListKind, params: Params, caller: Caller): Promise<Result> {
    const run = async (client: Client, link: Link<Client>) =>
      mayHave(client.server, kind) ? sent(client, link, method, params, caller, client.catalogue.layer) : undefined;
    const { signal, options: { repeatable = true, timeoutMs: waitMs } = {} } = caller;
    const options = { repeatable, counts: false, signal, waitMs };
    const page = await this.#instance.supervised.use(run, options);
    if (!page) throw methodNotFound(method, `this server has no ${kind}`);
    return page;
  }

  #callTool(params: Params, caller: Caller): Promise<Result> {
    const { mayUse, supervised } = this.#instance;
    const tool = params.name as string;
    const call = (client: Client, link: Link<Client>) => {
      this.#instance.hasRun = true;
      client.catalogue.refresh('tools');
      return sent(client, link, 'tools/call', params, caller);
    };
    const repeatable = caller.options?.repeatable ?? new ToolPermission(tool);
    const result = this.#during(
      caller,
      supervised.use(call, { repeatable, signal: caller.signal, waitMs: caller.options?.timeoutMs }),
    );
    if (this.#instance.catalogue?.last('tools').has(tool)) return result;
    return result.catch((error) => {
      const tools = this.#instance.catalogue?.last('tools');
      if (!tools || tools.size === 0 || tools.has(tool)) throw error;
      throw refusedUnknown(error, tool, firstOf(tools.keys(), MOST_SUGGESTED).filter(mayUse));
    });
  }

  #during(caller: HostCaller, result: Promise<Result>): Promise<Result> {
    if (!caller.unanswered) return result;
    this.#callers.add(caller);
    return result.finally(() => this.#callers.delete(caller));
  }

  #read<T>(run: (client: Client) => Promise<T>): Promise<T> {
    return this.#instance.supervised.use(run, { repeatable: true, counts: false });
  }
}

/**
 * Permits a repetition if the lost process had declared the tool read-only or idempotent and had not announced a change since, and if the
 * process that would repeat the call declares the same. Created for every call, so it has only one field.
 */
class ToolPermission implements RepeatPermission<Client> {
  readonly #tool: string;

  constructor(tool: string) {
    this.#tool = tool;
  }

  given({ catalogue }: Client): boolean {
    const { readOnlyHint, idempotentHint } = catalogue.current('tools')?.get(this.#tool)?.annotations ?? {};
    return readOnlyHint === true || idempotentHint === true;
  }

  async confirmed(next: Client): Promise<boolean> {
    await next.catalogue.read('tools');
    return this.given(next);
  }
}

/** Client adapters keep suspended calls themselves, so only the `requestState` of a server on another node is valid here. */
function unknownState(): RpcError {
  return invalidParams('Unknown requestState: it was altered. Send the request again without it.', {
    requestState: 'unknown',
  });
}

/** One process run: its service, and one queue of turns. */
interface ProcessRun {
  service: Pick<Service, 'request' | 'watch'>;
  requests: FairTurns;
  notifications: NotificationTurns;
}

const runs = new WeakMap<Client, ProcessRun>();

function newRun(client: Client, service: ProcessRun['service'] = client.service): ProcessRun {
  const requests = new FairTurns((...request) => service.request(...request));
  const run = { service, requests, notifications: new NotificationTurns() };
  runs.set(client, run);
  return run;
}

function runOf(client: Client): ProcessRun {
  return runs.get(client) ?? newRun(client);
}

function sent(
  client: Client,
  { server }: Link<Client>,
  method: string,
  params: Params,
  caller: Caller,
  layer?: ServiceLayer,
): Promise<Result> {
  const { requests } = runOf(client);
  const request = layer?.((...given) => requests.request(...given));
  const result = Promise.resolve(request ? request(method, params, caller) : requests.request(method, params, caller));
  if (metaOf(params)?.[RAN] !== true) return result;
  return result.then((given) => {
    const meta = metaOf(given);
    // The node of a fleet that ran the request names the process itself.
    const ran = (server.namesProcess ? meta?.[RAN] : undefined) ?? server.process;
    return { ...given, _meta: { ...meta, [RAN]: ran } };
  });
}

/** Ignores a lost connection, after which the next process is followed. */
function unlessLost(error: unknown): void {
  if (!isLost(error)) throw error;
}

/** A subscription of one watcher, renewed on each new process. */
class ProcessWatch {
  /** True after the watcher was informed that notifications will be delivered. */
  began = false;
  readonly #watcher: Watcher;
  readonly #ended: (client: Client) => void;
  #client: Client | undefined;
  #following: Promise<void> = Promise.resolve();
  #stop: (() => unknown) | undefined;
  #stopped = false;

  constructor(watcher: Watcher, ended: (client: Client) => void) {
    this.#watcher = watcher;
    this.#ended = ended;
  }

  follow(client: Client): Promise<void> {
    if (this.#client === client) return this.#following;
    this.#client = client;
    this.#following = this.#watch(client);
    return this.#following;
  }

  notifyAll(): void {
    if (!this.#stopped && this.began) notifyOfAll(this.#watcher);
  }

  stop(): void {
    this.#stopped = true;
    this.#stop?.();
  }

  end(): void {
    if (this.#stopped) return;
    this.stop();
    this.#watcher.ended?.();
  }

  async #watch(client: Client): Promise<void> {
    let isOver = false;
    const facts = this.#watcher.client;
    const turn = <T>(send: () => Promise<T>) => (facts ? runOf(client).requests.turn(facts, send) : send());
    const watch = () =>
      runOf(client).service.watch({
        filter: offered(this.#watcher.filter, client.server),
        client: facts,
        accepted: (further) => this.#watcher.accepted?.(further),
        notified: (method, params) => this.#watcher.notified(method, params),
        ended: () => {
          isOver = true;
          queueMicrotask(() => this.#ended(client)); // the end is deferred until a lost process is known to be lost
        },
        turn,
      });
    // A watch is one request at a modern server. At a legacy server it is one for each resource, and none for lists.
    this.#stop = await (client.server.era === 'modern' ? turn(watch) : watch());
    if (isOver) throw new PeerError('OUTCOME_UNKNOWN', 'The server ended the subscription while it began');
    if (this.#stopped) this.#stop();
  }
}

/** A subscription at a modern server includes only the notifications that the server declares. */
function offered(filter: WatchFilter, { era, capabilities }: Client['server']): WatchFilter {
  if (era === 'legacy') return filter;
  const lists = listKinds.map((kind) => {
    const key = `${kind}ListChanged` as const;
    return [key, filter[key] && capabilities[kind]?.listChanged === true];
  });
  return { ...filter, ...Object.fromEntries(lists) };
}
