// An extension of MCP (`capabilities.extensions`): its methods, its result types, and its parts for a client, a server and
// a host. Code outside the folder of an extension must not know it by name. Messages of extensions that are not registered
// in this process pass through unchanged.

import { PeerError, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { handle, readHandle } from '../handles.ts';
import { compose, overlay, type ServiceLayer } from '../layers/layer.ts';
import { addMethod, type MethodFacts, methodsOfMcp } from '../methods.ts';
import { isModernRevision } from '../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts } from '../service.ts';
import type { ClientCapabilities, ServerCapabilities } from '../types.ts';

export interface Extension {
  /** The key in `capabilities.extensions`: a prefix, a slash and a name, such as `com.example/parcels`. */
  readonly id: string;
  /** The rows of its methods and notifications in the table of methods. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /** 2026-07-28: the values of `resultType` that it adds. */
  readonly resultTypes?: Readonly<Record<string, ResultTypeFacts>>;
  /** Client-side implementation. Without it, a client does not declare the extension. */
  readonly client?: ClientPart;
  /** The part of a declared server. Without it, a server does not declare the extension. */
  readonly server?: ServerPart;
  /** Replaces members of the service of each server that a host runs, before its processes are chosen. */
  readonly host?: (service: Service, server: HostedServer) => Partial<Service>;
}

/** Only clients send requests: 2026-07-28 has no requests from servers. */
export type ExtensionMethod = Pick<
  MethodFacts,
  'from' | 'isNotification' | 'since' | 'until' | 'target' | 'repeat' | 'asks' | 'filter'
>;

export interface ResultTypeFacts {
  /** The methods whose results may have this type. */
  readonly methods: readonly string[];
  /** The member with an id that the server assigned, which a later request returns as its target. */
  readonly id?: string;
}

export interface ClientPart {
  /** The value in `capabilities.extensions`. Default: `{}`. */
  readonly settings?: object;
  /** Changes requests of the client. */
  readonly layer?: ServiceLayer;
  /** Continues a call whose result has one of the `resultTypes`, until it has a complete result. */
  readonly finish?: (result: Result, call: UnfinishedCall) => Result | Promise<Result>;
}

export interface UnfinishedCall {
  readonly method: string;
  readonly params: Params;
  /** Also the caller of the requests that continue the call: it has the signal, the timeouts and the handlers. */
  readonly caller: Caller;
  readonly service: Service;
}

export interface ServerPart {
  /** The value in `capabilities.extensions`. Default: `{}`. */
  readonly settings?: object;
  /** Replaces members of the service of the declared handlers. */
  readonly over?: (service: Service) => Partial<Service>;
}

export interface HostedServer {
  /** The current entry of the server in the config. */
  readonly config: { readonly name: string };
}

interface KnownResultType extends ResultTypeFacts {
  readonly extension: string;
}

const resultTypes = new Map<string, KnownResultType>();
const registered = new WeakSet<Extension>();
const ids = new Set<string>();

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
    registered.add(extension);
    ids.add(id);
  }
  return extensions ?? [];
}

function invalid(id: string, why: string): UsageError {
  return new UsageError('INVALID_OPTION', `extensions: ${JSON.stringify(id)} cannot be used: ${why}`);
}

function isOfCore(type: unknown): boolean {
  return type === 'complete' || type === 'input_required';
}

/** 2026-07-28: whether the result is of a type that MCP itself does not have. */
export function isOfExtension(result: Result): boolean {
  const type = result?.resultType; // not validated yet, so it may be undefined
  return type !== undefined && !isOfCore(type);
}

/**
 * Replaces an id that a server assigned by a handle, with which a later request finds that server. `given` is a result
 * of the method, or the parameters of a notification.
 */
export function withHandle<T extends Params | undefined>(owner: string, method: string, given: T): T {
  const member = given && isOfExtension(given) ? resultTypes.get(given.resultType as string)?.id : idParameter(method);
  const id = member === undefined ? undefined : given?.[member];
  return typeof id === 'string' ? { ...given, [member!]: handle(owner, id) } : given;
}

/** The parameter of a method of an extension that holds an id which a server assigned. */
export function idParameter(method: string): string | undefined {
  const facts = methodsOfMcp.get(method);
  return facts?.extension === undefined ? undefined : facts.target?.parameter;
}

type Members = Readonly<Record<string, unknown>>;

/** Members of a filter of `subscriptions/listen` with the ids that this owner assigned; undefined if there are none. */
export function idsAt(owner: string, filter: Members): Members | undefined {
  return changedIds(filter, (id) => {
    const known = readHandle(id);
    return known?.owner === owner ? known.id : undefined;
  });
}

/** Members of a filter with ids that this owner assigned, as handles. */
export function idsOf(owner: string, filter: Members): Members | undefined {
  return changedIds(filter, (id) => (typeof id === 'string' ? handle(owner, id) : undefined));
}

/** Whether MCP or an extension of this process defines the member of a filter, and whether it holds ids. */
export function filterFacts(member: string): { extension: string | undefined; hasIds: boolean } | undefined {
  for (const { filter, extension, target } of methodsOfMcp.values()) {
    if (filter === member) return { extension, hasIds: extension !== undefined && target !== undefined };
  }
  return undefined;
}

function changedIds(filter: Members, change: (id: unknown) => string | undefined): Members | undefined {
  const changed = Object.entries(filter).flatMap(([member, value]) => {
    const ids = filterFacts(member)?.hasIds && Array.isArray(value) ? value.flatMap((id) => change(id) ?? []) : [];
    return ids.length > 0 ? [[member, ids]] : [];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Whether the server or client declares something that no extension of this process handles. */
export function declaresUnknown({ extensions, experimental }: Pick<ServerCapabilities, Opaque>): boolean {
  return [extensions, experimental].some((each) => Object.keys(each ?? {}).some((id) => !ids.has(id)));
}

type Opaque = 'extensions' | 'experimental';

/** The settings of the extensions that a client or a server declares. Peers may declare anything. */
export function declaredExtensions({ extensions }: { extensions?: unknown }): Record<string, unknown> {
  return isObject(extensions) ? extensions : {};
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
        ? 'Of the methods of MCP, only tools/call, prompts/get and resources/read may ask for input.'
        : 'It belongs to an extension that this client did not declare, or to a newer revision.',
  });
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
export function extended(service: Service, extensions: readonly Extension[]): Service {
  let outer = service;
  for (const { id, server } of extensions) {
    if (!server) continue;
    const inner = server.over ? overlay(outer, server.over(outer)) : outer;
    outer = overlay(inner, { describe: declaring(inner, id, server.settings) });
  }
  return outer;
}

/** Facts are compared by identity and read on every request, so they are copied only when they change. */
function declaring(service: Service, id: string, settings: object = {}): Service['describe'] {
  let last: { facts: ServiceFacts; extended: ServiceFacts } | undefined;
  const extend = (facts: ServiceFacts): ServiceFacts => {
    if (last?.facts === facts) return last.extended;
    const { capabilities } = facts;
    const extensions = { ...capabilities.extensions, [id]: settings };
    last = { facts, extended: { ...facts, capabilities: { ...capabilities, extensions } } };
    return last.extended;
  };
  return (client) => {
    const facts = service.describe(client);
    return facts instanceof Promise ? facts.then(extend) : extend(facts);
  };
}
