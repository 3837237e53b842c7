// Calls that were made from the page, newest first: the running ones and what became of the others.

import type { CallRequest, CallUpdate } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { Cell } from './cell.ts';

const MAX_CALLS = 200;

export const calls = new Cell<readonly CallUpdate[]>([]);

export function putCall(call: CallUpdate): void {
  calls.update((known) => {
    const at = known.findIndex(({ id }) => id === call.id);
    if (at < 0) return [call, ...known].slice(0, MAX_CALLS);
    // Updates may carry only what is new; and what was asked is known better here, where no secret was replaced in it.
    return known.with(at, { ...known[at]!, ...call, request: known[at]!.request });
  });
}

export async function loadCalls(): Promise<void> {
  const known = await api.calls();
  calls.set([...known].sort((a, b) => b.startedAtMs - a.startedAtMs));
}

export async function startCall(server: string, request: CallRequest): Promise<string> {
  const { id } = await api.call(server, request);
  // Its first update may have come before the answer, with secrets replaced in what was asked.
  const isKnown = calls.read().some((call) => call.id === id);
  if (isKnown) calls.update((known) => known.map((call) => (call.id === id ? { ...call, request } : call)));
  else putCall({ id, server, request, startedAtMs: newestStart(), state: 'running' });
  return id;
}

function newestStart(): number {
  return Math.max(0, ...calls.read().map(({ startedAtMs }) => startedAtMs));
}

export function subjectOf(request: CallRequest): string {
  return request.kind === 'resource' ? request.uri : request.name;
}
