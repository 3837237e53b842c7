// Copies the trace context of HTTP headers to `_meta`, where MCP carries it. An existing value in `_meta` takes precedence.

import type { JsonRpcMessage } from '../../../wire/jsonrpc/message.ts';
import type { HttpExchange } from './exchange.ts';

const members = ['traceparent', 'tracestate', 'baggage'];

/** Longer values are not valid trace context. */
const LONGEST = 8192;

export function takeTraceContext(exchange: HttpExchange, message: JsonRpcMessage): void {
  if (!('method' in message) || !('id' in message)) return;
  const params = (message.params ?? {}) as Record<string, unknown>;
  const meta = (params._meta ?? {}) as Record<string, unknown>;
  if (meta.traceparent !== undefined) return;
  const given = members.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined || value.length > LONGEST ? [] : [[name, value] as const];
  });
  message.params = { ...params, _meta: { ...meta, ...Object.fromEntries(given) } };
}
