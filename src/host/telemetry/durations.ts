// Durations of requests as histograms of OTLP, cumulative since the start of the host.

import { otlpAttributes, otlpNanos } from '../../base/otlp-json.ts';
import type { Attributes } from '../../mcp/span-facts.ts';

/** Upper bounds in seconds, as the conventions give them. */
const BOUNDS_S = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Further series are added up in one, with the attribute that OpenTelemetry has for this. */
const MOST_SERIES = 2_000;
const overflow: Attributes = { 'otel.metric.overflow': 'true' };

interface Series {
  readonly attributes: Attributes;
  readonly buckets: number[];
  count: number;
  sumS: number;
  minS: number;
  maxS: number;
}

export class Durations {
  readonly #name: string;
  readonly #startDateMs = Date.now();
  readonly #series = new Map<string, Series>();

  constructor(name: string) {
    this.#name = name;
  }

  add(attributes: Attributes, seconds: number): void {
    const series = this.#seriesOf(attributes);
    const at = BOUNDS_S.findIndex((bound) => seconds <= bound);
    series.buckets[at < 0 ? BOUNDS_S.length : at]!++;
    series.count++;
    series.sumS += seconds;
    series.minS = Math.min(series.minS, seconds);
    series.maxS = Math.max(series.maxS, seconds);
  }

  /** The metric, or undefined if nothing was measured. */
  read(dateMs: number): object | undefined {
    if (this.#series.size === 0) return undefined;
    const times = { startTimeUnixNano: otlpNanos(this.#startDateMs), timeUnixNano: otlpNanos(dateMs) };
    return {
      name: this.#name,
      unit: 's',
      histogram: {
        aggregationTemporality: 2, // cumulative
        dataPoints: [...this.#series.values()].map(({ attributes, buckets, count, sumS, minS, maxS }) => ({
          attributes: otlpAttributes(attributes),
          ...times,
          count: String(count),
          sum: sumS,
          min: minS,
          max: maxS,
          bucketCounts: buckets.map(String),
          explicitBounds: BOUNDS_S,
        })),
      },
    };
  }

  #seriesOf(attributes: Attributes): Series {
    const key = JSON.stringify(attributes);
    const known = this.#series.get(key);
    if (known) return known;
    if (this.#series.size >= MOST_SERIES && attributes !== overflow) return this.#seriesOf(overflow);
    const buckets = new Array<number>(BOUNDS_S.length + 1).fill(0);
    const series = { attributes, buckets, count: 0, sumS: 0, minS: Number.POSITIVE_INFINITY, maxS: 0 };
    this.#series.set(key, series);
    return series;
  }
}
