// 2026-07-28: reads the description of the client from the `_meta` of a request, and adds the description of a result.

import type { RpcError } from '../../base/errors.ts';
import { metaOf } from '../../base/json-object.ts';
import { textOf } from '../../base/text-of.ts';
import { SharedMembers } from '../../wire/jsonrpc/message-text.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, isLogLevel, LOG_LEVEL, PROTOCOL_VERSION_KEY, SERVER_INFO } from '../meta.ts';
import { methodsOfMcp } from '../methods.ts';
import { invalidParams, unsupportedVersion } from '../protocol-errors.ts';
import { isModernRevision } from '../revisions.ts';
import type { ClientFacts, ClientIdentity, Params, Result } from '../service.ts';
import type { CacheHints, ClientCapabilities, Implementation } from '../types.ts';

/** The sender of a request, or the error that refuses the request. */
export function readEnvelope(meta: Params, identity: ClientIdentity): ClientFacts | RpcError {
  const revision = meta[PROTOCOL_VERSION_KEY];
  if (!isModernRevision(revision)) return unsupportedVersion(textOf(revision));
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (typeof capabilities !== 'object' || capabilities === null) {
    return invalidParams(`"_meta" needs "${CLIENT_CAPABILITIES}", an object`, { missing: CLIENT_CAPABILITIES });
  }
  const logLevel = meta[LOG_LEVEL];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    return invalidParams(`Unknown log level ${JSON.stringify(logLevel)} in "${LOG_LEVEL}"`);
  }
  const info = meta[CLIENT_INFO] as Implementation | undefined;
  return { identity, revision, capabilities: capabilities as ClientCapabilities, info, logLevel };
}

/** The members to add to a result that is not cacheable and for which the service set none of them. */
export function sharedByResults(info: Implementation): SharedMembers {
  return new SharedMembers({ resultType: 'complete', _meta: { [SERVER_INFO]: info } });
}

export function isBare(result: Result, method: string): boolean {
  return result._meta === undefined && result.resultType === undefined && !methodsOfMcp.get(method)?.isCacheable;
}

/** Adds the type, sender and cache hints of a result, unless the service set them. */
export function modernResult(
  result: Result,
  method: string,
  info: Implementation | undefined,
  hints: Required<CacheHints>,
): Result {
  const meta = metaOf(result);
  const _meta = info ? { [SERVER_INFO]: info, ...meta } : { ...meta };
  if (result.resultType !== undefined && result.resultType !== 'complete') return { ...result, _meta };
  if (!methodsOfMcp.get(method)?.isCacheable) return { resultType: 'complete', ...result, _meta };
  return { resultType: 'complete', ...hints, ...result, _meta };
}
