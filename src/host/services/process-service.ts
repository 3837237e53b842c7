// A hosted server as a service. Requests run on the process that is ready, wait through restarts, and are sent again only if that is
// safe. Subscriptions are renewed on each new process; their watchers then get one notification of each kind they subscribed to,
// because changes made meanwhile are unknown.

import type { RpcError } from '../../base/errors.ts';
import { isOfFleet } from '../../config/server-config.ts';
import { type ListEntries, mayHave } from '../../mcp/catalogue.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import type { ServiceLayer } from '../../mcp/layers/layer.ts';
import { RAN } from '../../mcp/meta.ts';
import { type ListKind, type ListName, mayAsk, methodsOfMcp } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { ElicitResult, Meta, Tool } from '../../mcp/types.ts';
import { needsServer } from '../../mcp/watchers.ts';
import type { Instance } from '../pool/instance.ts';
import type { Link } from '../supervision/link.ts';
import { isLost, type RepeatPermission } from '../supervision/server-calls.ts';
import { FairTurns } from './fair-turns.ts';
import { ProcessWatch } from './process-watch.ts';
import { refusedUnknown } from './unknown-name.ts';
import { keepWatch } from './watches.ts';

/** A question of a server that was answered on behalf of the caller and not accepted. */
export interface Unanswered {
  server: string;
  message: string;
  action: ElicitResult['action'];
}

/** A caller that is notified of questions answered on its behalf during its request. */
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

  /** Dropped unless the process is ready: a notification does not start a process. */
  notify(method: string, params: Params | undefined, client: ClientFacts): void {
    const { supervised, client: connected } = this.#instance;
    if (supervised.state === 'ready') connected?.service.notify(method, params, client);
  }

  /** A server that is not running is started only for resource subscriptions and those of extensions. List watchers are notified when it is ready. */
  async watch(watcher: Watcher): Promise<() => void> {
    const watch = new ProcessWatch(watcher, (client) => this.#ended(watch, client));
    return keepWatch(this.#watches, watch, async () => {
      const { supervised, client } = this.#instance;
      if (needsServer(watcher.filter)) await this.#read((ready) => watch.follow(ready));
      else if (supervised.state === 'ready') await watch.follow(client!).catch(unlessLost);
      watch.began = true;
    });
  }

  /** Must be called once for each process, as soon as it is connected. */
  follow(client: Client): void {
    for (const watch of this.#watches) {
      watch.follow(client).then(
        () => watch.notifyAll(),
        (error) => {
          if (!isLost(error) && this.#watches.delete(watch)) watch.end(); // otherwise the next process is followed
        },
      );
    }
  }

  /** Called when the server has been removed from the host. */
  end(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  /**
   * The host's handlers answer questions that no caller can answer. A question they do not accept is reported to the callers with a
   * running request.
   */
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

  /** The server has ended the subscription. If its process is lost, the next one is followed. */
  #ended(watch: ProcessWatch, client: Client): void {
    const { supervised, client: current } = this.#instance;
    if (current !== client || supervised.state !== 'ready') return;
    this.#watches.delete(watch);
    watch.end();
  }

  /** Reads a whole list on behalf of the host. */
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
      const names = [...(this.#instance.catalogue?.last('tools').keys() ?? [])];
      throw names.length === 0 || names.includes(tool) ? error : refusedUnknown(error, tool, names.filter(mayUse));
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
 * A lost call may be repeated only if the lost process had declared the tool read-only or idempotent and had not announced a change since,
 * and the process that would repeat the call declares the same. Created for every call, so it holds only one field.
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

/** The client adapter keeps suspended calls itself, so a `requestState` is valid here only for a server on another node. */
function unknownState(): RpcError {
  return invalidParams('Unknown requestState: it was altered. Send the request again without it.', {
    requestState: 'unknown',
  });
}

/** One queue of turns per process. */
const turnsOf = new WeakMap<Client, FairTurns>();

function sent(
  client: Client,
  { server }: Link<Client>,
  method: string,
  params: Params,
  caller: Caller,
  layer?: ServiceLayer,
): Promise<Result> {
  let turns = turnsOf.get(client);
  if (!turns) {
    turns = new FairTurns((...request) => client.service.request(...request));
    turnsOf.set(client, turns);
  }
  const request = layer?.((...given) => turns.request(...given));
  const result = Promise.resolve(request ? request(method, params, caller) : turns.request(method, params, caller));
  if ((params._meta as Meta | undefined)?.[RAN] !== true) return result;
  return result.then((given) => {
    const meta = given._meta as Meta | undefined;
    // The node of a fleet that ran the request names the process itself.
    const ran = (server.namesProcess ? meta?.[RAN] : undefined) ?? server.process;
    return { ...given, _meta: { ...meta, [RAN]: ran } };
  });
}

/** Ignores a lost connection: the next process is followed. */
function unlessLost(error: unknown): void {
  if (!isLost(error)) throw error;
}
