// Exit codes. docs/cli.md has the same table.

import { StandpipeError, UsageError } from '../../base/errors.ts';
import { Interrupted } from './interrupt.ts';

export const ExitCode = {
  done: 0,
  toolError: 1,
  /** `check` only. */
  ruleViolated: 1,
  usage: 2,
  server: 3,
  timeout: 4,
  protocol: 5,
  /** A bug in Standpipe. */
  internal: 70,
} as const;

/** The config entry of a named server is invalid. Scripts treat this like a server that does not start. */
export class UnusableEntry extends UsageError {}

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
  // A failed start has a cause: if that is a timeout, the exit code is the one for a timeout.
  if ((error.code === 'SERVER_FAILED' || error.code === 'SERVER_UNREACHABLE') && error.cause instanceof StandpipeError)
    return exitCodeOf(error.cause);
  const exception = exceptions[error.code];
  if (exception !== undefined) return exception;
  switch (error.name) {
    case 'UsageError':
      return ExitCode.usage;
    case 'ProcessError':
      return ExitCode.server;
    default:
      return ExitCode.protocol;
  }
}
