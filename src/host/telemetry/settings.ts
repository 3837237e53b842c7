// The environment variables of OpenTelemetry that a host obeys.

import { UsageError } from '../../base/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where one kind of data is sent. */
export interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface TelemetrySettings {
  readonly traces: Destination | undefined;
  readonly metrics: Destination | undefined;
  /** Attributes of the resource, with `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  readonly spanIntervalMs: number;
  readonly metricIntervalMs: number;
  /** Most spans that wait to be sent, and most in one request. */
  readonly maxQueued: number;
  readonly maxBatch: number;
}

/** Limits of the numbers, so that a slip cannot use all memory. */
const LONGEST_QUEUE = 100_000;
const LONGEST_MS = 24 * 60 * 60_000;

const endpoints = ['', 'TRACES_', 'METRICS_'].map((kind) => `OTEL_EXPORTER_OTLP_${kind}ENDPOINT`);

/** Whether the environment asks for telemetry. Nothing else has to be loaded if it does not. */
export function wantsTelemetry(env: Environment): boolean {
  return env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && endpoints.some((name) => env[name]);
}

export function telemetrySettings(env: Environment): TelemetrySettings {
  const resource = pairs(env, 'OTEL_RESOURCE_ATTRIBUTES');
  const maxQueued = number(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048, LONGEST_QUEUE);
  return {
    traces: destination(env, 'TRACES'),
    metrics: destination(env, 'METRICS'),
    resource: { ...resource, 'service.name': env.OTEL_SERVICE_NAME || resource['service.name'] || 'standpipe' },
    spanIntervalMs: number(env, 'OTEL_BSP_SCHEDULE_DELAY', 5_000, LONGEST_MS),
    metricIntervalMs: number(env, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000, LONGEST_MS),
    maxQueued,
    maxBatch: Math.min(maxQueued, number(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, LONGEST_QUEUE)),
  };
}

function destination(env: Environment, kind: 'TRACES' | 'METRICS'): Destination | undefined {
  const exporter = env[`OTEL_${kind}_EXPORTER`] || 'otlp';
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') throw invalid(`OTEL_${kind}_EXPORTER`, `"${exporter}" is not otlp or none`);
  const value = (name: string) => {
    const own = `OTEL_EXPORTER_OTLP_${kind}_${name}`;
    return env[own] ? own : `OTEL_EXPORTER_OTLP_${name}`;
  };
  const protocol = value('PROTOCOL');
  if (env[protocol] === 'grpc') {
    throw invalid(protocol, 'grpc is not supported: set http/json and the port for OTLP over HTTP, which is 4318');
  }
  const endpoint = value('ENDPOINT');
  const given = env[endpoint];
  if (!given) return undefined;
  return {
    url: urlOf(endpoint, given, kind),
    headers: pairs(env, value('HEADERS')),
    timeoutMs: Math.max(1, number(env, value('TIMEOUT'), 10_000, LONGEST_MS)),
  };
}

function urlOf(name: string, given: string, kind: 'TRACES' | 'METRICS'): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid(name, 'it is not an http or https URL, such as http://127.0.0.1:4318');
  }
  if (url.username || url.password) throw invalid(name, 'put credentials into OTEL_EXPORTER_OTLP_HEADERS');
  if (!name.includes(kind)) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${kind.toLowerCase()}`;
  return url.href;
}

/** `key=value,key=value`, with values in percent encoding. */
function pairs(env: Environment, name: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const pair of (env[name] ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at < 0 || key === '') throw invalid(name, 'it is not a list such as name=value,name=value');
    try {
      found.set(key, decodeURIComponent(pair.slice(at + 1).trim()));
    } catch {
      throw invalid(name, `the value of ${key} is not in percent encoding: write % as %25`);
    }
  }
  return Object.fromEntries(found);
}

function number(env: Environment, name: string, usual: number, most: number): number {
  const text = env[name];
  if (!text) return usual;
  if (!/^\d+$/.test(text) || Number(text) > most || Number(text) === 0) {
    throw invalid(name, `"${text}" is not a whole number from 1 to ${most}`);
  }
  return Number(text);
}

function invalid(name: string, why: string): UsageError {
  return new UsageError('INVALID_OPTION', `${name} cannot be used: ${why}`, {
    hint: 'Correct the variable, or set OTEL_SDK_DISABLED=true.',
  });
}
