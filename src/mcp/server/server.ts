// A server as its author writes it: tools, resources and prompts are declared once, and served to clients of every
// revision over any number of connections.

import { systemClock } from '../../base/clock.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import { type AnySchema, compileSchema, type InputOf, mustTakeObjects, type OutputOf } from '../schema.ts';
import type { Implementation, LogLevel, Prompt, PromptArgument, Resource, ResourceTemplate, Tool } from '../types.ts';
import { UriTemplate } from '../uri-template.ts';
import type { Call } from './call.ts';
import { Connection } from './connection.ts';
import { mustBeFunction, mustHaveName, mustNotHave, mustPresentItself } from './declaration-checks.ts';
import type { PromptReturn } from './prompt-result.ts';
import { type Completer, type Family, Registry } from './registry.ts';
import type { ResourceReturn } from './resource-contents.ts';
import { ServerCore, type ServerOptions } from './server-core.ts';
import type { ToolReturn } from './tool-result.ts';

export interface ToolDeclaration<I extends AnySchema, O extends AnySchema>
  extends Omit<Tool, 'name' | 'inputSchema' | 'outputSchema'> {
  input?: I;
  output?: O;
}

export type ResourceDeclaration = Omit<Resource, 'uri'>;

export interface TemplateDeclaration extends Omit<ResourceTemplate, 'uriTemplate'> {
  /** Suggestions for the values of variables. */
  complete?: Record<string, Completer>;
}

export interface PromptDeclaration<A extends PromptArguments> extends Omit<Prompt, 'name' | 'arguments'> {
  arguments?: A;
}
export type PromptArguments = Record<string, Omit<PromptArgument, 'name'> & { complete?: Completer }>;
type PromptValues<A extends PromptArguments> = {
  [Name in keyof A]: A[Name] extends { required: true } ? string : string | undefined;
};

/** Takes back what was declared; clients are told. */
export interface Declared {
  remove(): void;
}

type Awaitable<T> = T | Promise<T>;

export class Server {
  readonly info: Implementation;
  readonly #options: ServerOptions;
  readonly #registry: Registry;
  readonly #core: ServerCore;
  readonly #connections = new Set<Connection>();
  readonly #changed = new Set<Family>();

  constructor(info: Implementation, options: ServerOptions = {}) {
    mustPresentItself(info);
    this.info = info;
    this.#options = options;
    this.#registry = new Registry((family) => this.#familyChanged(family));
    this.#core = new ServerCore(info, this.#registry, options, options.clock ?? systemClock);
  }

  tool<I extends AnySchema = Record<string, never>, O extends AnySchema = never>(
    name: string,
    { input, output, ...rest }: ToolDeclaration<I, O>,
    handler: (args: OutputOf<I>, call: Call) => Awaitable<ToolReturn<[O] extends [never] ? unknown : InputOf<O>>>,
  ): Declared {
    mustHaveName(name, 'tool');
    mustBeFunction(handler, `tool ${name}`);
    mustNotHave(rest, { inputSchema: 'input', outputSchema: 'output' }, `tool ${name}`);
    const compiledInput = input === undefined ? undefined : compileSchema(input, 'input', `tool ${name}`);
    if (compiledInput) mustTakeObjects(compiledInput, `tool ${name}`);
    const compiledOutput = output === undefined ? undefined : compileSchema(output, 'output', `tool ${name}`);
    const definition: Tool = { name, ...rest, inputSchema: { ...compiledInput?.json, type: 'object' } };
    if (compiledOutput) definition.outputSchema = compiledOutput.json;
    this.#registry.tools.add(name, { definition, input: compiledInput, output: compiledOutput, run: handler });
    return { remove: () => this.#registry.tools.remove(name) };
  }

  /** A resource with a fixed URI. */
  resource(
    uri: string,
    declaration: ResourceDeclaration,
    read: (uri: string, call: Call) => Awaitable<ResourceReturn>,
  ): Declared {
    mustHaveName(uri, 'resource');
    mustBeFunction(read, `resource ${uri}`);
    this.#registry.resources.add(uri, { definition: { uri, ...declaration }, read });
    return { remove: () => this.#registry.resources.remove(uri) };
  }

  /** Resources whose URIs follow a template, such as `users://{id}/profile`. */
  resourceTemplate(
    uriTemplate: string,
    { complete = {}, ...declaration }: TemplateDeclaration,
    read: (variables: Record<string, string>, call: Call, uri: string) => Awaitable<ResourceReturn>,
  ): Declared {
    mustHaveName(uriTemplate, 'resource template');
    mustBeFunction(read, `resource template ${uriTemplate}`);
    const template = new UriTemplate(uriTemplate);
    const definition = { uriTemplate, ...declaration };
    this.#registry.templates.add(uriTemplate, { definition, template, completers: complete, read });
    return { remove: () => this.#registry.templates.remove(uriTemplate) };
  }

  prompt<const A extends PromptArguments = PromptArguments>(
    name: string,
    { arguments: declared, ...declaration }: PromptDeclaration<A>,
    get: (args: PromptValues<A>, call: Call) => Awaitable<PromptReturn>,
  ): Declared {
    mustHaveName(name, 'prompt');
    mustBeFunction(get, `prompt ${name}`);
    const completers: Record<string, Completer> = {};
    const list = Object.entries(declared ?? {}).map(([argument, { complete, ...described }]) => {
      if (complete) completers[argument] = complete;
      return { name: argument, ...described };
    });
    const definition: Prompt = { name, ...declaration, ...(list.length > 0 && { arguments: list }) };
    this.#registry.prompts.add(name, { definition, completers, get });
    return { remove: () => this.#registry.prompts.remove(name) };
  }

  /** Tells whoever subscribed to it that a resource has changed. */
  resourceUpdated(uri: string): void {
    for (const connection of this.#connections) connection.resourceUpdated(uri);
  }

  /** A log message outside of any call, for clients whose revision has such. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    for (const connection of this.#connections) connection.log(level, data, logger);
  }

  /** Serves a client over a transport, ours or the official one. Resolves when the transport has started. */
  async connect(channel: Channel): Promise<Connection> {
    const { maxConcurrent, maxQueued, maxInboundBytes, clock } = this.#options;
    const connection = new Connection(this.#core, channel, { maxConcurrent, maxQueued, maxInboundBytes, clock });
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    await connection.peer.start();
    return connection;
  }

  async close(): Promise<void> {
    this.#core.suspended.dropAll('the server closes');
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Changes of one turn are told once. */
  #familyChanged(family: Family): void {
    this.#core.declarationsChanged();
    if (this.#connections.size === 0) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tellChanges());
    this.#changed.add(family);
  }

  #tellChanges(): void {
    for (const family of this.#changed) {
      for (const connection of this.#connections) connection.listChanged(family);
    }
    this.#changed.clear();
  }
}
