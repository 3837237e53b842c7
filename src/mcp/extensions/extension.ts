// An extension of MCP (`capabilities.extensions`): its methods, its result types, and its parts for a client, a server and
// a host. Code outside the folder of an extension must not know it by name. Messages of extensions that are not registered
// in this process pass through unchanged.

import type { Clock } from '../../base/clock.ts';
import { PeerError, type ProcessIdentity, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { CallOptions } from '../client/options.ts';
import type { ServerFacts } from '../client/session/session.ts';
import { changedFacts, compose, type FactsChange, overlay, type ServiceLayer } from '../layers/layer.ts';
import { addMethod, type MethodFacts, methodsOfMcp, type Rewriting } from '../methods.ts';
import { isModernRevision, type Revision } from '../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts } from '../service.ts';
import type { CallToolResult, ClientCapabilities, ServerCapabilities, Tool } from '../types.ts';

export interface Extension {
  /** The key in `capabilities.extensions`: a prefix, a slash and a name, such as `com.example/parcels`. */
  readonly id: string;
  /** The first revision in which clients declare it. Default: all. */
  readonly since?: Revision;
  /** The rows of the extension's methods and notifications in the table of methods. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /**
   * The schemes of the extension's URIs. Where several servers are served as one, these URIs keep their scheme and get
   * the server as the first segment.
   */
  readonly schemes?: readonly string[];
  /** Whether these URIs belong to the tools whose `_meta` links to them: a client that may use none of the tools cannot read them. */
  readonly areLinked?: boolean;
  /**
   * The settings that a host declares to a shared process and in its own list requests. Some servers offer tools only to
   * clients that declare them.
   */
  readonly listing?: object;
  /** The values of `resultType` that the extension adds (2026-07-28). */
  readonly resultTypes?: Readonly<Record<string, ResultTypeFacts>>;
  /** Client-side implementation. Without it, a client does not declare the extension. */
  readonly client?: ClientPart;
  /**
   * Whether the ids that a process assigned are invalid after its end, so that a host adds the process run to them.
   * Otherwise a process may get ids that an earlier one assigned.
   */
  readonly idsEndWithProcess?: boolean;
  /** The id in a question or a progress notification of a server. A question belongs to the pending request with this target. */
  readonly idInMessage?: (message: Params) => NamedId | undefined;
  /**
   * How the extension is declared to this client, by a host whose servers declare it in `capabilities.extensions`.
   * Default: in the same way.
   */
  readonly factsFor?: (client: ClientFacts | undefined) => FactsChange;
  /** Server-side implementation. Without it, a declared server does not declare the extension. */
  readonly server?: ServerPart;
  /** Replaces members of the service of each server that a host runs, before its processes are chosen. */
  readonly host?: (service: Service, server: HostedServer) => Partial<Service>;
  /** Like `host`, for a server that another host runs: that host has the `host` part. */
  readonly relay?: (service: Service, server: HostedServer) => Partial<Service>;
}

interface NamedId {
  readonly id: string;
  /** Adds the id, or the one that replaces it, to a message. */
  withId(message: object, id?: string): object;
}

/** Only clients send requests: 2026-07-28 has no requests from servers. */
export type ExtensionMethod = Pick<
  MethodFacts,
  | 'from'
  | 'isNotification'
  | 'since'
  | 'until'
  | 'target'
  | 'repeat'
  | 'asks'
  | 'filter'
  | 'isCacheable'
  | 'resultMember'
  | 'merges'
  | 'withUris'
  | 'withIds'
>;

export interface ResultTypeFacts {
  /** The methods whose results may have this type. */
  readonly methods: readonly string[];
  /** The member with an id that the server assigned, which a later request returns as its target. */
  readonly id?: string;
  /** Replaces the ids in a result of this type, if they are not only in that member. */
  readonly withIds?: Rewriting;
}

export interface ClientPart {
  /** The value in `capabilities.extensions`. Default: `{}`. */
  readonly settings?: object;
  /** Changes requests from the client. */
  readonly layer?: ServiceLayer;
  /** Continues a call whose result has one of the `resultTypes`, until it has a complete result. */
  readonly finish?: (result: Result, call: UnfinishedCall) => Result | Promise<Result>;
  /**
   * Returns a function that runs a tool call in place of the client, if the extension must do that for this server or
   * with these options. Its value is that of `callTool`. Called for every tool call; `tool` is defined if it was listed.
   */
  readonly runs?: (
    options: CallOptions | undefined,
    server: ServerFacts,
    tool: Tool | undefined,
  ) => ToolRunner | undefined;
}

export type ToolRunner = (call: ToolCall) => Promise<unknown>;

export interface UnfinishedCall {
  readonly method: string;
  readonly params: Params;
  /** The caller of the call, and of the requests that continue it: it has the signal, the timeouts and the handlers. */
  readonly caller: Caller;
  readonly service: Service;
  readonly clock: Clock;
}

/** A call of `callTool`, or the continuation of one by another process. */
export interface ToolCall extends UnfinishedCall {
  readonly server: ServerFacts;
  /** The definition of the tool, from the list of the server. */
  tool(): Tool | undefined | Promise<Tool | undefined>;
  /** Checks a result as `callTool` does. */
  read(answer: Result): CallToolResult | Promise<CallToolResult>;
}

export interface ServerPart {
  /** The value in `capabilities.extensions`. Default: `{}`. `false`: `over` declares the extension itself. */
  readonly settings?: object | false;
  /** Throws a UsageError if options of the extension in the declaration of a tool are invalid. */
  readonly check?: (tool: Tool) => void;
  /** Replaces members of the service of the declared handlers. */
  readonly over?: (service: Service, server: DeclaredServer) => Partial<Service>;
}

/** A server with declared handlers. */
export interface DeclaredServer {
  /** All declared tools, with the options that extensions defined. The same list until a declaration changes. */
  tools(): readonly Tool[];
  tool(name: string): Tool | undefined;
  /** Calls the listener when the server is closed. */
  onClose(listener: () => void): void;
  readonly clock: Clock;
}

export interface HostedServer {
  /** The current entry of the server in the config. */
  readonly config: { readonly name: string };
  /** The facts of the server's last process. Undefined before its first start and after a change of its entry. */
  readonly facts: ServiceFacts | undefined;
  readonly clock: Clock;
  /** The records of the server; undefined if nothing outlives the host. */
  readonly records?: KeptRecords | undefined;
}

/** JSON values that extensions keep for one server beyond the process of the host, by id. */
export interface KeptRecords {
  /** The maximum length of a value as JSON. Default: as long as there is space. */
  readonly mostChars?: number;
  /**
   * Resolves when the record outlives this process. `replaces`: the record that it replaces, if an earlier host put it. Rejects if
   * the record cannot be kept, or if another host has replaced the one before in the meantime.
   */
  put(id: string, record: KeptRecord, replaces?: FoundRecord): Promise<void>;
  get(id: string): Promise<FoundRecord | undefined>;
  delete(id: string): Promise<void>;
}

export interface KeptRecord {
  readonly value: unknown;
  /** The record can be removed after this time, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Whether no other record replaces the record. */
  readonly isFinal: boolean;
}

export interface FoundRecord extends KeptRecord {
  /** Whether the host that put the record has ended, or no longer runs the server. */
  readonly isOrphaned: boolean;
  /** Where that host ran the server, if known. */
  readonly ranAt?: Partial<ProcessIdentity>;
}

interface KnownResultType extends ResultTypeFacts {
  readonly extension: string;
}

const resultTypes = new Map<string, KnownResultType>();
const registered = new WeakSet<Extension>();
const ids = new Set<string>();
const endingIds = new Set<string>();
/** Whether the URIs of each scheme are linked. */
const schemes = new Map<string, boolean>();
const onlyModern = new Set<string>();
const listing: Record<string, object> = {};
const messageIds = new Set<NonNullable<Extension['idInMessage']>>();
const factsChanges = new Map<string, NonNullable<Extension['factsFor']>>();

/** Adds the methods and result types of the extensions to those of this process. Must be called before they are used. */
export function register(extensions: readonly Extension[] | undefined): readonly Extension[] {
  for (const extension of extensions ?? []) {
    if (registered.has(extension)) continue;
    const { id } = extension;
    if (!/^[^/]+\/[^/]+$/.test(id)) throw invalid(id, 'its id needs a prefix and a name, with a slash between them');
    for (const [method, facts] of Object.entries(extension.methods ?? {})) {
      const known = methodsOfMcp.get(method);
      if (known && known.extension !== id) throw invalid(id, `${known.extension ?? 'MCP'} has the method ${method}`);
      addMethod(method, { ...facts, extension: id });
    }
    for (const [type, facts] of Object.entries(extension.resultTypes ?? {})) {
      const known = resultTypes.get(type)?.extension ?? (isOfCore(type) ? 'MCP' : id);
      if (known !== id) throw invalid(id, `${known} has the resultType ${type}`);
      resultTypes.set(type, { ...facts, extension: id });
    }
    for (const scheme of extension.schemes ?? []) schemes.set(scheme, extension.areLinked ?? false);
    if (isModernRevision(extension.since)) onlyModern.add(id);
    if (extension.listing) listing[id] = extension.listing;
    if (extension.idsEndWithProcess) endingIds.add(id);
    if (extension.idInMessage) messageIds.add(extension.idInMessage);
    if (extension.factsFor) factsChanges.set(id, extension.factsFor);
    registered.add(extension);
    ids.add(id);
  }
  return extensions ?? [];
}

function invalid(id: string, why: string): UsageError {
  return new UsageError('INVALID_OPTION', `extensions: ${JSON.stringify(id)} cannot be used: ${why}`);
}

/** The scheme of a URI that belongs to an extension of this process. */
export function schemeOfExtension(uri: string): string | undefined {
  const end = uri.indexOf('://');
  const scheme = uri.slice(0, Math.max(end, 0));
  return schemes.has(scheme) ? scheme : undefined;
}

/**
 * Whether the URI belongs to the tools that link to it. Servers parse URIs: they ignore case and white space in the scheme, and one that
 * serves several servers accepts `shop/ui://…` and `standpipe://shop/ui://…`. Therefore the scheme of each segment counts.
 */
export function isLinked(uri: string): boolean {
  for (const [, text = ''] of uri.matchAll(/(?:^|\/)([^/:]*):/g)) {
    if (schemes.get(text.replace(/[^a-z\d+.-]/gi, '').toLowerCase()) === true) return true;
  }
  return false;
}

/** The capabilities of a client that reads lists for all clients. */
export function listingCapabilities(own: ClientCapabilities = {}): ClientCapabilities {
  return { ...own, extensions: { ...listing, ...own.extensions } };
}

function isOfCore(type: unknown): boolean {
  return type === 'complete' || type === 'input_required';
}

export function idsEndWithProcess(extension: string | undefined): boolean {
  return extension !== undefined && endingIds.has(extension);
}

/** The facts about the type of a result, if it belongs to an extension of this process. */
export function typeOf(result: Result): KnownResultType | undefined {
  return resultTypes.get(result.resultType as string);
}

/** 2026-07-28: whether the result type is not one that MCP itself defines. */
export function isOfExtension(result: Result): boolean {
  const type = result?.resultType; // the result is not validated yet, so it may be undefined
  return type !== undefined && !isOfCore(type);
}

export function idInMessage(message: Params): NamedId | undefined {
  for (const read of messageIds) {
    const named = read(message);
    if (named) return named;
  }
  return undefined;
}

/** Whether the server or client declares something that no extension of this process handles. */
export function declaresUnknown({ extensions, experimental }: Pick<ServerCapabilities, Opaque>): boolean {
  return [extensions, experimental].some((each) => isObject(each) && Object.keys(each).some((id) => !ids.has(id)));
}

type Opaque = 'extensions' | 'experimental';

/** The settings of the extensions that a client or a server declares. Peers may declare anything. */
export function declaredExtensions({ extensions }: { extensions?: unknown }): Record<string, unknown> {
  return isObject(extensions) ? extensions : {};
}

/** The facts of several servers served as one, as this client gets them. */
export function factsFor(client: ClientFacts | undefined, facts: ServiceFacts): ServiceFacts {
  const changes = Object.keys(facts.capabilities.extensions ?? {}).map((id) => factsChanges.get(id)?.(client));
  return changes.reduce((changed, change) => change?.(changed) ?? changed, facts);
}

/** Removes the extensions that exist only since 2026-07-28 from the capabilities that a client declares to an older server. */
export function legacyExtensions<C extends { extensions?: Record<string, object> }>(capabilities: C): C {
  const { extensions, ...others } = capabilities;
  if (!isObject(extensions) || !Object.keys(extensions).some((id) => onlyModern.has(id))) return capabilities;
  const left = Object.entries(extensions).filter(([id]) => !onlyModern.has(id));
  return { ...others, ...(left.length > 0 && { extensions: Object.fromEntries(left) }) } as C;
}

/** The specification: "A resultType of any value unrecognized by the client MUST be considered invalid." */
export function mustBeKnown(result: Result, method: string, client: ClientFacts): Result {
  if (mayGet(client, method, result.resultType)) return result;
  throw unexpectedType(method, result.resultType);
}

/** A type of an extension that this process does not know is valid for a client that declares any extension. */
function mayGet({ capabilities, revision }: ClientFacts, method: string, type: unknown): boolean {
  if (!isModernRevision(revision) || isOfCore(type)) return false;
  const declared = declaredExtensions(capabilities);
  const known = resultTypes.get(type as string);
  if (!known) return typeof type === 'string' && Object.keys(declared).length > 0;
  return known.extension in declared && known.methods.includes(method);
}

/** Continues a call with the extension that its result belongs to. */
export function finishCall(
  result: Result,
  extensions: readonly Extension[] = [],
  call: UnfinishedCall,
): Result | Promise<Result> {
  const known = resultTypes.get(result.resultType as string);
  const extension = extensions.find(({ id }) => id === known?.extension);
  if (!extension?.client?.finish) throw unexpectedType(call.method, result.resultType);
  return extension.client.finish(result, call);
}

export function unexpectedType(method: string, type: unknown): PeerError {
  return new PeerError('RESULT_INVALID', `The server answered ${method} with the resultType ${JSON.stringify(type)}`, {
    hint:
      type === 'input_required'
        ? 'Only the MCP methods tools/call, prompts/get and resources/read may ask for input.'
        : 'It belongs to an extension that this client did not declare, or to a newer revision.',
  });
}

/**
 * The given extensions, and the defaults that they do not replace. A given extension replaces a default with the same
 * id only if it has this part.
 */
export function withDefaults(
  defaults: readonly Extension[],
  given: readonly Extension[] = [],
  part: keyof Extension = 'id',
): readonly Extension[] {
  return [...defaults.filter(({ id }) => !given.some((each) => each.id === id && each[part])), ...given];
}

/** The service of a client, with the layers of these extensions before it. */
export function layered(service: Service, extensions: readonly Extension[] = []): Service {
  return compose(service, ...extensions.flatMap(({ client }) => client?.layer ?? []));
}

/** The options of a client that declares these extensions. */
export function withExtensions<O extends ExtendedClient>(options: O): O {
  const parts = register(options.extensions).flatMap(({ id, client }) => (client ? [[id, client.settings ?? {}]] : []));
  if (parts.length === 0) return options;
  const { capabilities } = options;
  const extensions = { ...Object.fromEntries(parts), ...capabilities?.extensions };
  return { ...options, capabilities: { ...capabilities, extensions } };
}

interface ExtendedClient {
  readonly extensions?: readonly Extension[];
  readonly capabilities?: ClientCapabilities;
}

/** The service of a server with these extensions. */
export function extended(service: Service, extensions: readonly Extension[], own: DeclaredServer): Service {
  let outer = service;
  for (const { id, server } of extensions) {
    if (!server) continue;
    const { over, settings } = server;
    const inner = over ? overlay(outer, over(outer, own)) : outer;
    if (settings === false) outer = inner;
    else {
      const declared = declaring(id, settings);
      outer = overlay(inner, { describe: changedFacts(inner, () => declared) });
    }
  }
  return outer;
}

function declaring(id: string, settings: object = {}): FactsChange {
  return ({ capabilities, ...facts }) => {
    const extensions = { ...capabilities.extensions, [id]: settings };
    return { ...facts, capabilities: { ...capabilities, extensions } };
  };
}
