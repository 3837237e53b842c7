// A span for each request, where the application has brought an SDK of OpenTelemetry. Without one, nothing is loaded. The
// context comes in `_meta` (traceparent, tracestate, baggage) and goes on to the server in the same members.

import type { Context, Span } from '@opentelemetry/api';
import { StandpipeError, toError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { textOf } from '../../base/text-of.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Caller, Params, Result, Service } from '../../mcp/service.ts';
import { wrapService } from './wrap-service.ts';

type Api = typeof import('@opentelemetry/api');

/** Where every copy of the library keeps what the application has registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
let api: Api | undefined;

export function traced(service: Service, server: string): Service {
  return wrapService(service, (method, params, caller) => {
    const registered = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED];
    if (registered?.trace === undefined) return service.request(method, params, caller);
    if (api) return inSpan(api, service, server, method, params, caller);
    return import('@opentelemetry/api').then((loaded) => {
      api = loaded;
      return inSpan(loaded, service, server, method, params, caller);
    });
  });
}

function inSpan(
  loaded: Api,
  service: Service,
  server: string,
  method: string,
  params: Params,
  caller: Caller,
): Result | Promise<Result> {
  const { trace, context, propagation, SpanKind } = loaded;
  const meta = isObject(params._meta) ? params._meta : {};
  const parent = parentOf(loaded, meta);
  const used = methodsOfMcp.get(method)?.target;
  // A URI has too many values for the name of a span.
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
  try {
    const result = context.with(active, () => service.request(method, passed, caller));
    if (!(result instanceof Promise)) return ended(span, result);
    return result.then(
      (value) => ended(span, value),
      (error) => {
        failed(span, error);
        throw error;
      },
    );
  } catch (error) {
    failed(span, error);
    throw error;
  }
}

/** A span that the application has made for the same trace, for example of the HTTP request, is nearer than the client's. */
function parentOf({ trace, context, propagation }: Api, meta: Params): Context {
  const active = context.active();
  const given = propagation.extract(active, meta);
  const [own, remote] = [trace.getSpanContext(active), trace.getSpanContext(given)];
  return own && own.traceId === remote?.traceId ? active : given;
}

function ended(span: Span, result: Result): Result {
  if (result.isError === true) {
    span.setAttribute('error.type', 'tool_error');
    span.setStatus({ code: 2 });
  }
  span.end();
  return result;
}

function failed(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof StandpipeError ? error.code : 'error');
  span.setStatus({ code: 2, message: toError(error).message });
  span.end();
}
