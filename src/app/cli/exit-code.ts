// Exit codes, and interrupts that end a command. docs/cli.md has the table of exit codes.

import { StandpipeError, UsageError } from '../../base/errors.ts';

export const ExitCode = {
  done: 0,
  toolError: 1,
  /** Used only by `check`. */
  ruleViolated: 1,
  /** Used only by `doctor`. */
  problemFound: 1,
  usage: 2,
  server: 3,
  timeout: 4,
  protocol: 5,
  /** A bug in Standpipe. */
  internal: 70,
} as const;

/** The config entry of a named server is invalid. Scripts treat this like a server that does not start. */
export class UnusableEntry extends UsageError {}

const classes: Record<string, number> = { UsageError: ExitCode.usage, ProcessError: ExitCode.server };

/** Error codes whose exit code differs from that of their class. */
const exceptions: Record<string, number> = {
  REQUEST_TIMEOUT: ExitCode.timeout,
  NOT_SENT: ExitCode.server,
  OUTCOME_UNKNOWN: ExitCode.server,
  CONNECTION_CLOSED: ExitCode.server,
  STREAM_FAILED: ExitCode.server,
  SERVER_STOPPED: ExitCode.server,
  LOGIN_REQUIRED: ExitCode.server,
  LOGIN_FAILED: ExitCode.server,
  AUTHORIZATION_FAILED: ExitCode.server,
  SERVER_UNREACHABLE: ExitCode.server,
  FLEET_UNREACHABLE: ExitCode.server,
  FLEET_REFUSED: ExitCode.server,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  if (!(error instanceof StandpipeError)) return ExitCode.internal;
  if (error instanceof UnusableEntry) return ExitCode.server;
  // A failed start has a cause. If the cause is a timeout, the exit code is that of a timeout.
  if ((error.code === 'SERVER_FAILED' || error.code === 'SERVER_UNREACHABLE') && error.cause instanceof StandpipeError)
    return exitCodeOf(error.cause);
  return exceptions[error.code] ?? classes[error.name] ?? ExitCode.protocol;
}

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
