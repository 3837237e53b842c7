// Creates a span for each request if the application has registered an OpenTelemetry SDK. Otherwise nothing is loaded. The context is read
// from `_meta` (traceparent, tracestate, baggage) and passed to the server in the same members.

import type { Context, Span } from '@opentelemetry/api';
import { toError } from '../../../base/errors.ts';
import { metaOf } from '../../../base/json-object.ts';
import { textOf } from '../../../base/text-of.ts';
import {
  forClients,
  outcomeLabel,
  type RequestOutcome,
  reportOutcome,
  type ServiceLayer,
  type ServiceRequest,
} from '../../../mcp/layers/layer.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import type { Caller, Params, Result } from '../../../mcp/service.ts';

type Api = typeof import('@opentelemetry/api');

/** The global key under which every copy of the library stores what the application registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
let api: Api | undefined;

export function trace(server: string): ServiceLayer {
  return forClients((next) => (method, params, caller) => {
    const registered = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED];
    if (registered?.trace === undefined) return next(method, params, caller);
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
  const used = methodsOfMcp.get(method)?.target;
  // A URI has too many values for a span name.
  const target = used?.parameter === 'name' ? textOf(params.name) : undefined;
  const attributes = {
    'mcp.method.name': method,
    'mcp.protocol.version': caller.client.revision,
    'standpipe.server': server,
    ...(used?.list === 'tools' ? { 'gen_ai.tool.name': target, 'gen_ai.operation.name': 'execute_tool' } : {}),
    ...(used?.list === 'prompts' ? { 'gen_ai.prompt.name': target } : {}),
  };
  const name = target === undefined ? method : `${method} ${target}`;
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
  const label = outcomeLabel(outcome);
  if (label !== 'ok') {
    span.setAttribute('error.type', label);
    span.setStatus('error' in outcome ? { code: 2, message: toError(outcome.error).message } : { code: 2 });
  }
  span.end();
}
