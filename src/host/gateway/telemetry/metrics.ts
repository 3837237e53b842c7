// Request counts and latencies of services in the Prometheus text format. Labels have a bounded number of values: a method that MCP does
// not define is counted as `other`.

import type { Counter, Gauge, Metric, Registry } from 'prom-client';
import { forClients, outcomeLabel, reportOutcome, type ServiceLayer } from '../../../mcp/layers/layer.ts';
import { isOfService } from '../../../mcp/methods.ts';
import type { Counted, Limits } from '../limits.ts';
import { RequestCounts } from './request-counts.ts';

/** Values that are read when the metrics are read. */
export interface Gauged {
  /** Name without the prefix `standpipe_`. */
  name: string;
  help: string;
  labels: readonly string[];
  read(): Iterable<{ labels: Record<string, string>; value: number }>;
}

const SECONDS = 'standpipe_request_seconds';

export class Metrics {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #servers = new Map<string, RequestCounts>();
  readonly #gauge: typeof Gauge;

  /** Loads the library on first use. */
  static async open(): Promise<Metrics> {
    return new Metrics(await import('prom-client'));
  }

  private constructor({ Registry, Counter, Gauge, collectDefaultMetrics }: typeof import('prom-client')) {
    this.#registry = new Registry();
    this.#gauge = Gauge;
    this.contentType = this.#registry.contentType;
    collectDefaultMetrics({ register: this.#registry });
    const servers = this.#servers;
    const requests: Counter = new Counter({
      name: 'standpipe_requests_total',
      help: 'Requests of clients that were answered, by outcome: ok, tool_error, or the code of the error',
      labelNames: ['server', 'method', 'outcome'],
      registers: [this.#registry],
      collect() {
        requests.reset();
        for (const counts of servers.values()) {
          for (const { labels, value } of counts.byOutcome()) requests.inc(labels, value);
        }
      },
    });
    // The library's histogram accepts only single values, so the metric is built here.
    const seconds = {
      name: SECONDS,
      help: 'Time from the request of a client to its answer',
      type: 'histogram',
      aggregator: 'sum',
      get: async () => ({
        ...seconds,
        values: [...servers.values()].flatMap((counts) => [...counts.histogram(SECONDS)]),
      }),
    };
    this.#registry.registerMetric(seconds as unknown as Metric);
    this.add({
      name: 'requests_running',
      help: 'Requests that are being answered',
      labels: ['server'],
      *read() {
        for (const { server, running } of servers.values()) yield { labels: { server }, value: running };
      },
    });
  }

  add({ name, help, labels, read }: Gauged): void {
    const gauge = new this.#gauge({
      name: `standpipe_${name}`,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect: () => {
        gauge.reset();
        for (const each of read()) gauge.set(each.labels, each.value);
      },
    });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Middleware that counts and times client requests to a server. */
  measure(server: string): ServiceLayer {
    const counts = this.#servers.get(server) ?? new RequestCounts(server);
    this.#servers.set(server, counts);
    return forClients((next) => (method, params, caller) => {
      const startedMs = performance.now();
      counts.running++;
      return reportOutcome(
        () => next(method, params, caller),
        (outcome) => {
          counts.running--;
          const label = caller.signal?.aborted && 'error' in outcome ? 'cancelled' : outcomeLabel(outcome);
          counts.ended(isOfService(method) ? method : 'other', label, performance.now() - startedMs);
        },
      );
    });
  }
}

/** The resources that a gateway's clients hold. */
export function gatewayMetrics({ counts, max }: Limits): Gauged {
  return {
    name: 'http_clients_hold',
    help: 'Sessions, streams, requests in flight and waiting bytes of all clients, with the limit of each',
    labels: ['what', 'bound'],
    *read() {
      for (const what of Object.keys(max) as Counted[]) {
        yield { labels: { what, bound: 'now' }, value: counts[what] };
        yield { labels: { what, bound: 'limit' }, value: max[what] };
      }
    },
  };
}
