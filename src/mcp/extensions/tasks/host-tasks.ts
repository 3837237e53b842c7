// Tasks of a host: a client gets tasks in the form of its revision, or plain results, whatever form its server has.
//
// - A client that declares the extension, and a server that has it: all messages pass.
// - Another client that has tasks: the host has a task of its own, and runs the call at the server in the form of the server.
//   If the entry of the server has `tasks`, this includes servers and tools without tasks.
// - A client without tasks: the host runs a call as a task if the server demands that, and answers when it ends. A client of
//   2026-07-28 gets the refusal of a server that has the extension.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { randomText } from '../../adapter/suspended-calls.ts';
import { changedFacts } from '../../layers/layer.ts';
import { isModernRevision } from '../../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../service.ts';
import type { Tool } from '../../types.ts';
import type { Extension, HostedServer } from '../extension.ts';
import { KeptTaskStore } from './kept-tasks.ts';
import { ttlFor } from './record.ts';
import { relayTasks } from './relay-tasks.ts';
import { SignedIds } from './signed-ids.ts';
import type { TaskLimits } from './store.ts';
import type { TaskService } from './task-service.ts';
import { taskMethods } from './tasks.ts';
import { callUpstream, inBackground, needsExtension, undeclaring } from './upstream-call.ts';
import {
  declaresTasks,
  EXPERIMENTAL,
  factsWithTasks,
  formOf,
  type TaskForm,
  type TaskSupport,
  wantsTask,
  withoutTasks,
  withTools,
} from './wire-forms.ts';

export interface HostTasksOptions extends TaskLimits {
  /** How long a task can be read after its creation. Its call is cancelled after this time. Default: 1 hour. */
  ttlMs?: number;
  pollMs?: number;
}

/** The members of an entry of the config that are read here. */
interface Entry {
  readonly tasks?: { readonly afterMs: number } | undefined;
  readonly share?: { readonly by: string };
}

/** Limits for each server. They are lower than those of a `Server`, because one process serves many servers. */
const defaultLimits = {
  ttlMs: 60 * 60_000,
  maxTasks: 10_000,
  maxPrincipalTasks: 1_000,
  maxTaskBytes: 64 * 1024 * 1024,
  maxPrincipalTaskBytes: 16 * 1024 * 1024,
};

/** The extension as every host has it. */
export function hostTasks(options: HostTasksOptions = {}): Extension {
  return {
    ...taskMethods,
    host(service, server) {
      const tasks = new HostTasks(service, server, options);
      return {
        describe: changedFacts(service, (client, facts) => tasks.factsFor(client, facts)),
        request: (method, params, caller) => tasks.request(method, params, caller),
        watch: (watcher) => tasks.watch(watcher),
        toolFor: (tool, client) => tasks.toolFor(tool, client),
      };
    },
    relay: relayTasks,
  };
}

class HostTasks {
  readonly #service: Service;
  readonly #server: HostedServer;
  readonly #options: HostTasksOptions & { ttlMs: number };
  readonly #ids: SignedIds;
  #loading: Promise<TaskService> | undefined;
  /** Functions that begin the watches of 2025-11-25 clients, once there are tasks. */
  readonly #waiting = new Set<() => void>();

  constructor(service: Service, server: HostedServer, options: HostTasksOptions) {
    this.#service = service;
    this.#server = server;
    this.#ids = new SignedIds(server);
    this.#options = { ...defaultLimits, ...options };
  }

  factsFor(client: ClientFacts | undefined, facts: ServiceFacts) {
    if (this.#offers(facts)) return factsWithTasks(client);
    return formOf(facts) === undefined ? undefined : withoutTasks;
  }

  /** The server decides in the end, so every client may call a tool with or without a task. */
  toolFor(tool: Tool, client: ClientFacts): Tool {
    const { facts } = this.#server;
    if (client.revision !== EXPERIMENTAL || !this.#offers(facts)) return tool;
    if (!this.#support(this.#form(facts), tool)) return tool;
    return { ...tool, execution: { ...tool.execution, taskSupport: 'optional' } };
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    if (method === 'tools/call') return this.#call(params, caller);
    if (method.startsWith('tasks/')) return this.#requestOfTask(method, params, caller);
    const result = this.#service.request(method, params, caller);
    return method === 'tools/list' && caller.client.revision === EXPERIMENTAL
      ? withTools(result, (tool) => this.toolFor(tool, caller.client))
      : result;
  }

  async watch(watcher: Watcher): Promise<() => void> {
    const { client, filter } = watcher;
    if (filter.others && client && !isModernRevision(client.revision)) return this.#watchClient(watcher);
    const ids = filter.further?.taskIds;
    if (ids === undefined || !client) return this.#service.watch(watcher);
    const facts = await this.#facts();
    const isOurs = this.#loading !== undefined || (this.#form(facts) !== 'extension' && this.#offers(facts));
    const native = await this.#nativeIds(Array.isArray(ids) ? ids : [], client);
    let accepted: readonly unknown[] = [];
    const watch = changed(watcher, {
      accepted(members) {
        if (Array.isArray(members.taskIds)) accepted = [...accepted, ...members.taskIds];
        watcher.accepted?.(accepted.length > 0 ? { ...members, taskIds: accepted } : members);
      },
    });
    const end = isOurs ? await (await this.#load()).watch(watch) : () => undefined;
    return both(end, this.#service.watch(withNative(watch, isOurs && native.size === 0 ? undefined : native)));
  }

  /** The ids that clients have, by those of the server. */
  async #nativeIds(ids: readonly unknown[], client: ClientFacts): Promise<Map<string, unknown>> {
    const native = new Map<string, unknown>();
    for (const id of new Set(ids)) {
      const own = await this.#ids.verify(id, client);
      if (own !== undefined) native.set(own, id);
    }
    return native;
  }

  get #entry(): Entry {
    return this.#server.config as Entry;
  }

  /** The used form of tasks. Undefined with a process for each call, because the process then ends before its task. */
  #form(facts: ServiceFacts | undefined): TaskForm | undefined {
    return facts && this.#entry.share?.by !== 'call' ? formOf(facts) : undefined;
  }

  #offers(facts: ServiceFacts | undefined): boolean {
    return this.#entry.tasks !== undefined || this.#form(facts) !== undefined;
  }

  /** Describes the server, which starts it. If that fails, the request to the server reports why. */
  #facts(): ServiceFacts | undefined | Promise<ServiceFacts | undefined> {
    return this.#server.facts ?? Promise.resolve(this.#service.describe()).catch(() => undefined);
  }

  #call(params: Params, caller: Caller): Result | Promise<Result> {
    const { facts } = this.#server;
    const mayBeTask = wantsTask(params, caller.client) || (this.#entry.tasks && declaresTasks(caller.client));
    if (facts || !mayBeTask) return this.#callAt(facts, params, caller);
    return Promise.resolve(this.#facts()).then((known) => this.#callAt(known, params, caller));
  }

  #callAt(facts: ServiceFacts | undefined, params: Params, caller: Caller): Result | Promise<Result> {
    const { client } = caller;
    const form = this.#form(facts);
    const declares = declaresTasks(client);
    const isPassed = declares && form === 'extension';
    // A call without a message comes from the program that runs the host. It waits for the result anyway.
    const mayBeTask = caller.request !== undefined && (declares || wantsTask(params, client));
    if (mayBeTask && !isPassed && facts && this.#offers(facts)) return this.#callAsTask(form, params, caller);
    if (isPassed) return this.#callNative(params, caller);
    if (form || !facts) return this.#callPlain(form, params, caller);
    if (form === formOf(facts)) return this.#callNative(params, caller);
    // A server whose form of tasks is not used must not answer with a task.
    const { task: _, ...plain } = params;
    return this.#service.request('tools/call', plain, undeclaring(caller));
  }

  /** Calls a tool for a client that gets the answer of the server, which may be a task. */
  #callNative(params: Params, caller: Caller): Result | Promise<Result> {
    const { client } = caller;
    if (!declaresTasks(client) || isProgram(caller)) return this.#service.request('tools/call', params, caller);
    // A task that could not be signed would be lost.
    if (!this.#ids.isReady) return this.#ids.ready().then(() => this.#callNative(params, caller));
    const result = this.#service.request('tools/call', params, caller);
    const signed = (given: Result) =>
      isObject(given) && given.resultType === 'task' ? this.#ids.signResult(given, client) : given;
    return result instanceof Promise ? result.then(signed) : signed(result);
  }

  /** Calls a tool for a client that gets a task. */
  async #callAsTask(form: TaskForm | undefined, params: Params, caller: Caller): Promise<Result> {
    const support = this.#support(form, await this.#tool(form, params, caller));
    if (!support && !wantsTask(params, caller.client)) return this.#callNative(params, caller);
    return (await this.#load()).callTool(params, caller, support);
  }

  /** Calls a tool for a client that gets a plain result, and while it is unknown whether the server has tasks. */
  async #callPlain(form: TaskForm | undefined, { task: _, ...params }: Params, caller: Caller): Promise<Result> {
    const isRequired = async () =>
      (await this.#tool('experimental', params, caller))?.execution?.taskSupport === 'required';
    if (form === 'experimental' && (await isRequired())) {
      return this.#callUpstream({ ...params, task: this.#withTtl(undefined) }, caller);
    }
    try {
      return await this.#callNative(params, caller);
    } catch (error) {
      const known = this.#form(this.#server.facts);
      // A client of 2026-07-28 could have declared the extension; the program that runs the host, and clients of earlier revisions,
      // cannot declare it.
      const couldDeclare = caller.request !== undefined && isModernRevision(caller.client.revision);
      if (known === 'extension' && !couldDeclare && needsExtension(error)) return this.#callUpstream(params, caller);
      // "Servers MUST return a -32601 (Method not found) error if a client does not attempt to do so."
      const isRefused = !form && known === 'experimental' && isRpc(error, RpcCode.methodNotFound);
      if (isRefused && (await isRequired())) return this.#call(params, caller);
      throw error;
    }
  }

  /** Runs the call of a task of the host. */
  async #run(params: Params, caller: Caller): Promise<Result> {
    const background = inBackground(caller, 2 * this.#options.ttlMs);
    const form = this.#form(this.#server.facts);
    const { task, ...plain } = params;
    if (form === 'extension') return this.#callUpstream(plain, background);
    const support = (await this.#tool(form, params, caller))?.execution?.taskSupport;
    const isTask = support === 'required' || (support === 'optional' && wantsTask(params, caller.client));
    if (form && isTask) return this.#callUpstream({ ...plain, task: this.#withTtl(task) }, background);
    return this.#service.request('tools/call', plain, background);
  }

  /** The server must keep the task for as long as the host does. Its own default may be shorter. */
  #withTtl(task: unknown): Params {
    return { ttl: ttlFor(isObject(task) ? task.ttl : undefined, this.#options.ttlMs) };
  }

  #callUpstream(params: Params, caller: Caller): Promise<Result> {
    return callUpstream(this.#service, this.#server.clock, params, caller);
  }

  /** Finds the tool. Only a tool of 2025-11-25 declares whether it supports tasks. */
  #tool(form: TaskForm | undefined, { name }: Params, { client }: Caller) {
    return form === 'experimental' ? this.#service.tool?.(String(name), client) : undefined;
  }

  /** A call of an unknown tool becomes a task too: the server refuses it. */
  #support(form: TaskForm | undefined, tool: Tool | undefined): TaskSupport | undefined {
    if (form !== 'experimental' || !tool) return 'optional';
    const { taskSupport } = tool.execution ?? {};
    if (taskSupport === 'optional' || taskSupport === 'required') return taskSupport;
    return this.#entry.tasks && 'optional';
  }

  /**
   * Answers a request about a task. A server that got the extension with an update answers for its own tasks; tasks
   * from before the update are still here.
   */
  async #requestOfTask(method: string, params: Params, caller: Caller): Promise<Result> {
    const { client } = caller;
    const facts = await this.#facts();
    const signed = isModernRevision(client.revision) ? await this.#ids.verify(params.taskId, client) : undefined;
    const own = signed ?? (isProgram(caller) && this.#form(facts) === 'extension' ? params.taskId : undefined);
    if (own !== undefined) {
      const result = await this.#service.request(method, { ...params, taskId: own }, caller);
      return isObject(result) && result.taskId !== undefined ? { ...result, taskId: params.taskId } : result;
    }
    if (this.#loading || this.#offers(facts)) return (await this.#load()).request(method, params, caller);
    // The server refuses the method. It must not get an id that it may have assigned for another principal.
    const { taskId, ...others } = params;
    return this.#service.request(method, taskId === undefined ? others : { ...others, taskId: randomText(16) }, caller);
  }

  /**
   * 2025-11-25: the client gets changes of its own tasks, and not those of tasks at the server, which may belong to
   * other clients.
   */
  #watchClient(watcher: Watcher): Promise<() => void> {
    let watching: Promise<() => void> | undefined;
    const begin = () => {
      watching = this.#loading!.then((ours) => ours.watch(watcher));
    };
    if (this.#loading) begin();
    else this.#waiting.add(begin);
    const end = () => {
      this.#waiting.delete(begin);
      void watching?.then((stop) => stop());
    };
    const notified: Watcher['notified'] = (method, params) => {
      if (method !== 'notifications/tasks/status') watcher.notified(method, params);
    };
    return both(end, this.#service.watch(changed(watcher, { notified })));
  }

  /** Loads the code with the first task. */
  #load(): Promise<TaskService> {
    if (this.#loading) return this.#loading;
    const entry = () => this.#entry;
    this.#loading = import('./task-service.ts').then(({ DEFAULT_AFTER_MS, TaskService }) => {
      const { records, config } = this.#server;
      const options = {
        ...this.#options,
        ...(records && { store: new KeptTaskStore(records, config.name, this.#options) }),
        /** The entry is read for each call, because it may change. */
        get afterMs() {
          return entry().tasks?.afterMs ?? DEFAULT_AFTER_MS;
        },
      };
      return new TaskService((params, caller) => this.#run(params, caller), this.#server.clock, options);
    });
    for (const begin of this.#waiting) begin();
    this.#waiting.clear();
    return this.#loading;
  }
}

/** Whether the program that runs the host sends the request: it uses the ids of the server itself. */
function isProgram({ request, client }: Caller): boolean {
  return request === undefined && client.identity.principal === undefined;
}

function isRpc(error: unknown, code: number): error is RpcError {
  return error instanceof RpcError && error.rpcCode === code;
}

/** Resolves with a function that stops two watches; `end` stops the one that is active. */
async function both(end: () => void, other: Promise<() => void>): Promise<() => void> {
  try {
    const stop = await other;
    return () => {
      end();
      stop();
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** The watcher with the ids that the server assigned: the keys of `native`, whose values are those of the client. */
function withNative(watcher: Watcher, native: ReadonlyMap<string, unknown> | undefined): Watcher {
  const { further, ...filter } = watcher.filter;
  const { taskIds: _, ...others } = further ?? {};
  const left = native ? { ...others, taskIds: [...native.keys()] } : others;
  const named = (id: unknown) => native?.get(id as string);
  return changed(watcher, {
    filter: Object.keys(left).length > 0 ? { ...filter, further: left } : filter,
    accepted(members) {
      const taskIds = Array.isArray(members.taskIds) ? members.taskIds.flatMap((id) => named(id) ?? []) : undefined;
      watcher.accepted?.(taskIds ? { ...members, taskIds } : members);
    },
    notified(method, params) {
      if (method !== 'notifications/tasks') return watcher.notified(method, params);
      const taskId = named(params?.taskId);
      if (taskId !== undefined) watcher.notified(method, { ...params, taskId });
    },
  });
}

function changed(watcher: Watcher, members: Partial<Watcher>): Watcher {
  return {
    filter: watcher.filter,
    client: watcher.client,
    notified: (method, params) => watcher.notified(method, params),
    accepted: (further) => watcher.accepted?.(further),
    ended: () => watcher.ended?.(),
    ...members,
  };
}
