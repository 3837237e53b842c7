// Calls made from the page, running and finished, newest first.

import type { CallRequest, CallUpdate } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { Cell } from './cell.ts';

const MAX_CALLS = 200;

export const calls = new Cell<readonly CallUpdate[]>([]);

export function putCall(call: CallUpdate): void {
  calls.update((known) => {
    const at = known.findIndex(({ id }) => id === call.id);
    if (at < 0) return [call, ...known].slice(0, MAX_CALLS);
    // An update may be partial. The request is kept from here, because secrets are replaced in updates.
    return known.with(at, { ...known[at]!, ...call, request: known[at]!.request });
  });
}

export async function loadCalls(): Promise<void> {
  const known = await api.calls();
  calls.set([...known].sort((a, b) => b.startedAtMs - a.startedAtMs));
}

export async function startCall(server: string, request: CallRequest): Promise<string> {
  const { id } = await api.call(server, request);
  // The first update may arrive before this response, with secrets replaced in the request.
  const isKnown = calls.read().some((call) => call.id === id);
  if (isKnown) calls.update((known) => known.map((call) => (call.id === id ? { ...call, request } : call)));
  else putCall({ id, server, request, startedAtMs: newestStart(), state: 'running' });
  return id;
}

function newestStart(): number {
  return Math.max(0, ...calls.read().map(({ startedAtMs }) => startedAtMs));
}

export function subjectOf(request: CallRequest): string {
  if (request.kind === 'resource') return request.uri;
  return request.kind === 'request' ? request.method : request.name;
}
