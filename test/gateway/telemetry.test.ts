// Telemetry of the gateway: probes, metrics and traces.

import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, test } from 'vitest';
import { type ServeHttpOptions, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import type { Service } from '../../src/mcp/service.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const metas: unknown[] = [];

async function serving(options: ServeHttpOptions = {}) {
  const server = new Server({ name: 'traced', version: '1.0.0' });
  server.tool('meta', {}, () => 'seen');
  server.tool('fails', {}, () => ({ content: [], isError: true }));
  const { service } = server;
  const request: Service['request'] = (method, params, caller) => {
    metas.push(params._meta);
    return service.request(method, params, caller);
  };
  const { describe, notify, watch } = service;
  const seen: Service = {
    describe: describe.bind(service),
    notify: notify.bind(service),
    watch: watch.bind(service),
    request,
  };
  const served = await serveHttp(options.metrics ? server : seen, options);
  closing.push(() => served.close());
  return { ...served, origin: new URL(served.url).origin };
}

type Served = Awaited<ReturnType<typeof serving>>;

async function call(
  { url, token }: Served,
  name: string,
  headers: Record<string, string> = {},
  meta: Record<string, string> = {},
): Promise<unknown> {
  const params = { name, arguments: {}, _meta: { ...modernMeta, ...meta } };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...modernHeaders('tools/call', name),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return response.json();
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
const OTHER = '00-11111111111111111111111111111111-2222222222222222-01';

describe('trace context', () => {
  test('the trace context of HTTP headers is copied to _meta, where an existing value takes precedence', async () => {
    const served = await serving();
    await call(served, 'meta', { traceparent: PARENT, tracestate: 'a=1', baggage: 'k=v' });
    expect(metas.pop()).toMatchObject({ traceparent: PARENT, tracestate: 'a=1', baggage: 'k=v' });
    await call(served, 'meta', { traceparent: OTHER }, { traceparent: PARENT });
    expect(metas.pop()).toMatchObject({ traceparent: PARENT });
  });

  test('creates a span for each request, a child of the client span and the parent of the server span, if an SDK is registered', async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    closing.push(() => [trace, propagation, context].map((each) => each.disable()));
    const served = await serving();
    await call(served, 'meta', { traceparent: PARENT });
    await call(served, 'fails', {}, { traceparent: PARENT });
    const [first, second] = exporter.getFinishedSpans();
    expect(first).toMatchObject({
      name: 'tools/call meta',
      kind: SpanKind.SERVER,
      parentSpanContext: { spanId: '00f067aa0ba902b7' },
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'meta', 'mcp.protocol.version': '2026-07-28' },
    });
    const { traceId, spanId } = first!.spanContext();
    expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(metas.at(-2)).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(second).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'tool_error' } });
  });
});

describe('metrics', () => {
  test('count requests by server, method and outcome', async () => {
    const served = await serving({ metrics: true });
    await call(served, 'meta');
    await call(served, 'fails');
    await call(served, 'missing');
    const response = await fetch(`${served.origin}/metrics`, { headers: { authorization: `Bearer ${served.token}` } });
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('standpipe_requests_total{server="traced",method="tools/call",outcome="ok"} 1');
    expect(text).toContain('standpipe_requests_total{server="traced",method="tools/call",outcome="tool_error"} 1');
    expect(text).toContain('standpipe_requests_total{server="traced",method="tools/call",outcome="INVALID_PARAMS"} 1');
    expect(text).toContain('standpipe_request_seconds_count{server="traced",method="tools/call"} 3');
    expect(text).toContain('standpipe_requests_running{server="traced"} 0');
  });

  test('need the token, and are off by default', async () => {
    const on = await serving({ metrics: true });
    expect((await fetch(`${on.origin}/metrics`)).status).toBe(401);
    const off = await serving();
    const headers = { authorization: `Bearer ${off.token}` };
    expect((await fetch(`${off.origin}/metrics`, { headers })).status).toBe(404);
  });
});

describe('probes', () => {
  test('/healthz answers while the process runs, /readyz while requests are accepted', async () => {
    let notReady: string | undefined = 'no server is ready';
    const { origin } = await serving({ notReady: () => notReady });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    const refused = await fetch(`${origin}/readyz`);
    expect([refused.status, await refused.text()]).toEqual([503, 'no server is ready\n']);
    expect(refused.headers.get('retry-after')).toBe('1');
    notReady = undefined;
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  });
});
