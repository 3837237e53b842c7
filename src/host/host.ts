// The servers of a config: started in parallel, supervised, called by name, and stopped with all their processes. A failure of one
// server does not affect the others.

import { type Clock, systemClock } from '../base/clock.ts';
import { decodeText } from '../base/decode-text.ts';
import { redactor } from '../base/secrets/redact.ts';
import { type ConfigDiff, diffConfigs } from '../config/files/diff-configs.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/files/load-config.ts';
import { configOf, type GivenConfig, isGivenConfig } from '../config/given-config.ts';
import type { ConfigProblem } from '../config/problem.ts';
import { maskOf } from '../config/secrets-of-server.ts';
import { isOfFleet, type ServerConfig } from '../config/server-config.ts';
import type { Client } from '../mcp/client/client.ts';
import { BoundedEraMemory } from '../mcp/client/opening/era-memory.ts';
import type { CallOptions } from '../mcp/client/options.ts';
import type { Warning } from '../mcp/client/warnings.ts';
import type { Service } from '../mcp/service.ts';
import type * as Mcp from '../mcp/types.ts';
import { FlowClients } from '../observe/flow/clients.ts';
import { FlowStore } from '../observe/flow/store.ts';
import {
  type HostCallOptions,
  type HostContext,
  HostedServer,
  type HostOptions,
  type HostUseOptions,
} from './hosted-server.ts';
import { RecordLog } from './record-log.ts';
import { type Offer, type OfferCatalog, resolve } from './services/catalog.ts';
import { MergedService } from './services/merged-service.ts';
import { searchedService } from './services/tool-search.ts';
import { rejections, unknownServer } from './services/unknown-name.ts';
import { serverStopped } from './supervision/server-errors.ts';
import type { ServerStatus, StateChange } from './supervision/server-state.ts';

export type { HostCallOptions, HostOptions, HostUseOptions };

const HOST_STOPS = 'the host stops';

export class Host {
  readonly flow: FlowStore;
  /** Assigns each client of a gateway its own source in the flow. */
  readonly clients: FlowClients;
  readonly stateListeners = new Set<(change: StateChange) => void>();
  /** Servers by name. A server whose entry was removed stays until its process has exited. */
  readonly #members = new Map<string, HostedServer>();
  readonly #merged: MergedService;
  #search: Service | undefined;
  readonly #records: RecordLog | undefined;
  readonly #context: HostContext;
  #config: Config | undefined;
  /** True after `stop` until `start`: meanwhile only a command for one server starts anything. */
  #stopped = false;
  /** The `stop` in progress, unless a `start` followed it. */
  #stopping: object | undefined;

  /** Takes the contents of a config file, which are checked (see `config`), or complete server configs. Does not start anything. */
  constructor(given: GivenConfig | readonly ServerConfig[], options: HostOptions = {}) {
    const { clock = systemClock, eraMemory = new BoundedEraMemory() } = options;
    this.flow = options.flow ?? new FlowStore({ clock });
    this.clients = new FlowClients(this.flow);
    this.#merged = MergedService.of(() => this.#present().filter(({ config }) => !config.unlisted), clock);
    const onStateChange = (change: StateChange) => {
      options.onStateChange?.(change);
      for (const listener of [...this.stateListeners]) listener(change);
      this.#merged.stateChanged(change);
    };
    const { stateFile, onStateFileProblem: onProblem, recordsOf } = options;
    const records = stateFile === undefined ? undefined : new RecordLog(stateFile, { onProblem });
    this.#records = records;
    this.#context = {
      ...options,
      clock,
      eraMemory,
      flow: this.flow,
      onStateChange,
      recordsOf: (config) => recordsOf?.(config) ?? (isOfFleet(config) ? undefined : records?.of(config.name)),
    };
    if (!isList(given)) this.#config = configOf(given);
    for (const config of isList(given) ? given : this.#config!.servers) {
      this.#members.set(config.name, new HostedServer(config, this.#context));
    }
  }

  /** Reads a config without starting anything. An invalid entry disables only itself: see `config`. */
  static async open(file: string | LoadOptions | GivenConfig, options?: HostOptions): Promise<Host> {
    if (isGivenConfig(file)) return new Host(file, options);
    const config = await loadConfig(typeof file === 'string' ? { file } : file);
    const host = new Host(config.servers, options);
    host.#config = config;
    return host;
  }

  /** The config as it was read, with its problems. */
  get config(): Config | undefined {
    return this.#config;
  }

  get names(): string[] {
    return this.#present().map(({ config }) => config.name);
  }

  /** Whether a server is part of the merged service and has its own path on a gateway. */
  isListed(name: string): boolean {
    const member = this.#members.get(name);
    return member !== undefined && !member.isRemoved && !member.config.unlisted;
  }

  /** Starts all servers that have `autoStart`, in parallel. Resolves when each is ready or has failed. */
  async start(): Promise<ServerStatus[]> {
    this.#stopped = false;
    this.#stopping = undefined;
    void this.#records?.tidy();
    const enabled = this.#present().filter(({ config }) => config.enabled);
    for (const { config, pool } of enabled) if (!config.autoStart) pool.release();
    const wanted = enabled.filter(({ config }) => config.autoStart);
    await Promise.allSettled(wanted.map(({ pool }) => pool.start()));
    return this.status();
  }

  /**
   * Stops all servers, the last one first. Resolves when all their processes have exited; until then, only `start` can start a server.
   * A `reload` in progress starts no further servers.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    const stopping = {};
    this.#stopping = stopping;
    await Promise.all([...this.#members.values()].reverse().map(({ pool }) => pool.stop(HOST_STOPS)));
    await this.#records?.tidy(); // writes the ends of interrupted calls
    if (this.#stopping === stopping) this.#stopping = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Includes servers whose entry was removed, until their process has exited. */
  status(): ServerStatus[] {
    return [...this.#members.values()].map(({ pool }) => pool.status);
  }

  /** One problem for each entry of the config that cannot be used. */
  rejected(): ConfigProblem[] {
    return rejections(this.#config);
  }

  async startServer(name: string): Promise<void> {
    await this.#startable(name).start();
  }

  /** Reports that a remote server is reachable again. If it is wanted and unreachable, the host connects at once. */
  reachable(name: string): void {
    this.#members.get(name)?.supervised.reachable();
  }

  async stopServer(name: string): Promise<void> {
    await this.#member(name).pool.stop();
  }

  async restartServer(name: string): Promise<void> {
    await this.#startable(name).restart();
  }

  stderrSince(server: string, seq: number): Promise<string> {
    return stderrSince(this.flow, this.#context.clock, this.#member(server).config, seq);
  }

  /** Tolerated protocol violations of a server's last process, one per kind. */
  warnings(server: string): readonly Warning[] {
    const { client, calls } = this.#member(server);
    const own = client?.warnings ?? [];
    return [...own, ...calls.warnings.filter(({ message }) => !own.some((known) => known.message === message))];
  }

  callTool(
    server: string,
    tool: string,
    args?: Record<string, unknown>,
    options?: HostCallOptions,
  ): Promise<Mcp.CallToolResult> {
    const member = this.#members.get(server);
    if (!member || member.isRemoved) return Promise.reject(unknownServer(server, this.names, this.rejected()));
    return member.calls.callTool(tool, args, options);
  }

  async readResource(server: string, uri: string, options?: CallOptions): Promise<Mcp.ReadResourceResult> {
    return this.#member(server).calls.readResource(uri, options);
  }

  async getPrompt(
    server: string,
    name: string,
    args?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Mcp.GetPromptResult> {
    return this.#member(server).calls.getPrompt(name, args, options);
  }

  async listTools(server: string): Promise<Mcp.Tool[]> {
    const { mayUse } = this.#member(server);
    const { tools } = await this.#read(server, (client) => client.listTools());
    return tools.filter(({ name }) => mayUse(name));
  }

  async listResources(
    server: string,
  ): Promise<{ resources: Mcp.Resource[]; resourceTemplates: Mcp.ResourceTemplate[] }> {
    return this.#read(server, async (client) => {
      if (!client.server.capabilities.resources) return { resources: [], resourceTemplates: [] };
      const [{ resources }, { resourceTemplates }] = await Promise.all([
        client.listResources(),
        client.listResourceTemplates(),
      ]);
      return { resources, resourceTemplates };
    });
  }

  async listPrompts(server: string): Promise<Mcp.Prompt[]> {
    return this.#read(server, async (client) =>
      client.server.capabilities.prompts ? (await client.listPrompts()).prompts : [],
    );
  }

  /**
   * The named server as a service, or the merged service if there is no name. A service passes requests with their
   * callers and has subscriptions.
   */
  service(server?: string): Service {
    return server === undefined ? this.#merged : this.#member(server).service;
  }

  /** The merged service with tools that find, describe and call the others, in place of the list of all tools. */
  get toolSearch(): Service {
    this.#search ??= searchedService(this.#merged);
    return this.#search;
  }

  /**
   * Runs `run` with the client of a ready server. Runs it again if its request was not sent, or if its outcome is unknown and `repeatable`
   * is set. The `tools` filter applies.
   */
  async use<T>(server: string, run: (client: Client) => Promise<T>, options: HostUseOptions = {}): Promise<T> {
    return this.#member(server).use(run, options);
  }

  /** The tools of all running servers, or with `start` of all servers, and the servers that could not be asked. */
  async tools(
    options: { start?: boolean } = {},
  ): Promise<{ tools: Offer<Mcp.Tool>[]; failed: OfferCatalog<Mcp.Tool>['failed'] }> {
    const { offers, failed } = await this.#merged.lists.read<Mcp.Tool>('tools', options.start ? 'all' : 'none');
    return { tools: offers, failed };
  }

  /** Finds the server of a tool by its name, or by `server/tool`. */
  async findTool(address: string): Promise<Offer<Mcp.Tool>> {
    return resolve((await this.tools({ start: true })).tools, address, 'tool', this.#merged.lists.servers);
  }

  /**
   * Applies a new config: only changed entries are started, stopped or restarted. Takes effect at once, so the last of several calls
   * wins. Resolves when every process that has to end has exited.
   */
  async reload(config: Config): Promise<ConfigDiff> {
    const diff = diffConfigs({ servers: this.#present().map((member) => member.config) }, config);
    this.#config = config;
    const changed = [...diff.added, ...diff.changed.map(({ after }) => after)].map((entry) => this.#takeUp(entry));
    const removed = diff.removed.map(({ name }) => this.#remove(name));
    for (const entry of diff.unchanged) this.#members.get(entry.name)!.moved(entry);
    this.#putInOrder(config.servers);
    if (changed.length + removed.length > 0) this.#merged.changed();
    await Promise.all([...changed, ...removed]);
    return diff;
  }

  /** Requests from the host itself do not count as calls of a user. */
  async #read<T>(server: string, run: (client: Client) => Promise<T>): Promise<T> {
    return this.#member(server).supervised.use(run, { repeatable: true, counts: false });
  }

  #present(): HostedServer[] {
    return [...this.#members.values()].filter(({ isRemoved }) => !isRemoved);
  }

  #member(name: string): HostedServer {
    const member = this.#members.get(name);
    if (!member || member.isRemoved) throw unknownServer(name, this.names, this.rejected());
    return member;
  }

  #startable(name: string): HostedServer['pool'] {
    const { pool } = this.#member(name);
    if (this.#stopping) throw serverStopped(name, HOST_STOPS);
    return pool;
  }

  /** Applies an entry that is new, changed, or added again while the process of the earlier one is still ending. */
  async #takeUp(config: ServerConfig): Promise<void> {
    const { name, enabled, autoStart } = config;
    const known = this.#members.get(name);
    const member = known ?? new HostedServer(config, this.#context);
    this.#members.set(name, member);
    // A server that was started individually in a stopped host continues with its new entry.
    const runsAlone = known?.isRemoved === false && known.pool.isWanted;
    const wanted = enabled && (this.#stopped ? runsAlone : autoStart);
    const held = this.#stopped && !wanted ? HOST_STOPS : undefined;
    await member.change(config, { wanted, held });
  }

  async #remove(name: string): Promise<void> {
    const member = this.#members.get(name)!;
    await member.remove();
    // The entry may have been added and removed again in the meantime.
    if (member.isRemoved && !member.pool.hasProcess) this.#members.delete(name);
  }

  /** Servers are listed in the order of the config, and stopped in reverse. */
  #putInOrder(servers: readonly ServerConfig[]): void {
    for (const { name } of servers) {
      const member = this.#members.get(name)!;
      this.#members.delete(name);
      this.#members.set(name, member);
    }
  }
}

function isList(given: GivenConfig | readonly ServerConfig[]): given is readonly ServerConfig[] {
  return Array.isArray(given);
}

/** stderr and the answer use separate pipes, and an unfinished line is held for 50 ms. */
const SETTLE_MS = 100;
const MOST_CHARACTERS = 64 * 1024;

async function stderrSince(flow: FlowStore, clock: Clock, config: ServerConfig, seq: number): Promise<string> {
  await new Promise<void>((resolve) => clock.after(SETTLE_MS, resolve));
  let text = '';
  for (const event of flow.since(seq)) {
    if (event.kind === 'stderr' && event.server === config.name) text += decodeText(event.payload);
    if (text.length > 2 * MOST_CHARACTERS) text = text.slice(-MOST_CHARACTERS);
  }
  return redactor({ mask: maskOf(config) })(text).slice(-MOST_CHARACTERS);
}
