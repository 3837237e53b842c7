// The client side of the dialect of an early tutorial on stdio servers: `initialize` with `client_info` and
// `server_info`, `mcp/tools/list` with `parameters`, `mcp/tools/call` with text as `content` and `is_error`. Users of
// the client get the standard shapes.

import { isObject } from '../../../base/json-object.ts';
import type { RequestOptions } from '../../../wire/jsonrpc/outbound.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import type { Caller, Params, Result, ServiceFacts } from '../../service.ts';
import type { Implementation, ServerCapabilities } from '../../types.ts';
import { asResult } from '../tolerated-results.ts';
import { LegacySession } from './legacy-session.ts';

/** The capabilities that the tutorial declares. */
const CAPABILITIES = { tools: {}, resources: {}, prompts: {} };

export async function openTranscript(peer: Peer, info: Implementation, options: RequestOptions): Promise<Result> {
  const client_info = { name: info.name, version: info.version };
  const params = { client_info, capabilities: CAPABILITIES };
  return asResult(await peer.request('initialize', params, options), 'initialize');
}

/** Whether the result of `initialize`, standard or in the dialect, is in the dialect. */
export function speaksTranscript(result: Result): boolean {
  return isObject(result.server_info) && result.protocolVersion === undefined;
}

export function readTranscriptServer(result: Result): ServiceFacts {
  const { name = 'unknown', version = 'unknown' } = result.server_info as Partial<Implementation>;
  const capabilities = (isObject(result.capabilities) ? result.capabilities : {}) as ServerCapabilities;
  return { info: { name, version }, capabilities, instructions: undefined };
}

export class TranscriptSession extends LegacySession {
  override async request(method: string, params: Params, caller: Caller): Promise<Result> {
    const result = await super.request(method, params, caller);
    if (method === 'tools/list') return { ...asResult(result, method), tools: standardTools(result.tools) };
    if (method === 'tools/call') return standardCallResult(asResult(result, method));
    return result;
  }

  protected override send(method: string, params: Params | undefined, options?: RequestOptions): Promise<unknown> {
    return super.send(method === 'ping' ? method : `mcp/${method}`, params, options);
  }
}

function standardTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool) => {
    if (!isObject(tool) || tool.inputSchema !== undefined) return tool;
    const { parameters, ...rest } = tool;
    return { ...rest, inputSchema: parameters ?? { type: 'object' } };
  });
}

function standardCallResult(result: Result): Result {
  const { content, is_error, ...rest } = result;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return is_error === undefined
    ? { ...rest, content: blocks }
    : { ...rest, content: blocks, isError: is_error === true };
}
