// Names and attributes of spans and metrics by the OpenTelemetry semantic conventions for MCP: for requests that are being answered, and
// for recorded ones.

import { RpcError, StandpipeError, toError } from '../base/errors.ts';
import type { RequestOutcome } from './layers/layer.ts';
import { methodsOfMcp } from './methods.ts';

export type Attributes = Record<string, string | number | undefined>;

/** What a request does. Requests with equal facts belong to one series of a metric, except for `mcp.resource.uri`. */
export interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

export function spanFacts(method: string, params: Readonly<Record<string, unknown>>): SpanFacts {
  const used = methodsOfMcp.get(method)?.target;
  const given = used && params[used.parameter];
  const target = typeof given === 'string' ? given : undefined;
  // A URI has too many values for the name of a span.
  const isName = used?.list === 'tools' || used?.list === 'prompts';
  return {
    name: isName && target !== undefined ? `${method} ${target}` : method,
    attributes: {
      'mcp.method.name': method,
      'gen_ai.operation.name': used?.list === 'tools' ? 'execute_tool' : undefined,
      'gen_ai.tool.name': used?.list === 'tools' ? target : undefined,
      'gen_ai.prompt.name': used?.list === 'prompts' ? target : undefined,
      'mcp.resource.uri': used?.list === 'resources' ? target : undefined,
    },
  };
}

export interface FailureFacts {
  readonly attributes: Attributes;
  readonly message: string;
}

export const TOOL_ERROR = 'tool_error';

/** How a request failed: `tool_error`, the number of a JSON-RPC error, or the code of another error. Undefined if it did not fail. */
export function failureOf(outcome: RequestOutcome, isCancelled = false): FailureFacts | undefined {
  if ('result' in outcome) {
    return outcome.result.isError === true ? { attributes: { 'error.type': TOOL_ERROR }, message: '' } : undefined;
  }
  const { error } = outcome;
  const { message } = toError(error);
  if (isCancelled) return { attributes: { 'error.type': 'cancelled' }, message };
  if (error instanceof RpcError) return { attributes: failedWith(error.rpcCode), message };
  return { attributes: { 'error.type': error instanceof StandpipeError ? error.code : '_OTHER' }, message };
}

export function failedWith(rpcCode: number): Attributes {
  return { 'error.type': String(rpcCode), 'rpc.response.status_code': String(rpcCode) };
}

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** W3C trace context: `00-<trace id>-<span id>-<flags>`. Ids of zeros are invalid. */
export function traceParentOf(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId, spanId, flags] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/s.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && text.length > 55)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
