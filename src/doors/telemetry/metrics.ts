// Counts and latencies of the requests to services, in the text format of Prometheus. Labels have a bounded number of values:
// a method that MCP does not have is counted as `other`.

import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { StandpipeError } from '../../base/errors.ts';
import type { Caller, Params, Result, Service } from '../../mcp/service.ts';
import type { Counted, Limits } from '../limits.ts';
import { wrapService } from './wrap-service.ts';

/** Values that are read when the metrics are. */
export interface Gauged {
  /** Without the prefix `standpipe_`. */
  name: string;
  help: string;
  labels: readonly string[];
  read(): Iterable<{ labels: Record<string, string>; value: number }>;
}

const methods = new Set([
  'completion/complete',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'tools/call',
  'tools/list',
]);

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export class Metrics {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #requests: Counter<'server' | 'method' | 'outcome'>;
  readonly #seconds: Histogram<'server' | 'method'>;
  readonly #running: Gauge<'server'>;
  readonly #gauge: typeof Gauge;

  /** Loads the library on first use. */
  static async open(): Promise<Metrics> {
    return new Metrics(await import('prom-client'));
  }

  private constructor({ Registry, Counter, Gauge, Histogram, collectDefaultMetrics }: typeof import('prom-client')) {
    const registers = [new Registry()];
    this.#registry = registers[0]!;
    this.#gauge = Gauge;
    this.contentType = this.#registry.contentType;
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'standpipe_requests_total',
      help: 'Requests of clients that were answered, by outcome: ok, tool_error, or the code of the error',
      labelNames: ['server', 'method', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'standpipe_request_seconds',
      help: 'Time from the request of a client to its answer',
      labelNames: ['server', 'method'],
      buckets: BUCKETS_S,
      registers,
    });
    this.#running = new Gauge({
      name: 'standpipe_requests_running',
      help: 'Requests that are being answered',
      labelNames: ['server'],
      registers,
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

  measured(service: Service, server: string): Service {
    const running = this.#running.labels(server);
    return wrapService(service, (method, params, caller) => {
      const label = methods.has(method) ? method : 'other';
      const startedMs = performance.now();
      const done = (outcome: string) => {
        running.dec();
        this.#requests.inc({ server, method: label, outcome });
        this.#seconds.observe({ server, method: label }, (performance.now() - startedMs) / 1000);
      };
      running.inc();
      return observed(service, method, params, caller, done);
    });
  }
}

/** What the clients of a door hold. */
export function doorMetrics({ counts, max }: Limits): Gauged {
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

function observed(
  service: Service,
  method: string,
  params: Params,
  caller: Caller,
  done: (outcome: string) => void,
): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = service.request(method, params, caller);
  } catch (error) {
    done(codeOf(error));
    throw error;
  }
  if (result instanceof Promise) {
    result.then(
      (value) => done(outcomeOf(value)),
      (error) => done(caller.signal?.aborted ? 'cancelled' : codeOf(error)),
    );
  } else done(outcomeOf(result));
  return result;
}

function outcomeOf({ isError }: Result): string {
  return isError === true ? 'tool_error' : 'ok';
}

/** One of the documented codes: a number that a server chose is not a label. */
function codeOf(error: unknown): string {
  return error instanceof StandpipeError ? error.code : 'error';
}
