// The errors of Standpipe, one class a side: whoever catches one knows at once who has to change something.
// Each carries a stable `code` (docs/errors.md), a `hint` with the next step, and the evidence there is of the child.

import type { ErrorCode, PeerErrorCode, ProcessErrorCode, RpcErrorCode, UsageErrorCode } from './error-codes.ts';

/** How far a connection had come when something went wrong. */
export type Phase = 'spawn' | 'startup' | 'running' | 'closing';

/** What is known of the other end at the moment of a failure. Values of the child's `env` are masked in all of it. */
export interface Evidence {
  phase: Phase;
  /** The command as it was started, for people to read. */
  command?: string;
  pid?: number;
  exitCode?: number | null;
  signal?: string | null;
  /** The last 4 KB that the child wrote to stderr. */
  stderrTail?: string;
  /** The first line on stdout that was not a message. */
  firstNoise?: string;
  /** The mistake that was recognised: a heading of docs/troubleshooting.md. */
  diagnosis?: string;
}

export interface ErrorDetails {
  hint?: string;
  evidence?: Evidence;
  cause?: unknown;
}

export abstract class StandpipeError extends Error {
  abstract readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly evidence: Evidence | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.hint = details.hint;
    this.evidence = details.evidence;
  }
}

/** The other end answered with a JSON-RPC error, or a handler of ours wants to answer with one. Crosses the wire. */
export class RpcError extends StandpipeError {
  override readonly name = 'RpcError';
  readonly code: RpcErrorCode;
  /** The number on the wire. */
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(rpcCode: number, message: string, data?: unknown, details?: ErrorDetails) {
    super(message, details);
    this.rpcCode = rpcCode;
    this.code = stringCodes.get(rpcCode) ?? 'RPC_ERROR';
    this.data = data;
  }
}

/** The other end broke a rule of the protocol, fell silent, or went away. */
export class PeerError extends StandpipeError {
  override readonly name = 'PeerError';
  readonly code: PeerErrorCode;

  constructor(code: PeerErrorCode, message: string, details?: ErrorDetails) {
    super(message, details);
    this.code = code;
  }
}

/** The child process could not be started, ended by itself, or would not end. */
export class ProcessError extends StandpipeError {
  override readonly name = 'ProcessError';
  readonly code: ProcessErrorCode;

  constructor(code: ProcessErrorCode, message: string, details?: ErrorDetails) {
    super(message, details);
    this.code = code;
  }
}

/** Our caller asked for something that cannot be done. */
export class UsageError extends StandpipeError {
  override readonly name = 'UsageError';
  readonly code: UsageErrorCode;

  constructor(code: UsageErrorCode, message: string, details?: ErrorDetails) {
    super(message, details);
    this.code = code;
  }
}

/** JSON-RPC 2.0's numbers, and one of ours, outside of the ranges that JSON-RPC and MCP reserve for themselves. */
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

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
