// The errors that MCP defines, with their codes and data.

import { RpcCode, RpcError } from '../base/errors.ts';
import { isModernRevision, legacyRevisions, modernRevisions, type Revision } from './revisions.ts';
import type { ClientCapabilities } from './types.ts';

export const McpCode = {
  /** The code in 2025-11-25 and before. 2026-07-28 forbids it and uses "invalid params". */
  resourceNotFound: -32002,
  /** The headers of an HTTP request differ from its body. */
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(
    McpCode.unsupportedProtocolVersion,
    `Unsupported protocol version ${JSON.stringify(requested)}: this server supports ${modernRevisions.join(', ')} per request, and ${legacyRevisions.join(', ')} with initialize`,
    { supported: [...modernRevisions], requested },
  );
}

export function missingCapability(required: ClientCapabilities): RpcError {
  return new RpcError(
    McpCode.missingClientCapability,
    `This request needs a client with ${Object.keys(required).join(', ')}, which this client did not declare`,
    { requiredCapabilities: required },
  );
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RpcCode.invalidParams, message, data);
}

export function methodNotFound(method: string, why?: string): RpcError {
  return new RpcError(RpcCode.methodNotFound, `Method not found: ${method}${why ? ` (${why})` : ''}`);
}

export function resourceNotFound(uri: string, revision: Revision): RpcError {
  const code = isModernRevision(revision) ? RpcCode.invalidParams : McpCode.resourceNotFound;
  return new RpcError(code, `Resource not found: ${uri}`, { uri });
}
