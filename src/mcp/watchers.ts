// The watchers of a service, and the selection of watchers for each notification.

import { toError } from '../base/errors.ts';
import { mostVerbose, reaches } from './meta.ts';
import { type ListKind, listMethods, methodsOfMcp } from './methods.ts';
import type { Params, Watcher, WatchFilter } from './service.ts';
import type { LogLevel, ServerCapabilities, SubscriptionFilter } from './types.ts';
import { UriMap } from './uri-map.ts';

export const listKinds: readonly ListKind[] = [...new Set(Object.values(listMethods).map(({ kind }) => kind))];

export const LOG_METHOD = 'notifications/message';
export const UPDATED_METHOD = 'notifications/resources/updated';
/** The methods of notifications about changes. */
export const changeMethods: readonly string[] = [...methodsOfMcp].flatMap(([method, { filter, extension }]) =>
  filter && !extension ? [method] : [],
);
type ListFilter = `${ListKind}ListChanged`;
const listChanged = new Map(
  changeMethods
    .filter((method) => method !== UPDATED_METHOD)
    .map((method) => [method, methodsOfMcp.get(method)!.filter as ListFilter]),
);
export const listChangedMethods: readonly string[] = [...listChanged.keys()];

/** Log messages that are unrelated to a request. */
export interface LogsFilter {
  /** The least severe level that is wanted. */
  level: LogLevel;
  /** The most verbose level that clients chose. */
  chosen?: LogLevel | undefined;
}

export class Watchers {
  readonly #all = new Set<Watcher>();
  /** Watchers that want more than updates of resources. The others are numerous: clients create one for each subscription. */
  readonly #general = new Set<Watcher>();
  readonly #byUri = new UriMap<Set<Watcher>>();
  readonly #report: (error: Error) => void;

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  add(watcher: Watcher): void {
    const { filter } = watcher;
    this.#all.add(watcher);
    if (wantsMoreThanUpdates(filter)) this.#general.add(watcher);
    for (const uri of filter.resourceSubscriptions ?? []) {
      const known = this.#byUri.get(uri);
      if (known) known.add(watcher);
      else this.#byUri.set(uri, new Set([watcher]));
    }
  }

  /** Returns false if the watcher was removed before or has ended. */
  delete(watcher: Watcher): boolean {
    if (!this.#all.delete(watcher)) return false;
    this.#general.delete(watcher);
    for (const uri of watcher.filter.resourceSubscriptions ?? []) {
      const known = this.#byUri.get(uri);
      known?.delete(watcher);
      if (known?.size === 0) this.#byUri.delete(uri);
    }
    return true;
  }

  /** The notifications that at least one watcher wants, as the parameter of `subscriptions/listen`. */
  get filter(): SubscriptionFilter {
    const filter: SubscriptionFilter = {};
    for (const { filter: wanted } of this.#general) {
      for (const key of listChanged.values()) if (wanted[key]) filter[key] = true;
    }
    if (this.#byUri.size > 0) filter.resourceSubscriptions = [...this.#byUri.keys()].sort();
    return filter;
  }

  /** The most verbose level that a watcher chose; undefined if none did. */
  get chosenLogLevel(): LogLevel | undefined {
    const levels: LogLevel[] = [];
    for (const { filter } of this.#general) if (filter.choosesLogs && filter.logs) levels.push(filter.logs);
    return mostVerbose(levels);
  }

  /** The log messages unrelated to a request that at least one watcher wants. */
  get logs(): LogsFilter | undefined {
    const levels: LogLevel[] = [];
    for (const { filter } of this.#general) if (filter.logs) levels.push(filter.logs);
    const level = mostVerbose(levels);
    const chosen = this.chosenLogLevel;
    return level && { level, ...(chosen && { chosen }) };
  }

  /** `mayGet` excludes watchers that the notification is not meant for, although their filter includes it. */
  notify(method: string, params: Params | undefined, mayGet: (watcher: Watcher) => boolean = () => true): void {
    const wanting =
      method === UPDATED_METHOD
        ? this.#watchersOf(params?.uri)
        : [...this.#general].filter(({ filter }) => wants(filter, method, params));
    for (const watcher of wanting) if (mayGet(watcher)) this.#guard(() => watcher.notified(method, params));
  }

  /** Notifies about everything in the filter, because it may have changed. */
  notifyAll(filter: SubscriptionFilter): void {
    for (const [method, key] of listChanged) if (filter[key]) this.notify(method, undefined);
    for (const uri of filter.resourceSubscriptions ?? []) this.notify(UPDATED_METHOD, { uri });
  }

  /** Call this when the connection has ended. */
  endAll(): void {
    this.#end([...this.#all]);
  }

  /** Call this when the server sends no more updates of this resource. */
  endUpdates(uri: string): void {
    this.#end([...(this.#byUri.get(uri) ?? [])]);
  }

  /** Call this when the server sends no more notifications about changes. */
  endListening(): void {
    this.#end([...this.#all].filter(({ filter }) => isListening(filter)));
  }

  /** Returns each watcher once, even if it watches both a resource and a part of it. */
  #watchersOf(uri: unknown): Iterable<Watcher> {
    const found = new Set<Watcher>();
    if (typeof uri !== 'string') return found;
    for (const [, watchers] of this.#byUri.containing(uri)) for (const watcher of watchers) found.add(watcher);
    return found;
  }

  #end(watchers: readonly Watcher[]): void {
    for (const watcher of watchers) this.delete(watcher);
    for (const watcher of watchers) this.#guard(() => watcher.ended?.());
  }

  /** An error of a watcher is reported and does not affect the others. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#report(toError(error));
    }
  }
}

/** The lists whose changes a service with these capabilities announces. */
export function announcedLists(capabilities: ServerCapabilities): SubscriptionFilter {
  const filter: SubscriptionFilter = {};
  for (const kind of listKinds) if (capabilities[kind]?.listChanged === true) filter[`${kind}ListChanged`] = true;
  return filter;
}

/** Whether the filter includes notifications about changes. */
export function isListening(filter: WatchFilter): boolean {
  if (filter.resourceSubscriptions && filter.resourceSubscriptions.length > 0) return true;
  return listKinds.some((kind) => filter[`${kind}ListChanged`]);
}

/** Whether only a running server can confirm which of the notifications it will send. */
export function needsServer(filter: WatchFilter): boolean {
  return (filter.resourceSubscriptions?.length ?? 0) > 0 || filter.further !== undefined;
}

/** Whether the filter includes log messages, changed lists, or notifications that MCP does not define. */
export function wantsMoreThanUpdates(filter: WatchFilter): boolean {
  return filter.logs !== undefined || filter.others === true || listKinds.some((kind) => filter[`${kind}ListChanged`]);
}

function wants(filter: WatchFilter, method: string, params: Params | undefined): boolean {
  if (method === LOG_METHOD) return filter.logs !== undefined && reaches(params?.level, filter.logs);
  const list = listChanged.get(method);
  if (list) return filter[list] === true;
  return filter.others === true && !methodsOfMcp.get(method)?.isOfRequest;
}
