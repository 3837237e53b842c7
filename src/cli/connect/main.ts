// `standpipe connect <server>`: a stdio server that is a connection to a host. A separate entry point that loads only this,
// because a host waits for it.

import { writeSync } from 'node:fs';
import { StandpipeError, toError } from '../../base/errors.ts';
import { visibleIndented } from '../../base/terminal/visible.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { parseConnectArguments } from './connect-arguments.ts';
import { openConnection } from './open-connection.ts';
import { relay } from './relay.ts';

export async function connectMain(words: readonly string[]): Promise<void> {
  try {
    const given = parseConnectArguments(words);
    if (given.address) {
      const { broughtAddress } = await import('./brought-address.ts');
      given.use = { brought: broughtAddress(given.address, print) };
    }
    const socket = await openConnection(given, print);
    if ((await relay(socket)) === 'client') process.exit(ExitCode.done);
    print('the host has ended; requests that were not answered may have run. Start this server again to connect anew.');
    process.exit(ExitCode.server);
  } catch (thrown) {
    const error = toError(thrown);
    print(inWords(error));
    const { answerWithError } = await import('./answer-with-error.ts');
    await answerWithError(error);
    process.exit(exitCodeOf(error));
  }
}

/** The same format as cli/show-error.ts, which would take too long to load here. */
function inWords(error: Error): string {
  if (!(error instanceof StandpipeError)) return `error: ${error.stack}`;
  const message = `error: ${visibleIndented(error.message)}`;
  return error.hint ? `${message}\nhint: ${visibleIndented(error.hint)}` : message;
}

function print(text: string): void {
  try {
    writeSync(2, `standpipe connect: ${text}\n`);
  } catch {
    // stderr is not read, and there is no other place for it
  }
}
