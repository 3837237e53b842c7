// Request counts and latencies of services in the Prometheus text format. Labels have a bounded number of values: a method that MCP does
// not define is counted as `other`. The library looks up the labels of each recorded value, so it gets sums when the metrics are read.

import type { Counter, Gauge, Metric, Registry } from 'prom-client';
import { forClients, outcomeLabel, reportOutcome, type ServiceLayer } from '../../../mcp/layers/layer.ts';
import { isOfService } from '../../../mcp/methods.ts';
import type { Counted, Limits } from '../limits.ts';

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
      help: 'Answered client requests by outcome: ok, tool_error, or the error code',
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
      help: 'Time from a client request to its answer',
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

export function gatewayMetrics({ counts, max }: Limits): Gauged {
  return {
    name: 'http_clients_hold',
    help: 'Sessions, streams, requests in flight and pending bytes of all clients, with the limit of each',
    labels: ['what', 'bound'],
    *read() {
      for (const what of Object.keys(max) as Counted[]) {
        yield { labels: { what, bound: 'now' }, value: counts[what] };
        yield { labels: { what, bound: 'limit' }, value: max[what] };
      }
    },
  };
}

/** Upper bounds of the histogram in seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

class MethodCounts {
  readonly outcomes = new Map<string, number>();
  readonly buckets = new Array<number>(BUCKETS_S.length).fill(0);
  count = 0;
  sumS = 0;
}

interface Sum {
  value: number;
  labels: Record<string, string | number>;
}

class RequestCounts {
  readonly server: string;
  running = 0;
  readonly #byMethod = new Map<string, MethodCounts>();

  constructor(server: string) {
    this.server = server;
  }

  ended(method: string, outcome: string, ms: number): void {
    let counts = this.#byMethod.get(method);
    if (!counts) {
      counts = new MethodCounts();
      this.#byMethod.set(method, counts);
    }
    const seconds = ms / 1000;
    counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1);
    counts.count++;
    counts.sumS += seconds;
    const bucket = BUCKETS_S.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) counts.buckets[bucket]!++;
  }

  *byOutcome(): Iterable<Sum> {
    const { server } = this;
    for (const [method, { outcomes }] of this.#byMethod) {
      for (const [outcome, value] of outcomes) yield { value, labels: { server, method, outcome } };
    }
  }

  *histogram(name: string): Iterable<Sum & { metricName: string }> {
    const { server } = this;
    for (const [method, { buckets, count, sumS }] of this.#byMethod) {
      let value = 0;
      for (const [at, le] of BUCKETS_S.entries()) {
        value += buckets[at]!;
        yield { metricName: `${name}_bucket`, value, labels: { le, server, method } };
      }
      yield { metricName: `${name}_bucket`, value: count, labels: { le: '+Inf', server, method } };
      yield { metricName: `${name}_sum`, value: sumS, labels: { server, method } };
      yield { metricName: `${name}_count`, value: count, labels: { server, method } };
    }
  }
}
