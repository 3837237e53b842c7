// Ctrl-C, SIGTERM, a terminal that is closed, a pipe that nobody reads any more: the first asks the command to end, and it
// stops what it started; the second ends the program at once (the watchdog takes the servers then).

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Listens from now on. The signal's reason is an `Interrupted`. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const end = (interrupted: Interrupted) => {
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
  };
  for (const [name, exitCode] of Object.entries(signals)) {
    process.on(name, () => end(new Interrupted(`Ended by ${name}`, exitCode)));
  }
  // `standpipe … | head`: whoever reads has enough. That is no failure, and the rest goes nowhere. A full disk is one, which
  // lost-output.ts tells in the end.
  const gone = () => {
    if (!controller.signal.aborted) controller.abort(new Interrupted('The output was closed', 0));
  };
  process.stdout.on('error', gone);
  process.stderr.on('error', gone);
  return controller.signal;
}

/** Resolves when the command is to end, also if that was before. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
