// A call that asks its client is parked in the instance that runs it. The `requestState` that resumes it names that instance, so that
// the request with the answers is sent there, by whatever node.

const PREFIX = 'fleet:';

export interface ParkedState {
  /** The id of the instance. */
  instance: string;
  /** As the instance made it. */
  state: string;
}

export function parkedAt(instance: string, state: string): string {
  return `${PREFIX}${instance}:${state}`;
}

/** Undefined: it was not made here. */
export function readParked(state: unknown): ParkedState | undefined {
  if (typeof state !== 'string' || !state.startsWith(PREFIX)) return undefined;
  const end = state.indexOf(':', PREFIX.length);
  if (end < 0) return undefined;
  return { instance: state.slice(PREFIX.length, end), state: state.slice(end + 1) };
}
