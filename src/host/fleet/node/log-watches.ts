// Adds log messages to the subscriptions of nodes. A node subscribes once for all its clients, also those of revisions that watch log
// messages, which `subscriptions/listen` of 2026-07-28 does not offer.

import { isObject } from '../../../base/json-object.ts';
import { overlay } from '../../../mcp/layers/layer.ts';
import { isLogLevel } from '../../../mcp/meta.ts';
import { invalidParams } from '../../../mcp/protocol-errors.ts';
import type { ClientFacts, Service, Watcher } from '../../../mcp/service.ts';
import type { LogsFilter } from '../../../mcp/watchers.ts';
import { LOGS, type NodeFilter } from '../call-protocol.ts';

export class LogWatches {
  /** The service with the log messages that `want` has named. */
  readonly service: Service;
  /** By the description of the node in its request. */
  readonly #wanted = new WeakMap<ClientFacts, LogsFilter>();

  constructor(service: Service) {
    this.service = overlay(service, {
      watch: (watcher) => {
        const logs = watcher.client && this.#wanted.get(watcher.client);
        return logs ? watchWithLogs(service, watcher, logs) : service.watch(watcher);
      },
    });
  }

  /** Call this before the subscription begins. */
  want(client: ClientFacts, logs: LogsFilter): void {
    this.#wanted.set(client, logs);
  }
}

/** `chosen` needs a second watch: it sets the level of a server that has one for all clients. */
export async function watchWithLogs(
  service: Service,
  { filter, client, notified, ended }: Watcher,
  { level, chosen }: LogsFilter,
): Promise<() => void> {
  const stop = await service.watch({ filter: { ...filter, logs: level }, client, notified, ended });
  if (!chosen) return stop;
  try {
    const release = await service.watch({
      filter: { logs: chosen, choosesLogs: true },
      client,
      notified: () => undefined,
    });
    return () => {
      stop();
      release();
    };
  } catch (error) {
    stop();
    throw error;
  }
}

export function readLogs(filter: unknown): LogsFilter | undefined {
  const logs = isObject(filter) ? (filter as NodeFilter)[LOGS] : undefined;
  if (logs === undefined) return undefined;
  const { level, chosen } = isObject(logs) ? (logs as Partial<LogsFilter>) : {};
  if (isLogLevel(level) && (chosen === undefined || isLogLevel(chosen))) return { level, ...(chosen && { chosen }) };
  throw invalidParams(`"${LOGS}" needs "level", and may have "chosen": both are log levels`);
}
