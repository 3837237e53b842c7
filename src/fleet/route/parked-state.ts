// A call that asks its client is parked in the instance that runs it. The `requestState` that resumes it names that instance, so that
// the request with the answers is sent there, by whatever node.

import { isParkedElsewhere, PARKED } from '../../mcp/meta.ts';

export interface ParkedState {
  /** The id of the instance. */
  instance: string;
  /** As the instance made it. */
  state: string;
}

export function parkedAt(instance: string, state: string): string {
  return `${PARKED}${instance}:${state}`;
}

/** Undefined: it was not made here. */
export function readParked(state: unknown): ParkedState | undefined {
  if (!isParkedElsewhere(state)) return undefined;
  const end = state.indexOf(':', PARKED.length);
  if (end < 0) return undefined;
  return { instance: state.slice(PARKED.length, end), state: state.slice(end + 1) };
}
