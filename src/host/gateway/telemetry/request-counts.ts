// Counts the requests to one server when they end. The metrics library looks up the labels of each recorded value, so it gets sums when the
// metrics are read.

/** Upper bounds in seconds. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Counts of one method. */
class MethodCounts {
  readonly outcomes = new Map<string, number>();
  readonly buckets = new Array<number>(BUCKETS_S.length).fill(0);
  count = 0;
  sumS = 0;
}

export interface Sum {
  value: number;
  labels: Record<string, string | number>;
}

export class RequestCounts {
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

  /** The values of a histogram with this name. */
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
