// A recording as OpenTelemetry spans, in the JSON form of OTLP, by the semantic conventions for MCP. Each request is a span.

import { createHash } from 'node:crypto';
import { isObject, metaOf } from '../../base/json-object.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { SelectedExchange, Selection } from './selection.ts';

type Value = { stringValue: string } | { intValue: string };

const KIND_SERVER = 2;
const KIND_CLIENT = 3;
const STATUS_ERROR = 2;

export function asOtlp({ exchanges }: Selection): object {
  const servers = new Map<string, SelectedExchange[]>();
  for (const selected of exchanges) {
    const known = servers.get(selected.exchange.server);
    if (known) known.push(selected);
    else servers.set(selected.exchange.server, [selected]);
  }
  return {
    resourceSpans: [...servers].map(([server, selected]) => ({
      resource: { attributes: attributes({ 'service.name': server }) },
      scopeSpans: [{ scope: { name: 'standpipe', version: ownInfo.version }, spans: selected.map(spanOf) }],
    })),
  };
}

function spanOf({ exchange, request, answer, startDateMs, endDateMs }: SelectedExchange): object {
  const { method, server, life, id, requestSeq, direction, outcome, error, http } = exchange;
  const params = isObject(request.params) ? request.params : {};
  const used = methodsOfMcp.get(method)?.target;
  const target = used && typeof params[used.parameter] === 'string' ? (params[used.parameter] as string) : undefined;
  const isName = used?.list === 'tools' || used?.list === 'prompts';
  const errorType =
    outcome === 'tool-error' ? 'tool_error' : error ? String(error.code) : outcome === 'lost' ? 'lost' : undefined;
  const revision = metaOf(params)?.['io.modelcontextprotocol/protocolVersion'] ?? params.protocolVersion;
  const parent = parentOf(metaOf(params)?.traceparent);
  const key = `${server} ${life} ${requestSeq} ${typeof id} ${id} ${startDateMs}`;
  return {
    traceId: parent?.traceId ?? hash(`trace ${key}`, 32),
    spanId: hash(`span ${key}`, 16),
    ...(parent && { parentSpanId: parent.spanId }),
    name: isName && target !== undefined ? `${method} ${target}` : method,
    kind: direction === 'toServer' || direction === 'toClient' ? KIND_CLIENT : KIND_SERVER,
    startTimeUnixNano: nanos(startDateMs),
    endTimeUnixNano: nanos(endDateMs ?? startDateMs),
    attributes: attributes({
      'mcp.method.name': method,
      'mcp.protocol.version': typeof revision === 'string' ? revision : undefined,
      'mcp.resource.uri': used?.list === 'resources' ? target : undefined,
      'gen_ai.tool.name': used?.list === 'tools' ? target : undefined,
      'gen_ai.operation.name': used?.list === 'tools' ? 'execute_tool' : undefined,
      'gen_ai.prompt.name': used?.list === 'prompts' ? target : undefined,
      'jsonrpc.request.id': String(id),
      'rpc.response.status_code': error ? String(error.code) : undefined,
      'error.type': errorType,
      'network.transport': http === undefined ? 'pipe' : 'tcp',
      'standpipe.outcome': outcome,
      'standpipe.run': life,
    }),
    ...(errorType !== undefined && { status: { code: STATUS_ERROR, message: messageOf(answer) } }),
  };
}

function messageOf(answer: SelectedExchange['answer']): string {
  const error = answer?.error;
  return isObject(error) && typeof error.message === 'string' ? error.message : '';
}

/** W3C trace context: `00-<trace id>-<span id>-<flags>`. */
function parentOf(traceparent: unknown): { traceId: string; spanId: string } | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId] = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/.exec(traceparent) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): { key: string; value: Value }[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** A number of nanoseconds since 1970 is beyond the exact integers of a double. */
function nanos(dateMs: number): string {
  const wholeMs = Math.floor(dateMs);
  return String(BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((dateMs - wholeMs) * 1_000_000)));
}
