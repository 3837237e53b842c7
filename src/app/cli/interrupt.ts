// Interrupts: Ctrl-C, SIGTERM, a closed terminal, a closed output pipe. On the first one the command ends and stops its servers. On the
// second one the process exits immediately, and the watchdog stops the servers.

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Listens from now on. The reason of the signal is an `Interrupted`. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const end = (interrupted: Interrupted) => {
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
  };
  for (const [name, exitCode] of Object.entries(signals)) {
    process.on(name, () => end(new Interrupted(`Ended by ${name}`, exitCode)));
  }
  // `standpipe … | head`: a reader that closes the pipe is not an error; the rest is dropped. A full disk is an error, which
  // run-command.ts reports.
  const gone = () => {
    if (!controller.signal.aborted) controller.abort(new Interrupted('The output was closed', 0));
  };
  process.stdout.on('error', gone);
  process.stderr.on('error', gone);
  return controller.signal;
}

/** Resolves when the signal aborts or has already aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
