// A recording as OpenTelemetry spans, in the JSON form of OTLP, by the semantic conventions for MCP. Each request is a span.

import { createHash } from 'node:crypto';
import { isObject, metaOf } from '../../base/json-object.ts';
import { otlpAttributes, otlpNanos, SpanKind, STATUS_ERROR } from '../../base/otlp-json.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { type Attributes, failedWith, spanFacts, TOOL_ERROR, traceParentOf } from '../../mcp/span-facts.ts';
import type { SelectedExchange, Selection } from './selection.ts';

export function asOtlp({ exchanges }: Selection): object {
  const servers = new Map<string, SelectedExchange[]>();
  for (const selected of exchanges) {
    const known = servers.get(selected.exchange.server);
    if (known) known.push(selected);
    else servers.set(selected.exchange.server, [selected]);
  }
  return {
    resourceSpans: [...servers].map(([server, selected]) => ({
      resource: { attributes: otlpAttributes({ 'service.name': server }) },
      scopeSpans: [{ scope: { name: 'standpipe', version: ownInfo.version }, spans: selected.map(spanOf) }],
    })),
  };
}

function spanOf(selected: SelectedExchange): object {
  const { exchange, request, answer, startDateMs, endDateMs } = selected;
  const { method, server, life, id, requestSeq, direction, outcome, http } = exchange;
  const params = isObject(request.params) ? request.params : {};
  const { name, attributes } = spanFacts(method, params);
  const failure = failureOf(exchange);
  const revision = metaOf(params)?.['io.modelcontextprotocol/protocolVersion'] ?? params.protocolVersion;
  const parent = traceParentOf(metaOf(params)?.traceparent);
  const key = `${server} ${life} ${requestSeq} ${typeof id} ${id} ${startDateMs}`;
  return {
    traceId: parent?.traceId ?? hash(`trace ${key}`, 32),
    spanId: hash(`span ${key}`, 16),
    ...(parent && { parentSpanId: parent.spanId }),
    name,
    kind: direction === 'toServer' || direction === 'toClient' ? SpanKind.client : SpanKind.server,
    startTimeUnixNano: otlpNanos(startDateMs),
    endTimeUnixNano: otlpNanos(endDateMs ?? startDateMs),
    attributes: otlpAttributes({
      ...attributes,
      'mcp.protocol.version': typeof revision === 'string' ? revision : undefined,
      'jsonrpc.request.id': String(id),
      ...failure,
      'network.transport': http === undefined ? 'pipe' : 'tcp',
      'standpipe.outcome': outcome,
      'standpipe.run': life,
    }),
    ...(failure && { status: { code: STATUS_ERROR, message: messageOf(answer) } }),
  };
}

function failureOf({ outcome, error }: SelectedExchange['exchange']): Attributes | undefined {
  if (outcome === 'tool-error') return { 'error.type': TOOL_ERROR };
  if (error) return failedWith(error.code);
  return outcome === 'lost' ? { 'error.type': 'lost' } : undefined;
}

function messageOf(answer: SelectedExchange['answer']): string {
  const error = answer?.error;
  return isObject(error) && typeof error.message === 'string' ? error.message : '';
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
