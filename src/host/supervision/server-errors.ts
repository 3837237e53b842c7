// Errors about a server that cannot be used.

import { shellWord } from '../../base/command-line.ts';
import type { ErrorCode } from '../../base/error-codes.ts';
import { PeerError, ProcessError, StandpipeError, UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { LastExit } from './server-state.ts';

export const SHOW_FLEET = `\`${ownCommand} ls --fleet\` shows the nodes, and why a server runs nowhere.`;

/** Errors after which a retry cannot help: the command itself is wrong, or a person has to log in. */
const hopeless = new Set<string>([
  'COMMAND_NOT_FOUND',
  'COMMAND_NOT_EXECUTABLE',
  'CWD_NOT_FOUND',
  'INVALID_OPTION',
  'LOGIN_REQUIRED',
  'LOGIN_FAILED',
  'LOGINS_FILE_INVALID',
  'AUTHORIZATION_FAILED',
  'DEFINITION_NOT_APPROVED',
] satisfies ErrorCode[]);

export function isHopeless({ code = '' }: LastExit): boolean {
  return hopeless.has(code);
}

export function lastExitOf(cause: Error): LastExit {
  const { message, code, hint } = cause as Error & Partial<StandpipeError>;
  return { message, code, hint, evidence: cause instanceof StandpipeError ? cause.evidence : undefined };
}

export function serverDisabled(name: string): UsageError {
  return new UsageError('SERVER_DISABLED', `Server "${name}" is disabled in the config`);
}

export function serverStopped(name: string, reason: string): UsageError {
  return new UsageError('SERVER_STOPPED', `Server "${name}" was stopped: ${reason}`, {
    hint: `Start it first: \`${ownCommand} start ${shellWord(name)}\`, or startServer(${JSON.stringify(name)}) of the host.`,
  });
}

/** Returns true if the server was stopped before the call was sent. */
export function isStopped(error: unknown): boolean {
  return error instanceof UsageError && error.code === 'SERVER_STOPPED';
}

/** Returns true if the server cannot be started: the call was not sent. */
export function hasNotStarted(error: unknown): boolean {
  return error instanceof StandpipeError && (error.code === 'SERVER_FAILED' || error.code === 'SERVER_UNREACHABLE');
}

export function serverFailed(name: string, reason: string, cause: Error | undefined, isRemote = false): ProcessError {
  const { hint, evidence }: Partial<LastExit> = cause ? lastExitOf(cause) : {};
  return new ProcessError('SERVER_FAILED', `Server "${name}" is not ${isRemote ? 'connected' : 'running'}: ${reason}`, {
    evidence,
    hint: hint ?? 'Fix the cause, then start the server again.',
    cause,
  });
}

export function serverUnreachable(name: string, reason: string, cause: Error | undefined): PeerError {
  const { hint, evidence }: Partial<LastExit> = cause ? lastExitOf(cause) : {};
  return new PeerError('SERVER_UNREACHABLE', `Server "${name}" cannot be reached: ${cause?.message ?? reason}`, {
    evidence,
    hint: hint ?? 'Check its url, and that it runs.',
    cause,
  });
}

/** Why a remote server was lost. `error`: the failure of the first request, whose outcome and hint are dropped. */
export function lossOf({ message, evidence, cause }: PeerError): PeerError {
  const why = cause instanceof Error ? cause.message : message;
  return new PeerError('CONNECTION_CLOSED', `The connection to the server was lost: ${why}`, { evidence, cause });
}

/** Reason why a server is left out of a list. */
export function serverNotReady(name: string, waitMs: number, why: string | undefined): ProcessError {
  const reason = why === undefined ? '' : `: ${why}`;
  return new ProcessError('SERVER_NOT_READY', `Server "${name}" was not ready within ${waitMs} ms${reason}`, {
    hint: 'The entries of the server are listed as soon as it is ready. Clients are then notified that the list has changed.',
  });
}

/** Error of a request whose limit ended before the server was ready. */
export function notReadyInTime(name: string, waitMs: number, why: string): PeerError {
  return new PeerError('REQUEST_TIMEOUT', `Server "${name}" was not ready within ${waitMs} ms: ${why}`, {
    hint: `The request was not sent. \`${ownCommand} ls\`, in a fleet \`${ownCommand} ls --fleet\`, shows why the server is not ready. Or wait longer.`,
  });
}
