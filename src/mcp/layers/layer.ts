// A layer is a concern of every request, whatever service answers it: rights, turns, metrics, traces. It is one function, made of the
// next step on the way to the service.

import { StandpipeError } from '../../base/errors.ts';
import type { Result, Service } from '../service.ts';

export type ServiceRequest = Service['request'];
export type Layer = (next: ServiceRequest) => ServiceRequest;

/** The first layer sees a request first. Whatever is not a request goes to the service itself. */
export function compose(service: Service, ...layers: readonly Layer[]): Service {
  const last: ServiceRequest = (method, params, caller) => service.request(method, params, caller);
  return {
    describe: (client) => service.describe(client),
    request: layers.reduceRight((next, layer) => layer(next), last),
    notify: (method, params, client) => service.notify(method, params, client),
    watch: (watcher) => service.watch(watcher),
    gone: (client) => service.gone?.(client),
    ...(service.tool && { tool: (name: string) => service.tool!(name) }),
  };
}

/** The layer for requests of clients alone. Requests without a message are made by this process itself. */
export function forClients(layer: Layer): Layer {
  return (next) => {
    const layered = layer(next);
    return (method, params, caller) => (caller.request ? layered : next)(method, params, caller);
  };
}

export type Outcome = { readonly result: Result } | { readonly error: unknown };

/** Reports the outcome of a request once, before its caller sees it. A result that is there at once stays so. */
export function reportOutcome(
  request: () => Result | Promise<Result>,
  report: (outcome: Outcome) => void,
): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = request();
  } catch (error) {
    report({ error });
    throw error;
  }
  if (result instanceof Promise) {
    result.then(
      (settled) => report({ result: settled }),
      (error) => report({ error }),
    );
  } else report({ result });
  return result;
}

/** `ok`, `tool_error`, or the documented code of the error. A code that a server chose is `error`: a peer must not add values. */
export function outcomeLabel(outcome: Outcome): string {
  if ('result' in outcome) return outcome.result.isError === true ? 'tool_error' : 'ok';
  return outcome.error instanceof StandpipeError ? outcome.error.code : 'error';
}
