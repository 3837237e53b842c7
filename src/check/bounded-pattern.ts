// Patterns of schemas that a server under test wrote: some take hours for a short text. Each test of a text is cut off in time, and then
// counts as a match: the pattern cannot be judged.

import { createContext, Script } from 'node:vm';

const PATTERN_MS = 250;
const script = new Script('pattern.test(text)');

/** For `regExp` of compileJsonSchema. Throws for a pattern that is not a regular expression. */
export function boundedPattern(source: string, flags: string): { test(text: string): boolean } {
  const pattern = new RegExp(source, flags);
  return {
    test(text) {
      try {
        return script.runInContext(createContext({ pattern, text }), { timeout: PATTERN_MS }) as boolean;
      } catch {
        return true;
      }
    },
  };
}
