// The watchers of a service, and which notification is for which of them.

import { toError } from '../base/errors.ts';
import { type LogsFilter, mostVerbose, reaches } from './meta.ts';
import type { Params, Watcher, WatchFilter } from './service.ts';
import type { LogLevel, ServerCapabilities, SubscriptionFilter } from './types.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';
export const listKinds: readonly ListKind[] = ['tools', 'resources', 'prompts'];

export const LOG_METHOD = 'notifications/message';
export const UPDATED_METHOD = 'notifications/resources/updated';
const listChanged = new Map(
  listKinds.map((kind) => [`notifications/${kind}/list_changed`, `${kind}ListChanged` as const]),
);
/** The notifications about changes. */
export const changeMethods: readonly string[] = [...listChanged.keys(), UPDATED_METHOD];
/** They belong to a request, and are handled with it. */
const ofRequests = new Set(['notifications/progress', 'notifications/cancelled']);

export class Watchers {
  readonly #all = new Set<Watcher>();
  readonly #report: (error: Error) => void;

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
  }

  /** False if it was removed before, or has ended. */
  delete(watcher: Watcher): boolean {
    return this.#all.delete(watcher);
  }

  /** What all watchers want, as the parameter of `subscriptions/listen`. */
  get filter(): SubscriptionFilter {
    const filter: SubscriptionFilter = {};
    const uris = new Set<string>();
    for (const { filter: wanted } of this.#all) {
      for (const key of listChanged.values()) if (wanted[key]) filter[key] = true;
      for (const uri of wanted.resourceSubscriptions ?? []) uris.add(uri);
    }
    if (uris.size > 0) filter.resourceSubscriptions = [...uris].sort();
    return filter;
  }

  /** The most verbose level that a watcher chose; undefined if none did. */
  get chosenLogLevel(): LogLevel | undefined {
    const levels: LogLevel[] = [];
    for (const { filter } of this.#all) if (filter.choosesLogs && filter.logs) levels.push(filter.logs);
    return mostVerbose(levels);
  }

  /** What all watchers want of log messages that belong to no request. */
  get logs(): LogsFilter | undefined {
    const levels: LogLevel[] = [];
    for (const { filter } of this.#all) if (filter.logs) levels.push(filter.logs);
    const level = mostVerbose(levels);
    const chosen = this.chosenLogLevel;
    return level && { level, ...(chosen && { chosen }) };
  }

  notify(method: string, params: Params | undefined): void {
    for (const watcher of [...this.#all]) {
      if (wants(watcher.filter, method, params)) this.#guard(() => watcher.notified(method, params));
    }
  }

  /** Everything that a filter names may have changed. */
  notifyAll(filter: SubscriptionFilter): void {
    for (const [method, key] of listChanged) if (filter[key]) this.notify(method, undefined);
    for (const uri of filter.resourceSubscriptions ?? []) this.notify(UPDATED_METHOD, { uri });
  }

  /** The connection is over. */
  endAll(): void {
    this.#end([...this.#all]);
  }

  /** The server sends no more updates of this resource. */
  endUpdates(uri: string): void {
    this.#end([...this.#all].filter(({ filter }) => filter.resourceSubscriptions?.includes(uri)));
  }

  /** The server sends no more notifications about changes. */
  endListening(): void {
    this.#end([...this.#all].filter(({ filter }) => isListening(filter)));
  }

  #end(watchers: readonly Watcher[]): void {
    for (const watcher of watchers) this.#all.delete(watcher);
    for (const watcher of watchers) this.#guard(() => watcher.ended?.());
  }

  /** A watcher that throws is reported and does not affect the others. */
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

/** Whether it wants notifications about changes. */
export function isListening(filter: WatchFilter): boolean {
  if (filter.resourceSubscriptions && filter.resourceSubscriptions.length > 0) return true;
  return listKinds.some((kind) => filter[`${kind}ListChanged`]);
}

function wants(filter: WatchFilter, method: string, params: Params | undefined): boolean {
  if (method === LOG_METHOD) return filter.logs !== undefined && reaches(params?.level, filter.logs);
  if (method === UPDATED_METHOD) {
    const uri = params?.uri;
    return (
      typeof uri === 'string' && filter.resourceSubscriptions?.some((subscribed) => isWithin(uri, subscribed)) === true
    );
  }
  const list = listChanged.get(method);
  if (list) return filter[list] === true;
  return filter.others === true && !ofRequests.has(method);
}

/** "The URI MAY be a sub-resource of the one that the client subscribed to." */
export function isWithin(uri: string, subscribed: string): boolean {
  if (!uri.startsWith(subscribed)) return false;
  return uri.length === subscribed.length || subscribed.endsWith('/') || '/?#'.includes(uri[subscribed.length]!);
}
