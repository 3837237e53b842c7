// The servers of a config, run as one: started together and each at its own speed, supervised, called by name, and stopped
// without a trace. One server's trouble is never another's.

import { type Clock, systemClock } from '../base/clock.ts';
import { FlowStore } from '../flow/store.ts';
import type { Client } from '../mcp/client/client.ts';
import { BoundedEraMemory, type EraMemory } from '../mcp/client/era-memory.ts';
import type { CallOptions } from '../mcp/client/options.ts';
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../mcp/types.ts';
import { catalogOf, type Offer, resolve } from './catalog.ts';
import { type ConfigDiff, diffConfigs } from './config/diff-configs.ts';
import { configOf, type GivenConfig, isGivenConfig } from './config/given-config.ts';
import { type Config, type LoadOptions, loadConfig } from './config/load-config.ts';
import type { ConfigProblem } from './config/problem.ts';
import type { ServerConfig } from './config/server-config.ts';
import { notAllowed, toolFilter } from './config/tool-filter.ts';
import type { HostApi } from './host-api.ts';
import type { HostCallOptions, HostOptions, HostUseOptions } from './host-options.ts';
import { openServer } from './open-server.ts';
import type { ServerStatus } from './server-state.ts';
import { SupervisedServer } from './supervised-server.ts';
import { refusedUnknown, rejections, unknownServer } from './unknown-name.ts';
import { WatchedServer } from './watched-server.ts';

export type { HostCallOptions, HostOptions, HostUseOptions };

interface Member {
  config: ServerConfig;
  supervised: SupervisedServer<Client>;
  mayUse: (tool: string) => boolean;
  /** As last listed: also what decides whether a lost call may be sent again. */
  tools: readonly Tool[];
}

export class Host implements HostApi {
  readonly flow: FlowStore;
  readonly #members = new Map<string, Member>();
  readonly #options: HostOptions;
  readonly #clock: Clock;
  readonly #eraMemory: EraMemory;
  #config: Config | undefined;

  /** Takes the shape of a config file, checked like one (see `config`), or servers that are complete. Starts nothing. */
  constructor(given: GivenConfig | readonly ServerConfig[], options: HostOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.flow = options.flow ?? new FlowStore({ clock: this.#clock });
    this.#eraMemory = options.eraMemory ?? new BoundedEraMemory();
    if (!isList(given)) this.#config = configOf(given);
    for (const config of isList(given) ? given : this.#config!.servers) this.#add(config);
  }

  /** Reads a config; nothing is started yet. What is wrong with an entry disables that entry alone: see `config`. */
  static async open(file: string | LoadOptions | GivenConfig, options?: HostOptions): Promise<Host> {
    if (isGivenConfig(file)) return new Host(file, options);
    const config = await loadConfig(typeof file === 'string' ? { file } : file);
    const host = new Host(config.servers, options);
    host.#config = config;
    return host;
  }

  /** What was read, with its problems. */
  get config(): Config | undefined {
    return this.#config;
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** Starts every server that is to be started, at the same time. Resolves when each is ready or has failed. */
  async start(): Promise<ServerStatus[]> {
    const wanted = [...this.#members.values()].filter(({ config }) => config.enabled && config.autoStart);
    await Promise.allSettled(wanted.map(({ supervised }) => supervised.start()));
    return this.status();
  }

  /** Stops all servers, the last one first; resolves when no process of theirs is left. */
  async stop(): Promise<void> {
    await Promise.all([...this.#members.values()].reverse().map(({ supervised }) => supervised.stop('the host stops')));
  }

  status(): ServerStatus[] {
    return [...this.#members.values()].map(({ supervised }) => supervised.status);
  }

  /** Why entries of the config are no servers of this host, one problem for each. */
  rejected(): ConfigProblem[] {
    return rejections(this.#config);
  }

  async startServer(name: string): Promise<void> {
    await this.#member(name).supervised.start();
  }

  async stopServer(name: string): Promise<void> {
    await this.#member(name).supervised.stop();
  }

  async restartServer(name: string): Promise<void> {
    await this.#member(name).supervised.restart();
  }

  callTool(
    server: string,
    tool: string,
    args?: Record<string, unknown>,
    options: HostCallOptions = {},
  ): Promise<CallToolResult> {
    const member = this.#members.get(server);
    if (!member) return Promise.reject(unknownServer(server, this.names, this.rejected()));
    if (!member.mayUse(tool)) return Promise.reject(notAllowed(server, tool));
    const result = member.supervised.use((client) => client.callTool(tool, args, options), {
      repeatable: () => options.repeatable ?? isRepeatable(member.tools, tool),
    });
    if (member.tools.length === 0 || member.tools.some(({ name }) => name === tool)) return result;
    const names = member.tools.map(({ name }) => name).filter(member.mayUse);
    return result.catch((error) => Promise.reject(refusedUnknown(error, tool, names)));
  }

  readResource(server: string, uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.use(server, (client) => client.readResource(uri, options), { repeatable: true });
  }

  getPrompt(
    server: string,
    name: string,
    args?: Record<string, string>,
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return this.use(server, (client) => client.getPrompt(name, args, options), { repeatable: true });
  }

  async listTools(server: string): Promise<Tool[]> {
    const { tools } = await this.#read(server, (client) => client.listTools());
    const member = this.#member(server);
    member.tools = tools;
    return tools.filter(({ name }) => member.mayUse(name));
  }

  async listResources(server: string): Promise<{ resources: Resource[]; resourceTemplates: ResourceTemplate[] }> {
    return this.#read(server, async (client) => {
      if (!client.server.capabilities.resources) return { resources: [], resourceTemplates: [] };
      const [{ resources }, { resourceTemplates }] = await Promise.all([
        client.listResources(),
        client.listResourceTemplates(),
      ]);
      return { resources, resourceTemplates };
    });
  }

  async listPrompts(server: string): Promise<Prompt[]> {
    return this.#read(server, async (client) => {
      if (!client.server.capabilities.prompts) return [];
      return (await client.listPrompts()).prompts;
    });
  }

  /** Runs something on the client of a server, once it is ready. What reads only may be repeated. */
  async use<T>(server: string, run: (client: Client) => Promise<T>, options: HostUseOptions = {}): Promise<T> {
    const { repeatable = false, counts } = options;
    return this.#member(server).supervised.use(run, { repeatable: () => repeatable, counts });
  }

  /** The tools of all servers that run (and of the others too, if they are to be started), and who cannot be asked. */
  async tools(
    options: { start?: boolean } = {},
  ): Promise<{ tools: Offer<Tool>[]; failed: { server: string; error: Error }[] }> {
    const failed: { server: string; error: Error }[] = [];
    const offers = new Map<string, readonly Tool[]>();
    for (const [server, { supervised }] of options.start ? [] : this.#members) {
      if (supervised.state === 'failed') failed.push({ server, error: supervised.failure() });
    }
    const asked = [...this.#members.values()].filter(
      ({ config, supervised }) => config.enabled && (options.start || supervised.state === 'ready'),
    );
    await Promise.all(
      asked.map(async ({ config: { name } }) => {
        try {
          offers.set(name, await this.listTools(name));
        } catch (error) {
          failed.push({ server: name, error: error as Error });
        }
      }),
    );
    const inOrder = new Map(
      this.names.flatMap((name) => (offers.has(name) ? [[name, offers.get(name)!] as const] : [])),
    );
    return { tools: catalogOf(inOrder), failed };
  }

  /** Finds the server of a tool by its name, or by `server/tool`. */
  async findTool(address: string): Promise<Offer<Tool>> {
    return resolve((await this.tools({ start: true })).tools, address, 'tool');
  }

  /** Takes up a new config: only entries that changed are started, stopped or restarted. */
  async reload(config: Config): Promise<ConfigDiff> {
    const diff = diffConfigs({ servers: [...this.#members.values()].map((member) => member.config) }, config);
    this.#config = config;
    const gone = [...diff.removed, ...diff.changed.map(({ before }) => before)];
    await Promise.all(gone.map(({ name }) => this.#remove(name)));
    for (const entry of [...diff.added, ...diff.changed.map(({ after }) => after)]) {
      const { supervised } = this.#add(entry);
      if (entry.enabled && entry.autoStart) supervised.start().catch(() => undefined); // its state says what happened
    }
    this.#putInOrder(config.servers);
    return diff;
  }

  /** What we ask about a server is no call of its user. */
  #read<T>(server: string, run: (client: Client) => Promise<T>): Promise<T> {
    return this.use(server, run, { repeatable: true, counts: false });
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (!member) throw unknownServer(name, this.names, this.rejected());
    return member;
  }

  #add(config: ServerConfig): Member {
    const { name } = config;
    const { inputs, onStateChange, onNoise, random } = this.#options;
    const watched = new WatchedServer(this.flow, name);
    const supervised = new SupervisedServer<Client>({
      name,
      protocol: config.protocol,
      enabled: config.enabled,
      restart: config.restart,
      clock: this.#clock,
      random,
      open: (signal) =>
        openServer(config, {
          signal,
          clock: this.#clock,
          eraMemory: this.#eraMemory,
          observer: watched.observer(),
          inputs: inputs?.(name) ?? {},
          onNoise: (text) => onNoise?.({ server: name, text }),
        }),
      onStateChange: (change) => {
        watched.changed(change);
        if (change.to === 'ready') this.#learnTools(name);
        onStateChange?.(change);
      },
    });
    const member: Member = { config, supervised, mayUse: toolFilter(config.tools), tools: [] };
    this.#members.set(name, member);
    return member;
  }

  /** Servers are shown, and stopped in reverse, in the order of the config. */
  #putInOrder(servers: readonly ServerConfig[]): void {
    for (const { name } of servers) {
      const member = this.#members.get(name);
      if (!member) continue;
      this.#members.delete(name);
      this.#members.set(name, member);
    }
  }

  async #remove(name: string): Promise<void> {
    const member = this.#members.get(name);
    this.#members.delete(name);
    await member?.supervised.stop('its entry in the config changed');
  }

  /** What a tool says about itself must be known before a call of it is lost. */
  #learnTools(name: string): void {
    queueMicrotask(() => this.listTools(name).catch(() => undefined)); // a server without tools has nothing to learn
  }
}

function isRepeatable(tools: readonly Tool[], name: string): boolean {
  const { readOnlyHint, idempotentHint } = tools.find((tool) => tool.name === name)?.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true;
}

function isList(given: GivenConfig | readonly ServerConfig[]): given is readonly ServerConfig[] {
  return Array.isArray(given);
}
