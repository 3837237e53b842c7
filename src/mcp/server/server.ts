// The server that an author writes: tools, resources and prompts are declared once and served to clients of every
// revision over any number of connections.

import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Channel } from '../../wire/jsonrpc/channel.ts';
import type { ClientAdapter } from '../adapter/client-adapter.ts';
import { type ClientAdapterOptions, ClientAdapters } from '../adapter/client-adapters.ts';
import { defaultExtensions, type ToolOptions } from '../extensions/default-extensions.ts';
import { type Extension, extended, register, withDefaults } from '../extensions/extension.ts';
import type { Service } from '../service.ts';
import type { Implementation, LogLevel, Prompt, PromptArgument, Resource, ResourceTemplate, Tool } from '../types.ts';
import { UriTemplate } from '../uri-template.ts';
import type { Call } from './call.ts';
import { DeclaredService, type DeclaredServiceOptions } from './declared-service.ts';
import type { PromptReturn, ResourceReturn, ToolReturn } from './handler-results.ts';
import type { Completer, Registry } from './registry.ts';
import { type AnySchema, compileSchema, type InputOf, mustTakeObjects, type OutputOf } from './schema.ts';

export interface ToolDeclaration<I extends AnySchema, O extends AnySchema>
  extends Omit<Tool, 'name' | 'inputSchema' | 'outputSchema' | 'execution'>,
    ToolOptions {
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

/** Removes a declaration; clients are notified. */
export interface Declared {
  remove(): void;
}

type Awaitable<T> = T | Promise<T>;

export interface ServerOptions extends DeclaredServiceOptions, Omit<ClientAdapterOptions, 'exposeErrors'> {
  /** Extensions that this server declares and handles, in addition to the built-in ones. */
  extensions?: readonly Extension[];
}

export class Server {
  readonly info: Implementation;
  /** The declared service without a protocol, for callers in this process. */
  readonly service: Service;
  readonly #declared: DeclaredService;
  readonly #registry: Registry;
  readonly #extensions: readonly Extension[];
  readonly #closeListeners: (() => void)[] = [];
  readonly #adapters: ClientAdapters;

  constructor(info: Implementation, options: ServerOptions = {}) {
    mustPresentItself(info);
    this.info = info;
    this.#declared = new DeclaredService(info, options);
    this.#registry = this.#declared.registry;
    this.#extensions = register(withDefaults(defaultExtensions, options.extensions));
    this.service = extended(this.#declared, this.#extensions, {
      tools: () => this.#registry.tools.definitions(),
      tool: (name) => this.#declared.tool(name),
      onClose: (listener) => this.#closeListeners.push(listener),
      clock: options.clock ?? systemClock,
    });
    this.#adapters = new ClientAdapters(this.service, options);
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
    for (const { server } of this.#extensions) server?.check?.(definition);
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
    this.#registry.resourceTemplates.add(uriTemplate, { definition, template, completers: complete, read });
    return { remove: () => this.#registry.resourceTemplates.remove(uriTemplate) };
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

  /** Notifies the clients that subscribed to a resource that it has changed. */
  resourceUpdated(uri: string): void {
    this.#declared.resourceUpdated(uri);
  }

  /** Sends a log message outside any call, to clients whose revision has such messages. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#declared.log(level, data, logger);
  }

  /** Serves a client over a transport of Standpipe or of the official SDK. Resolves when the transport has started. */
  connect(channel: Channel): Promise<ClientAdapter> {
    return this.#adapters.connect(channel);
  }

  close(): Promise<void> {
    for (const listener of this.#closeListeners) listener();
    return this.#adapters.close();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

// JavaScript would accept the mistakes that these functions find, and the failing call would come much later, from a
// client.

function mustPresentItself(info: Implementation): void {
  for (const key of ['name', 'version'] as const) {
    if (typeof info?.[key] === 'string' && info[key] !== '') continue;
    throw new UsageError('INVALID_OPTION', `A server needs a "${key}": clients show it, and some require it`, {
      hint: "new Server({ name: 'weather', version: '1.0.0' })",
    });
  }
}

/** `what` is "tool", "resource", "resource template" or "prompt". The name of a resource is its URI. */
function mustHaveName(name: unknown, what: string): void {
  if (typeof name === 'string' && name !== '') return;
  const given = typeof name === 'string' ? 'an empty string' : `a ${typeof name}`;
  throw new UsageError('INVALID_OPTION', `A ${what} needs a name as its first argument, not ${given}`);
}

function mustBeFunction(handler: unknown, owner: string): void {
  if (typeof handler === 'function') return;
  throw new UsageError(
    'INVALID_OPTION',
    `The ${owner} has no handler: the arguments are its name, its declaration and a function`,
  );
}

function mustNotHave(declaration: object, renamed: Record<string, string>, owner: string): void {
  for (const [theirs, ours] of Object.entries(renamed)) {
    if (theirs in declaration) {
      throw new UsageError('INVALID_OPTION', `The ${owner} is declared with "${theirs}"; here it is "${ours}"`);
    }
  }
}
