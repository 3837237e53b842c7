// The answers of a correct MCP server with one tool, `echo`. Scenarios replace single answers.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY, SERVER_INFO } from '../../mcp/meta.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { type Era, isLegacyRevision, isModernRevision, NEWEST_LEGACY, NEWEST_MODERN } from '../../mcp/revisions.ts';

/** A request from the client. */
export interface Asked {
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  /** Modern if the request has a protocol version in `_meta`. */
  readonly era: Era;
}

export interface Speaks {
  /** The only supported era. Default: both. */
  readonly only?: Era;
  /** The version in the answer to `initialize`. Default: the requested one. */
  readonly version?: string;
}

/** Since 2026-07-28, changes are sent only to subscribers. */
const capabilities = { legacy: { tools: { listChanged: true } }, modern: { tools: {} } };

export const echoTool = {
  name: 'echo',
  description: 'Returns its text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

const METHOD_NOT_FOUND = -32601;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const UNSUPPORTED_VERSION = -32022;

/** The whole message of a correct server. `isOpen`: the client has sent `initialize` before. */
export function usualAnswer(asked: Asked, speaks: Speaks, isOpen: boolean): JsonObject {
  const outcome = answerTo(asked, speaks, isOpen);
  return { jsonrpc: '2.0', id: asked.id, ...outcome };
}

export function failed(code: number, message: string, data?: unknown): JsonObject {
  return { error: { code, message, ...(data !== undefined && { data }) } };
}

function answerTo(asked: Asked, speaks: Speaks, isOpen: boolean): JsonObject {
  const { method, params, era } = asked;
  if (method === 'initialize') return initialized(params, speaks);
  if (era === 'modern' && speaks.only !== 'legacy') {
    const version = metaOf(params)?.[PROTOCOL_VERSION_KEY];
    return isModernRevision(version) ? modernAnswer(asked) : unsupported(version);
  }
  if (method === 'ping') return { result: {} };
  // Legacy servers do not know the method, before `initialize` and after.
  if (method === 'server/discover') return failed(METHOD_NOT_FOUND, `There is no method ${method}`);
  if (!isOpen) return failed(INVALID_REQUEST, 'The session is not initialized');
  return legacyAnswer(asked);
}

function initialized({ protocolVersion }: JsonObject, { only, version }: Speaks): JsonObject {
  if (only === 'modern') return unsupported(protocolVersion);
  const agreed = version ?? (isLegacyRevision(protocolVersion) ? protocolVersion : NEWEST_LEGACY);
  return { result: { protocolVersion: agreed, capabilities: capabilities.legacy, serverInfo: ownInfo } };
}

function unsupported(requested: unknown): JsonObject {
  return failed(UNSUPPORTED_VERSION, `Unsupported protocol version: this server supports ${NEWEST_MODERN} only`, {
    supported: [NEWEST_MODERN],
    requested,
  });
}

function legacyAnswer({ method, params }: Asked): JsonObject {
  if (method === 'tools/list') return { result: { tools: [echoTool] } };
  if (method === 'tools/call') return called(params);
  return failed(METHOD_NOT_FOUND, `There is no method ${method}`);
}

function modernAnswer(asked: Asked): JsonObject {
  const cacheable = { ttlMs: 0, cacheScope: 'private' };
  if (asked.method === 'server/discover') {
    const _meta = { [SERVER_INFO]: ownInfo };
    return {
      result: {
        resultType: 'complete',
        supportedVersions: [NEWEST_MODERN],
        capabilities: capabilities.modern,
        ...cacheable,
        _meta,
      },
    };
  }
  const { result, ...otherwise } = legacyAnswer(asked);
  if (!isObject(result)) return otherwise;
  return { result: { resultType: 'complete', ...result, ...(asked.method === 'tools/list' && cacheable) } };
}

function called({ name, arguments: given }: JsonObject): JsonObject {
  if (name !== echoTool.name) return failed(INVALID_PARAMS, `There is no tool ${JSON.stringify(name)}`);
  const text = isObject(given) && typeof given.text === 'string' ? given.text : JSON.stringify(given ?? {});
  return { result: { content: [{ type: 'text', text }] } };
}
