// Creates a span for each request if the application has registered an OpenTelemetry SDK. Otherwise nothing is loaded. The context is read
// from `_meta` (traceparent, tracestate, baggage) and passed to the server in the same members.

import type { Context, Span } from '@opentelemetry/api';
import { metaOf } from '../../../base/json-object.ts';
import {
  forClients,
  type RequestOutcome,
  reportOutcome,
  type ServiceLayer,
  type ServiceRequest,
} from '../../../mcp/layers/layer.ts';
import type { Caller, Params, Result } from '../../../mcp/service.ts';
import { failureOf, spanFacts } from '../../../mcp/span-facts.ts';

type Api = typeof import('@opentelemetry/api');

/** The global key under which every copy of the library stores what the application registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
let api: Api | undefined;

/** Whether the application has registered an SDK that takes spans. */
export function isSdkRegistered(): boolean {
  return (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED]?.trace !== undefined;
}

export function trace(server: string): ServiceLayer {
  return forClients((next) => (method, params, caller) => {
    if (!isSdkRegistered()) return next(method, params, caller);
    if (api) return inSpan(api, next, server, method, params, caller);
    return import('@opentelemetry/api').then((loaded) => {
      api = loaded;
      return inSpan(loaded, next, server, method, params, caller);
    });
  });
}

function inSpan(
  loaded: Api,
  next: ServiceRequest,
  server: string,
  method: string,
  params: Params,
  caller: Caller,
): Result | Promise<Result> {
  const { trace, context, propagation, SpanKind } = loaded;
  const meta = metaOf(params) ?? {};
  const parent = parentOf(loaded, meta);
  const { name, attributes: facts } = spanFacts(method, params);
  const attributes = {
    ...facts,
    'mcp.protocol.version': caller.client.revision,
    'jsonrpc.request.id': caller.request && String(caller.request.id),
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'standpipe.server': server,
  };
  const span = trace.getTracer('standpipe').startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  const active: Context = trace.setSpan(parent, span);
  const carrier: Record<string, string> = {};
  propagation.inject(active, carrier);
  const passed = { ...params, _meta: { ...meta, ...carrier } };
  return reportOutcome(
    () => context.with(active, () => next(method, passed, caller)),
    (outcome) => end(span, outcome),
  );
}

/** A span that the application created for the same trace, for example for the HTTP request, is a closer parent than the client's. */
function parentOf({ trace, context, propagation }: Api, meta: Params): Context {
  const active = context.active();
  const given = propagation.extract(active, meta);
  const [own, remote] = [trace.getSpanContext(active), trace.getSpanContext(given)];
  return own && own.traceId === remote?.traceId ? active : given;
}

function end(span: Span, outcome: RequestOutcome): void {
  const failure = failureOf(outcome);
  if (failure) {
    for (const [key, value] of Object.entries(failure.attributes))
      if (value !== undefined) span.setAttribute(key, value);
    span.setStatus({ code: 2, message: failure.message });
  }
  span.end();
}
