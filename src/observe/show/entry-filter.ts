// Selects entries by the filters of the Wire.

import { isFailure } from '../analysis/exchange.ts';
import { type EventFilter, groupOf, isTroubleIn } from '../analysis/wire-filter.ts';
import { type FlowEvent, type FrameEvent, isOfClient, partsOf } from '../flow/event.ts';
import type { Entry, ExchangeEntry } from './entries.ts';
import { textMatcher } from './text-matcher.ts';

export interface EntryFilter extends EventFilter {
  /** Selects requests for this tool, prompt or resource. */
  target: string;
}

export const everyEntry: EntryFilter = {
  ...{ server: '', client: '', method: '', target: '', text: '' },
  ...{ errorsOnly: false, slowerThanMs: 0 },
};

/** Returns the test of the filter. `messagesOf` returns the messages of an entry, in which text is searched. */
export function entryTest(
  filter: EntryFilter,
  messagesOf: (entry: Entry) => readonly FrameEvent[],
): (entry: Entry) => boolean {
  const { server, client, method, target, errorsOnly, slowerThanMs } = filter;
  const text = filter.text.trim();
  const hasText = textMatcher(text);
  const concernsRequests = method !== '' || target !== '' || slowerThanMs > 0;
  return (entry) => {
    if (concernsRequests && !isRequestOf(entry, filter)) return false;
    if (server !== '' && serverOf(entry) !== server) return false;
    if (client !== '' && clientOf(entry) !== client) return false;
    if (errorsOnly && !isTrouble(entry)) return false;
    return text === '' || namesOf(entry).some(hasText) || textsOf(entry, messagesOf).some(hasText);
  };
}

function isRequestOf(entry: Entry, { method, target, slowerThanMs }: EntryFilter): boolean {
  if (entry.type === 'message') return slowerThanMs === 0 && target === '' && entry.message?.method === method;
  if (entry.type === 'line') return false;
  const { exchange } = entry;
  if (method !== '' && exchange.method !== method) return false;
  if (target !== '' && entry.target !== target) return false;
  return slowerThanMs === 0 || (durationMs(entry) ?? 0) >= slowerThanMs;
}

/** Undefined while the request is pending. */
export function durationMs({ exchange: { startMs, endMs } }: ExchangeEntry): number | undefined {
  return endMs === undefined ? undefined : endMs - startMs;
}

/** The server, or undefined for an entry between a client and the host. */
export function serverOf(entry: Entry): string | undefined {
  if (entry.type !== 'exchange') return isOfClient(entry.event) ? undefined : entry.event.server;
  const { direction, server } = entry.exchange;
  return direction === 'fromClient' || direction === 'toClient' ? undefined : server;
}

/** The client that sent the request, or on whose behalf it was sent. */
export function clientOf(entry: Entry): string | undefined {
  if (entry.type !== 'exchange') return isOfClient(entry.event) ? entry.event.server : undefined;
  const { server, causes } = entry.exchange;
  return serverOf(entry) === undefined ? server : causes?.[0]?.server;
}

/** Whether the entry shows a failure. */
export function isTrouble(entry: Entry): boolean {
  if (entry.type === 'exchange') return isFailure(entry.exchange);
  if (entry.type === 'message')
    return isTroubleIn(groupOf('frame', entry.message?.kind), entry.message?.error !== undefined);
  return isTroubleIn(groupOf(entry.event.kind, entry.kind === 'stdout' ? 'noise' : undefined), hasFailed(entry.event));
}

function hasFailed(event: FlowEvent): boolean {
  switch (event.kind) {
    case 'exit':
      return event.exitCode !== 0;
    case 'state':
      return event.to === 'failed' || event.to === 'unreachable';
    case 'remote':
      return event.state === 'disconnected' && event.reason !== undefined;
    case 'http':
      return true; // only failures are lines
    default:
      return false;
  }
}

function namesOf(entry: Entry): string[] {
  const names = [serverOf(entry), clientOf(entry)];
  if (entry.type === 'line') names.push(entry.text);
  else if (entry.type === 'message') names.push(entry.message?.method);
  else names.push(entry.exchange.method, entry.target, entry.exchange.error?.message);
  return names.filter((name) => name !== undefined);
}

function textsOf(entry: Entry, messagesOf: (entry: Entry) => readonly FrameEvent[]): (Uint8Array | string)[] {
  if (entry.type === 'line') return [];
  return messagesOf(entry).flatMap((frame) => partsOf(frame));
}
