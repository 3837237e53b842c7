// The errors of Standpipe. The class shows which side has to change something: the other end, the child process or the caller. Each error
// has a stable `code` (docs/errors.md), a `hint` with the next step, and evidence about the child if there is any.

import type { ErrorCode, PeerErrorCode, ProcessErrorCode, RpcErrorCode, UsageErrorCode } from './error-codes.ts';

/** The phase of a connection at the time of a failure. */
export type Phase = 'spawn' | 'startup' | 'running' | 'closing';

/** Facts about the other end at the time of a failure. Values of the child's `env` are masked in all members. */
export interface Evidence {
  phase: Phase;
  /** The command line as text for people. */
  command?: string;
  pid?: number;
  exitCode?: number | null;
  signal?: string | null;
  /** The URL without credentials and query. */
  url?: string;
  /** The HTTP status of the response. */
  status?: number;
  /** The last 4 KB that the child wrote to stderr. */
  stderrTail?: string;
  /** The first line on stdout that was not a message (stray output). */
  firstNoise?: string;
  /** The recognised mistake, as a heading of docs/troubleshooting.md. */
  diagnosis?: string;
}

/** One process run of a hosted server. */
export interface ProcessIdentity {
  server: string;
  pid: number | null;
  /** Counts the process runs of the server from 1. It is 0 if unknown, because the node that ran the process has ended. */
  generation: number;
  /** In a fleet: the node that ran the process, and the generation of the claim under which that node ran the server. */
  node?: string;
  claim?: number;
}

interface ErrorDetails {
  hint?: string;
  evidence?: Evidence;
  cause?: unknown;
}

export abstract class StandpipeError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly evidence: Evidence | undefined;
  /** The process that the call was sent to, and that ran it or may have run it. Set by the host. */
  ran: ProcessIdentity | undefined;

  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.evidence = details.evidence;
  }
}

/** A JSON-RPC error, received from the other end or thrown by one of our handlers. It is sent over the wire. */
export class RpcError extends StandpipeError<RpcErrorCode> {
  override readonly name = 'RpcError';
  /** The numeric JSON-RPC error code. */
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(rpcCode: number, message: string, data?: unknown, details?: ErrorDetails) {
    super(stringCodes.get(rpcCode) ?? 'RPC_ERROR', message, details);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** The other end violated the protocol, did not answer, or closed the connection. */
export class PeerError extends StandpipeError<PeerErrorCode> {
  override readonly name = 'PeerError';
  /** For REQUEST_TIMEOUT: true if the request waited for the connection's default limit, and not for a shorter limit of its caller. */
  waitedInFull = false;
}

/** The child process could not be started, exited, or could not be stopped. */
export class ProcessError extends StandpipeError<ProcessErrorCode> {
  override readonly name = 'ProcessError';
}

/** The caller made a request that cannot be fulfilled. */
export class UsageError extends StandpipeError<UsageErrorCode> {
  override readonly name = 'UsageError';
}

/** The error numbers of JSON-RPC 2.0, and one of Standpipe outside the ranges that JSON-RPC and MCP reserve. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverBusy: -31001,
} as const;

const stringCodes = new Map<number, RpcErrorCode>([
  [RpcCode.parseError, 'PARSE_ERROR'],
  [RpcCode.invalidRequest, 'INVALID_REQUEST'],
  [RpcCode.methodNotFound, 'METHOD_NOT_FOUND'],
  [RpcCode.invalidParams, 'INVALID_PARAMS'],
  [RpcCode.internalError, 'INTERNAL_ERROR'],
  [RpcCode.serverBusy, 'SERVER_BUSY'],
]);

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const unauthorized: readonly ErrorCode[] = [
  ...(['AUTHORIZATION_FAILED', 'LOGIN_FAILED', 'LOGIN_REQUIRED', 'LOGINS_FILE_INVALID'] as const),
];

/** The server refused the request, or it was never sent. It has not run, and other requests to the same server would fail too. */
export function isUnauthorized(error: unknown): error is StandpipeError {
  return error instanceof StandpipeError && unauthorized.includes(error.code);
}
