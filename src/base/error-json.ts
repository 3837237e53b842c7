// Converts errors to JSON and back, with class, code, hint and evidence. Between two Standpipe programs the description is sent inside a
// JSON-RPC error, under one reserved key of `data`.

import type { ErrorCode } from './error-codes.ts';
import {
  type Evidence,
  PeerError,
  ProcessError,
  type ProcessIdentity,
  RpcCode,
  RpcError,
  StandpipeError,
  toError,
  UsageError,
} from './errors.ts';
import { isObject } from './json-object.ts';

export interface ErrorDescription {
  /** The class name of the error. */
  kind: string;
  message: string;
  /** The stable code; present only for errors of Standpipe. */
  code?: ErrorCode;
  hint?: string;
  evidence?: Evidence;
  ran?: ProcessIdentity;
  /** The numeric JSON-RPC error code. */
  rpcCode?: number;
  data?: unknown;
}

const ERROR = 'dev.standpipe/error';

export function describeError(thrown: unknown): ErrorDescription {
  const error = toError(thrown);
  const { name: kind, message } = error;
  if (!(error instanceof StandpipeError)) return { kind, message };
  const { code, hint, evidence, ran } = error;
  const rpc = error instanceof RpcError ? { rpcCode: error.rpcCode, data: error.data } : {};
  return { kind, message, code, hint, evidence, ...(ran && { ran }), ...rpc };
}

export function errorFrom(description: ErrorDescription): Error {
  const error = newError(description);
  if (error instanceof StandpipeError) error.ran = description.ran;
  return error;
}

const classes = { PeerError, ProcessError, UsageError };

function newError({ kind, message, code, hint, evidence, rpcCode, data }: ErrorDescription): Error {
  const details = { hint, evidence };
  if (kind === 'RpcError') return new RpcError(rpcCode ?? RpcCode.internalError, message, data, details);
  if (!Object.hasOwn(classes, kind)) return Object.assign(new Error(message), { name: kind });
  return new classes[kind as keyof typeof classes](code as never, message, details);
}

/** An RpcError is kept; its hint and evidence are added to its data if that is an object or absent, and dropped otherwise. */
export function toRpcError(thrown: unknown): RpcError {
  const { kind, message, code, hint, evidence, ran, rpcCode = RpcCode.internalError, data } = describeError(thrown);
  if (thrown instanceof RpcError) {
    const hasMore = hint !== undefined || evidence !== undefined;
    const isForged = isObject(data) && ERROR in data;
    if ((!hasMore && !isForged) || (data !== undefined && !isObject(data))) return thrown;
  }
  return new RpcError(rpcCode, message, {
    ...(data as object | undefined),
    [ERROR]: { kind, code, hint, evidence, ran },
  });
}

/** Errors of calls that certainly did not run. */
const notRun = new Set<ErrorCode>(['NOT_SENT', 'SERVER_STOPPED', 'SERVER_FAILED', 'SERVER_UNREACHABLE']);

/** The part of a non-RPC error that any client may see: the outcome of its call, and the process that ran it. */
export function outcomeData(thrown: unknown): object | undefined {
  if (!(thrown instanceof StandpipeError) || (!thrown.ran && !notRun.has(thrown.code))) return undefined;
  const { name: kind, code, ran } = thrown;
  return { [ERROR]: { kind, code, ...(ran && { ran }) } };
}

/** Adds fields to the process identity in the `data` of an error made by `toRpcError`. */
export function extendRan(data: unknown, more: Partial<ProcessIdentity>): ProcessIdentity | undefined {
  const described = isObject(data) ? (data[ERROR] as Partial<ErrorDescription> | undefined) : undefined;
  if (!described?.ran) return undefined;
  described.ran = { ...described.ran, ...more };
  return described.ran;
}

/** The inverse of `toRpcError`; other errors are returned unchanged. Use it only for answers of Standpipe: a server could forge the key. */
export function fromRpcError(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || !isObject(thrown.data) || !isObject(thrown.data[ERROR])) return thrown;
  const { [ERROR]: described, ...data } = thrown.data;
  return errorFrom({
    ...(described as unknown as ErrorDescription),
    message: thrown.message,
    rpcCode: thrown.rpcCode,
    data: Object.keys(data).length > 0 ? data : undefined,
  });
}
