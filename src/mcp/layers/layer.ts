// A layer handles one concern of every request, whatever service answers it: rights, turns, metrics, traces. It is a
// function that wraps the next step toward the service.

import { StandpipeError } from '../../base/errors.ts';
import type { ClientFacts, Result, Service, ServiceFacts } from '../service.ts';

export type ServiceRequest = Service['request'];
export type ServiceLayer = (next: ServiceRequest) => ServiceRequest;

/** The first layer receives a request first. Everything except requests goes directly to the service. */
export function compose(service: Service, ...layers: readonly ServiceLayer[]): Service {
  if (layers.length === 0) return service;
  const last: ServiceRequest = (method, params, caller) => service.request(method, params, caller);
  return overlay(service, { request: layers.reduceRight((next, layer) => layer(next), last) });
}

/** The service with some members replaced. The others go directly to the service. */
export function overlay(service: Service, members: Partial<Service>): Service {
  return {
    describe: (client) => service.describe(client),
    request: (method, params, caller) => service.request(method, params, caller),
    notify: (method, params, client) => service.notify(method, params, client),
    watch: (watcher) => service.watch(watcher),
    gone: (client) => service.gone?.(client),
    ...(service.tool && { tool: (name, client) => service.tool!(name, client) }),
    ...(service.tools && { tools: (client) => service.tools!(client) }),
    ...(service.toolFor && { toolFor: (tool, client) => service.toolFor!(tool, client) }),
    ...members,
  };
}

export type FactsChange = (facts: ServiceFacts) => ServiceFacts;

/**
 * `describe` with changed facts. Facts are compared by identity and read on every request, so each change copies them
 * once: `changeFor` must return the same function for the same change. Undefined: the facts are not changed.
 */
export function changedFacts(
  service: Service,
  changeFor: (client: ClientFacts | undefined, facts: ServiceFacts) => FactsChange | undefined,
): Service['describe'] {
  const copies = new WeakMap<ServiceFacts, Map<FactsChange, ServiceFacts>>();
  const changed = (facts: ServiceFacts, client: ClientFacts | undefined): ServiceFacts => {
    const change = changeFor(client, facts);
    if (!change) return facts;
    const known = copies.get(facts) ?? new Map<FactsChange, ServiceFacts>();
    const copy = known.get(change) ?? change(facts);
    copies.set(facts, known.set(change, copy));
    return copy;
  };
  return (client) => {
    const facts = service.describe(client);
    return facts instanceof Promise ? facts.then((each) => changed(each, client)) : changed(facts, client);
  };
}

/** Applies the layer only to requests of clients. Requests without a message come from this process itself. */
export function forClients(layer: ServiceLayer): ServiceLayer {
  return (next) => {
    const layered = layer(next);
    return (method, params, caller) => (caller.request ? layered : next)(method, params, caller);
  };
}

export type RequestOutcome = { readonly result: Result } | { readonly error: unknown };

/** Reports the outcome of a request once, before its caller receives it. A synchronous result stays synchronous. */
export function reportOutcome(
  request: () => Result | Promise<Result>,
  report: (outcome: RequestOutcome) => void,
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

/** `ok`, `tool_error`, or the documented code of the error. Other errors are `error`, so that a peer cannot add values. */
export function outcomeLabel(outcome: RequestOutcome): string {
  if ('result' in outcome) return outcome.result.isError === true ? 'tool_error' : 'ok';
  return outcome.error instanceof StandpipeError ? outcome.error.code : 'error';
}
