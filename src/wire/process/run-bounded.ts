// Runs code with a time limit if foreign data can make it slow, such as validation against a server's schema, whose patterns can take years
// for a short text.

import { createContext, Script } from 'node:vm';

const MOST_MS = 1_000;
const script = new Script('run()');
const context = createContext({});

export class TakesTooLong extends Error {}

/** Returns or throws the outcome of `run`. Throws TakesTooLong after one second; `run` is then terminated. */
export function runBounded<T>(run: () => T): T {
  context.run = run;
  try {
    return script.runInContext(context, { timeout: MOST_MS }) as T;
  } catch (error) {
    // The error belongs to the other context, so `instanceof` does not work.
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TakesTooLong(`it takes longer than ${MOST_MS / 1000} s`);
  } finally {
    context.run = undefined;
  }
}
