// `standpipe tap [--record FILE] -- command …`: a tap as a program, and nothing else, since a host waits for it.

import { writeSync } from 'node:fs';
import { toError, UsageError } from '../base/errors.ts';
import { endLike } from './pass-signals.ts';
import { runTap } from './run-tap.ts';
import { parseTapArguments } from './tap-arguments.ts';

export async function tapMain(words: readonly string[]): Promise<void> {
  // A failure that nobody caught can only be an onlooker's: the traffic has its own handlers.
  process.on('uncaughtException', (error) => complain(`goes on after ${error.stack}`));
  try {
    const { framing: name, ...options } = parseTapArguments(words);
    const framing = name === undefined ? undefined : (await import('../framing/by-name.ts')).framingByName(name);
    endLike(await runTap({ ...options, framing }));
  } catch (thrown) {
    const error = toError(thrown);
    complain(error instanceof UsageError ? [error.message, error.hint].filter(Boolean).join('\n') : error.stack!);
    process.exit(2);
  }
}

/** To the descriptor: the stream of it is in other hands. */
function complain(problem: string): void {
  try {
    writeSync(2, `standpipe tap: ${problem}\n`);
  } catch {
    // Nobody reads our stderr, and there is no other place to say so.
  }
}
