// A server that cannot be reached is tried again and again. Its state is reported when that begins and when it ends, not each time.

import type { StateChange } from '../../host/supervision/server-state.ts';

const whileAway = new Set(['unreachable', 'stopped', 'starting']);

/** Returns a function that is called with each change: whether it repeats what was reported before. */
export function repeatedFailures(): (change: StateChange) => boolean {
  const away = new Set<string>();
  return ({ server, owner, from, to }) => {
    const key = JSON.stringify([server, owner]);
    const isRepeated = away.has(key) && whileAway.has(to) && from !== 'stopping';
    if (to === 'unreachable') away.add(key);
    else if (!isRepeated) away.delete(key);
    return isRepeated;
  };
}
