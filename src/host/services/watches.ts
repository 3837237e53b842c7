// The active subscriptions of a service of the host, and the notifications that the host itself sends to them. An exception of a
// watcher is reported and affects neither the other watchers nor the host.

import { toError } from '../../base/errors.ts';
import type { Params, Watcher } from '../../mcp/service.ts';
import { listKinds, UPDATED_METHOD } from '../../mcp/watchers.ts';

export function notifyWatcher(watcher: Watcher, method: string, params?: Params): void {
  try {
    watcher.notified(method, params);
  } catch (error) {
    process.emitWarning(`A watcher of ${method} failed: ${toError(error).message}`);
  }
}

/** Notifies the watcher of all its lists and resources, because changes between two processes are unknown. */
export function notifyOfAll(watcher: Watcher): void {
  notifyOfLists(watcher);
  for (const uri of watcher.filter.resourceSubscriptions ?? []) notifyWatcher(watcher, UPDATED_METHOD, { uri });
}

export function notifyOfLists(watcher: Watcher): void {
  for (const kind of listKinds) {
    if (watcher.filter[`${kind}ListChanged`]) notifyWatcher(watcher, `notifications/${kind}/list_changed`);
  }
}

/** Keeps a watch in `open` until it is stopped. Resolves, once it has begun, to a function that stops it. */
export async function keepWatch<W extends { stop(): void }>(
  open: Set<W>,
  watch: W,
  begin: () => Promise<unknown>,
): Promise<() => void> {
  const stop = () => {
    open.delete(watch);
    watch.stop();
  };
  open.add(watch);
  try {
    await begin();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
