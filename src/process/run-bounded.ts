// Runs code that data of others can make slow, and cuts it off: validation by a schema of a server, whose patterns can take years for
// a short text.

import { createContext, Script } from 'node:vm';

const MOST_MS = 1_000;
const script = new Script('run()');
const context = createContext({});

export class TakesTooLong extends Error {}

/** What `run` returns or throws. Throws TakesTooLong after a second: nothing of it goes on then. */
export function runBounded<T>(run: () => T): T {
  context.run = run;
  try {
    return script.runInContext(context, { timeout: MOST_MS }) as T;
  } catch (error) {
    // An error of the other context.
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TakesTooLong(`it takes longer than ${MOST_MS / 1000} s`);
  } finally {
    context.run = undefined;
  }
}
