// A table of every method of MCP with its properties. This is the only list of methods: code that treats methods
// differently reads it. Extensions add their methods to it.

import type { Revision } from './revisions.ts';

export interface MethodFacts {
  readonly from: 'client' | 'server' | 'both';
  readonly isNotification?: true;
  /** The first revision that has the method, if not the oldest. */
  readonly since?: Revision;
  /** The last revision that has the method, if not the newest. */
  readonly until?: Revision;
  /** The capability that the receiver must have declared. */
  readonly capability?: string;
  /** The method concerns the connection or the session: the client adapter answers it, and it never reaches a service. */
  readonly isOfConnection?: true;
  /** The entry that the method uses, and the parameter that names it. Over HTTP, `Mcp-Name` repeats that parameter. */
  readonly target?: MethodTarget;
  readonly list?: ListFacts;
  /** Whether the request may be sent again if its outcome is unknown: always, or if the annotations of the tool allow it. */
  readonly repeat?: 'always' | 'annotation';
  /** Whether the handler may ask the user a question. In 2026-07-28 the result may be such a question. */
  readonly asks?: true;
  /** 2026-07-28: the result has cache hints. */
  readonly isCacheable?: true;
  /** A member that every result has. */
  readonly resultMember?: string;
  /** Whether the request is answered at once, even while others run. */
  readonly isUrgent?: true;
  /** Whether the notification belongs to one request and is handled with that request. */
  readonly isOfRequest?: true;
  /** The method opens a connection. */
  readonly isHandshake?: true;
  /** 2026-07-28: the member of the filter of `subscriptions/listen` that requests this notification. */
  readonly filter?: string;
  /** The id of the extension that defines the method. */
  readonly extension?: string;
  /** For several servers served as one server: the result has the entries of all servers in `member`, each with a name in `nameKey`. */
  readonly merges?: { readonly member: string; readonly nameKey: string };
  /** Replaces the URIs in the result of one server, if several servers are served as one. */
  readonly withUris?: Rewriting;
  /**
   * Replaces the ids of the server in the result, the notification, or a question that the request causes, if several servers are served
   * as one. Default: the parameter of the target.
   */
  readonly withIds?: Rewriting;
}

export type Rewriting = (given: Record<string, unknown>, rewrite: (text: string) => string) => Record<string, unknown>;

/**
 * Without a list, the parameter is an id that the server assigned (see handles.ts). `isNotInHeader`: over HTTP, `Mcp-Name` does not repeat
 * the parameter.
 */
type MethodTarget =
  | { readonly list: 'tools' | 'prompts'; readonly parameter: 'name' }
  | { readonly list: 'resources'; readonly parameter: 'uri'; readonly isNotInHeader?: true }
  | { readonly list?: undefined; readonly parameter: string };

export interface ListFacts {
  /** The member of the result that holds the entries. */
  readonly member: ListName;
  /** The member of an entry that holds its name. */
  readonly nameKey: string;
  /** The capability of the list, which also announces its changes. */
  readonly kind: ListKind;
  /** The name of one entry, for messages. */
  readonly what: string;
}

export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
export type ListKind = 'tools' | 'resources' | 'prompts';

const LAST_LEGACY: Revision = '2025-11-25';
const FIRST_MODERN: Revision = '2026-07-28';

/** The facts of a method that lists: its result member holds the entries, and its capability is the kind. */
const listing = (kind: ListKind, member: ListName, nameKey: string, what: string): MethodFacts => ({
  from: 'client',
  repeat: 'always',
  isCacheable: true,
  capability: kind,
  resultMember: member,
  list: { member, nameKey, kind, what },
});
const ofSession = { from: 'client', isOfConnection: true, until: LAST_LEGACY } as const;
const fromServer = { from: 'server', isNotification: true } as const;
const ofRequest = { from: 'both', isNotification: true, isOfRequest: true } as const;

const table = {
  initialize: { ...ofSession, isHandshake: true, resultMember: 'protocolVersion' },
  ping: { from: 'both', isOfConnection: true, isUrgent: true, until: LAST_LEGACY },
  'server/discover': {
    from: 'client',
    isOfConnection: true,
    isHandshake: true,
    since: FIRST_MODERN,
    repeat: 'always',
    isCacheable: true,
    resultMember: 'supportedVersions',
  },
  // An open subscription must not occupy the slot of a request that does work.
  'subscriptions/listen': { from: 'client', isOfConnection: true, isUrgent: true, since: FIRST_MODERN },
  'logging/setLevel': { ...ofSession, capability: 'logging' },
  'resources/subscribe': { ...ofSession, capability: 'resources' },
  'resources/unsubscribe': { ...ofSession, capability: 'resources' },

  'tools/list': listing('tools', 'tools', 'name', 'tool'),
  'tools/call': {
    from: 'client',
    capability: 'tools',
    target: { list: 'tools', parameter: 'name' },
    repeat: 'annotation',
    asks: true,
    resultMember: 'content',
  },
  'resources/list': listing('resources', 'resources', 'uri', 'resource'),
  'resources/templates/list': listing('resources', 'resourceTemplates', 'uriTemplate', 'resource template'),
  'resources/read': {
    from: 'client',
    capability: 'resources',
    target: { list: 'resources', parameter: 'uri' },
    repeat: 'always',
    asks: true,
    isCacheable: true,
    resultMember: 'contents',
  },
  'prompts/list': listing('prompts', 'prompts', 'name', 'prompt'),
  'prompts/get': {
    from: 'client',
    capability: 'prompts',
    target: { list: 'prompts', parameter: 'name' },
    repeat: 'always',
    asks: true,
    resultMember: 'messages',
  },
  'completion/complete': { from: 'client', capability: 'completions', repeat: 'always', resultMember: 'completion' },

  'elicitation/create': {
    from: 'server',
    since: '2025-06-18',
    capability: 'elicitation',
    resultMember: 'action',
  },
  'sampling/createMessage': { from: 'server', capability: 'sampling', resultMember: 'content' },
  'roots/list': { from: 'server', capability: 'roots', resultMember: 'roots' },

  'notifications/initialized': {
    from: 'client',
    isNotification: true,
    isOfConnection: true,
    isHandshake: true,
    until: LAST_LEGACY,
  },
  'notifications/roots/list_changed': { from: 'client', isNotification: true, until: LAST_LEGACY, capability: 'roots' },
  'notifications/cancelled': ofRequest,
  'notifications/progress': ofRequest,
  'notifications/message': { ...fromServer, capability: 'logging' },
  'notifications/tools/list_changed': { ...fromServer, capability: 'tools', filter: 'toolsListChanged' },
  'notifications/resources/list_changed': { ...fromServer, capability: 'resources', filter: 'resourcesListChanged' },
  'notifications/prompts/list_changed': { ...fromServer, capability: 'prompts', filter: 'promptsListChanged' },
  'notifications/resources/updated': { ...fromServer, capability: 'resources', filter: 'resourceSubscriptions' },
  'notifications/elicitation/complete': {
    ...fromServer,
    since: LAST_LEGACY,
    until: LAST_LEGACY,
    capability: 'elicitation',
  },
  'notifications/subscriptions/acknowledged': { ...fromServer, since: FIRST_MODERN },
} as const satisfies Record<string, MethodFacts>;

const methods = new Map<string, MethodFacts>(Object.entries(table));
/** The methods of MCP, and of the extensions that this process uses. */
export const methodsOfMcp: ReadonlyMap<string, MethodFacts> = methods;

/** Adds a method of an extension. Facts about a method apply to the whole process. */
export function addMethod(method: string, facts: MethodFacts): void {
  methods.set(method, facts);
}

/** Over HTTP: the parameter that `Mcp-Name` repeats. */
export function nameInHeader(method: string): string | undefined {
  const target = methodsOfMcp.get(method)?.target;
  return target?.list === 'resources' && target.isNotInHeader ? undefined : target?.parameter;
}

/** Whether a revision has the method. A method that MCP does not define may exist in any revision. */
export function isIn(method: string, revision: Revision): boolean {
  const facts = methodsOfMcp.get(method);
  if (!facts) return true;
  return (
    (facts.since === undefined || facts.since <= revision) && (facts.until === undefined || revision <= facts.until)
  );
}

/** Whether MCP itself defines the method: not an extension, known or unknown. */
export function isOfMcp(method: string): boolean {
  const facts = methodsOfMcp.get(method);
  return facts !== undefined && facts.extension === undefined;
}

/** Returns true for client requests that a service answers, as opposed to those of the connection itself. */
export function isOfService(method: string): boolean {
  const facts = methodsOfMcp.get(method);
  return facts?.from === 'client' && !facts.isNotification && !facts.isOfConnection;
}

/** The method that reads each list. */
export const listMethods = Object.fromEntries(
  [...methodsOfMcp].flatMap(([method, { list }]) => (list ? [[list.member, { method, ...list }]] : [])),
) as Readonly<Record<ListName, ListFacts & { readonly method: string }>>;

/** The requests that a server may send to its client. */
export const questionMethods: readonly string[] = [...methodsOfMcp].flatMap(([method, { from, isNotification }]) =>
  from === 'server' && !isNotification ? [method] : [],
);

/** Whether a request may cause questions. A method that MCP does not define may. */
export function mayAsk(method: string): boolean {
  const facts = methodsOfMcp.get(method);
  return !facts || facts.asks === true;
}
