// Errors that cross the socket of a host keep what they are: class, code, hint and evidence.

import {
  type Evidence,
  PeerError,
  ProcessError,
  RpcError,
  StandpipeError,
  toError,
  UsageError,
} from '../base/errors.ts';

/** Outside of the ranges that JSON-RPC and MCP reserve. */
const CARRIED = -31002;

export interface Carried {
  kind: string;
  code: string;
  hint?: string;
  evidence?: Evidence;
  rpcCode?: number;
  data?: unknown;
}

export function carry(thrown: unknown): RpcError {
  const error = toError(thrown);
  if (!(error instanceof StandpipeError)) return new RpcError(CARRIED, error.message, { kind: error.name });
  const { name: kind, code, hint, evidence } = error;
  const rpc = error instanceof RpcError ? { rpcCode: error.rpcCode, data: error.data } : {};
  return new RpcError(CARRIED, error.message, { kind, code, hint, evidence, ...rpc } satisfies Carried);
}

export function uncarry(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.rpcCode !== CARRIED) return thrown;
  return rebuilt(thrown.message, thrown.data as Carried);
}

/** The error itself, from its message and what was carried beside it. */
export function rebuilt(message: string, { kind, code, hint, evidence, rpcCode, data }: Carried): Error {
  const details = { hint, evidence };
  switch (kind) {
    case 'RpcError':
      return new RpcError(rpcCode ?? CARRIED, message, data, details);
    case 'PeerError':
      return new PeerError(code as PeerError['code'], message, details);
    case 'ProcessError':
      return new ProcessError(code as ProcessError['code'], message, details);
    case 'UsageError':
      return new UsageError(code as UsageError['code'], message, details);
    default:
      return Object.assign(new Error(message), { name: kind });
  }
}
