// `standpipe tap [--record FILE] -- command …`, or `--url URL`. A separate entry point that loads only the tap, because a host waits for it.

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { StandpipeError, toError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { endLike } from './pass-signals.ts';
import { runTap } from './run-tap.ts';
import { parseTapArguments, type TapArguments } from './tap-arguments.ts';

const AT_A_TERMINAL = `standpipe tap: the server was started. Messages for it are read from this terminal; Ctrl-D ends the input.
A tap is meant to be started by a host: \`${ownCommand} tap install <host>\` adds it to the config of one.`;

export async function tapMain(words: readonly string[]): Promise<void> {
  // An uncaught error can only come from the recorder or the viewers: the traffic has its own handlers.
  process.on('uncaughtException', (error) => print(`standpipe tap: continues after ${error.stack}`));
  try {
    const given = parseTapArguments(words);
    if (given.url !== undefined) return await tapAddress(given);
    const { framing: name, ...options } = given;
    if (isatty(0)) print(AT_A_TERMINAL);
    const framing =
      name === undefined ? undefined : (await import('../../wire/framing/by-name.ts')).framingByName(name);
    const result = await runTap({ ...options, framing });
    if (result.error) print(inWords(result.error));
    endLike(result);
  } catch (thrown) {
    print(inWords(toError(thrown)));
    process.exit(2);
  }
}

/** Runs until a signal ends it. */
async function tapAddress(options: TapArguments & { url: string }): Promise<void> {
  const { startHttpTap } = await import('./http/http-tap.ts');
  const tap = await startHttpTap(options, (problem) => print(`standpipe tap: ${problem}`));
  process.stdout.write(`${tap.address}\n`);
  print(
    `standpipe tap: use this address in the config of the host instead of that of the server. Ctrl-C ends the tap.`,
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void tap.close().finally(() => process.exit(0)));
  }
}

/** Uses the format of app/cli/show-error.ts, which would take too long to load here. */
function inWords(error: Error): string {
  if (!(error instanceof StandpipeError)) {
    return `error: ${error.message}\nThis is a bug in standpipe; please report it with the details below.\n${error.stack}`;
  }
  return error.hint ? `error: ${error.message}\nhint: ${error.hint}` : `error: ${error.message}`;
}

/** Writes to the descriptor, because the stream of stderr forwards the output of the server. */
function print(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // stderr is not read, and there is no other place for the error.
  }
}
