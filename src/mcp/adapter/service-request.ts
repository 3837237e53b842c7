// Sends a request to the service. The eras have different codes for a resource that does not exist: the client gets the
// code of its era, even if the server behind the service uses the other era.

import { RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { McpCode } from '../protocol-errors.ts';
import { isModernRevision } from '../revisions.ts';
import type { Caller, Params, Result, Service } from '../service.ts';

const READ = 'resources/read';

export function serviceRequest(
  service: Service,
  method: string,
  params: Params,
  caller: Caller,
): Result | Promise<Result> {
  return method === READ ? read(service, params, caller) : service.request(method, params, caller);
}

async function read(service: Service, params: Params, caller: Caller): Promise<Result> {
  try {
    return await service.request(READ, params, caller);
  } catch (error) {
    const code = isModernRevision(caller.client.revision) ? RpcCode.invalidParams : McpCode.resourceNotFound;
    if (!isNotFound(error, params.uri) || error.rpcCode === code) throw error;
    throw new RpcError(code, error.message, error.data, { cause: error, hint: error.hint, evidence: error.evidence });
  }
}

/** 2026-07-28 has no specific code; "the URI SHOULD be in data" distinguishes it from other invalid parameters. */
function isNotFound(error: unknown, uri: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false;
  if (error.rpcCode === McpCode.resourceNotFound) return true;
  if (error.rpcCode !== RpcCode.invalidParams || typeof uri !== 'string') return false;
  return isObject(error.data) && error.data.uri === uri;
}
