// Spans and durations of the requests that a host answers and sends, by the OpenTelemetry conventions for MCP, sent to a collector: a
// server span for each request of a client, and below it a client span for each request to a server. The context is in `_meta`.

import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { RpcCode } from '../../base/errors.ts';
import { firstChars } from '../../base/first-chars.ts';
import { metaOf } from '../../base/json-object.ts';
import { otlpAttributes, otlpNanos, SpanKind, STATUS_ERROR } from '../../base/otlp-json.ts';
import { forClients, type RequestOutcome, reportOutcome, type ServiceLayer } from '../../mcp/layers/layer.ts';
import { isOfService } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { Caller, Params } from '../../mcp/service.ts';
import { type Attributes, failureOf, spanFacts, traceParentOf } from '../../mcp/span-facts.ts';
import { isSdkRegistered } from '../gateway/telemetry/tracing.ts';
import type { LayeredServer } from '../hosted-server.ts';
import { Durations } from './durations.ts';
import { NumberedCaller } from './numbered-caller.ts';
import { Destinated, SpanQueue } from './otlp-sender.ts';
import type { TelemetrySettings } from './settings.ts';

/** Names, URIs and messages of peers are cut to this length, so that the queue is bounded in bytes too. */
const LONGEST_CHARS = 1_024;

interface Options {
  note(text: string): void;
  clock?: Clock;
}

interface Kind {
  readonly spanKind: number;
  readonly durations: Durations;
  /** Whether a span is wanted, besides the duration. */
  isTraced(): boolean;
}

export class Telemetry {
  readonly #clock: Clock;
  readonly #resource: object;
  readonly #spans: SpanQueue | undefined;
  readonly #metrics: Destinated | undefined;
  readonly #metricIntervalMs: number;
  readonly #client = new Durations('mcp.client.operation.duration');
  readonly #server = new Durations('mcp.server.operation.duration');
  #timer: Timer | undefined;

  constructor(settings: TelemetrySettings, { note, clock = systemClock }: Options) {
    const { traces, metrics, resource, spanIntervalMs: intervalMs, maxQueued, maxBatch } = settings;
    const sender = { note, clock };
    this.#clock = clock;
    this.#resource = {
      attributes: otlpAttributes({
        'service.version': ownInfo.version,
        'service.instance.id': randomUUID(),
        'telemetry.sdk.name': 'standpipe',
        'telemetry.sdk.language': 'nodejs',
        'telemetry.sdk.version': ownInfo.version,
        ...resource,
      }),
    };
    const bodyOf = (spans: readonly object[]) => ({
      resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope, spans }] }],
    });
    this.#spans = traces && new SpanQueue(traces, { intervalMs, maxQueued, maxBatch }, sender, bodyOf);
    this.#metrics = metrics && new Destinated(metrics, sender);
    this.#metricIntervalMs = settings.metricIntervalMs;
    if (metrics) this.#later();
  }

  /** The layer around a server of the host: requests that are sent to it. */
  ofServer(server: string, facts: LayeredServer): ServiceLayer {
    const kind: Kind = { spanKind: SpanKind.client, durations: this.#client, isTraced: () => true };
    const attributes = addressOf(facts);
    return this.#layer(kind, () => ({
      'standpipe.server': server,
      'mcp.protocol.version': facts.revision,
      ...attributes(),
    }));
  }

  /** The layer around a path of the gateway. If the application has registered an SDK, that makes the spans. */
  ofGateway(name: string): ServiceLayer {
    return this.#ofClients({ 'standpipe.server': name, ...http }, () => !isSdkRegistered());
  }

  /** The layer around the socket of the host. */
  ofSocket(): ServiceLayer {
    return this.#ofClients({ 'network.transport': 'pipe' }, () => true);
  }

  /** Sends what was measured, for at most 3 s. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    const last = this.#metrics?.end();
    await Promise.all([this.#spans?.close(), this.#sendMetrics()]);
    last?.cancel();
  }

  #ofClients(attributes: Attributes, isTraced: () => boolean): ServiceLayer {
    const kind: Kind = { spanKind: SpanKind.server, durations: this.#server, isTraced };
    return forClients(this.#layer(kind, ({ client }) => ({ ...attributes, 'mcp.protocol.version': client.revision })));
  }

  #layer(kind: Kind, attributesOf: (caller: Caller) => Attributes): ServiceLayer {
    return (next) => (method, params, caller) => {
      if (method.startsWith('standpipe/')) return next(method, params, caller); // control of the host
      const startMs = this.#clock.nowMs();
      const isClient = kind.spanKind === SpanKind.client;
      const passedCaller = isClient ? new NumberedCaller(caller) : caller;
      const span = this.#spans && kind.isTraced() ? new OpenSpan(params) : undefined;
      const passed = span ? span.passedOn(params) : params;
      return reportOutcome(
        () => next(method, passed, passedCaller),
        (outcome) => {
          const { name, attributes } = spanFacts(method, params);
          const failure = failureOf(outcome, caller.signal?.aborted === true);
          const all = { ...attributes, ...attributesOf(caller), ...failure?.attributes };
          const ms = this.#clock.nowMs() - startMs;
          if (this.#metrics) kind.durations.add(ofMetric(method, all, outcome), ms / 1_000);
          if (!span?.isSampled) return;
          const sent = passedCaller instanceof NumberedCaller ? passedCaller.sent : undefined;
          const id = isClient ? sent?.id : caller.request?.id;
          this.#spans!.add(
            span.ended(cut(name), kind.spanKind, ms, failure?.message, {
              ...all,
              'jsonrpc.request.id': id === undefined ? undefined : String(id),
              'standpipe.run': sent?.wire.life,
            }),
          );
        },
      );
    };
  }

  #later(): void {
    this.#timer = this.#clock.after(this.#metricIntervalMs, () => {
      void this.#sendMetrics();
      this.#later();
    });
    this.#timer.keepAlive(false);
  }

  async #sendMetrics(): Promise<void> {
    const dateMs = Date.now();
    const metrics = [this.#client, this.#server].flatMap((durations) => durations.read(dateMs) ?? []);
    if (metrics.length === 0) return;
    // A lost request loses nothing: the next one has the sums again.
    await this.#metrics?.post({ resourceMetrics: [{ resource: this.#resource, scopeMetrics: [{ scope, metrics }] }] });
  }
}

const scope = { name: 'standpipe', version: ownInfo.version };
const http: Attributes = { 'network.transport': 'tcp', 'network.protocol.name': 'http' };

/** The transport of the current entry, which a reload of the config can change. */
function addressOf(facts: LayeredServer): () => Attributes {
  let of: string | undefined;
  let known: Attributes = { 'network.transport': 'pipe' };
  return () => {
    const { url } = facts.config;
    if (url === of) return known;
    of = url;
    known = url === undefined ? { 'network.transport': 'pipe' } : remote(url);
    return known;
  };
}

function remote(url: string): Attributes {
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  if (!protocol.startsWith('http')) return { 'network.transport': 'tcp' };
  return { ...http, 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}

/** Without values that are different in each request. The name of a tool that does not exist can be any text. */
function ofMetric(method: string, { 'mcp.resource.uri': _, ...all }: Attributes, outcome: RequestOutcome): Attributes {
  const isRefused = 'error' in outcome && all['error.type'] === String(RpcCode.invalidParams);
  return short({
    ...all,
    'mcp.method.name': isOfService(method) ? method : '_OTHER',
    ...(isRefused && { 'gen_ai.tool.name': undefined, 'gen_ai.prompt.name': undefined }),
  });
}

function short(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]),
  );
}

function cut(text: string): string {
  return firstChars(text, LONGEST_CHARS);
}

class OpenSpan {
  readonly #startDateMs = Date.now();
  readonly #traceId: string;
  readonly #parentId: string | undefined;
  readonly #id = randomBytes(8).toString('hex');
  /** False if the client decided that the trace is not recorded. */
  readonly isSampled: boolean;

  constructor(params: Params) {
    const parent = traceParentOf(metaOf(params)?.traceparent);
    this.#traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    this.#parentId = parent?.spanId;
    this.isSampled = parent?.isSampled ?? true;
  }

  /** The parameters with this span as the parent of what follows. An unsampled parent stays as it is. */
  passedOn(params: Params): Params {
    if (!this.isSampled) return params;
    return { ...params, _meta: { ...metaOf(params), traceparent: `00-${this.#traceId}-${this.#id}-01` } };
  }

  ended(name: string, kind: number, ms: number, failure: string | undefined, attributes: Attributes): object {
    return {
      traceId: this.#traceId,
      spanId: this.#id,
      ...(this.#parentId !== undefined && { parentSpanId: this.#parentId }),
      name,
      kind,
      startTimeUnixNano: otlpNanos(this.#startDateMs),
      endTimeUnixNano: otlpNanos(this.#startDateMs + ms),
      attributes: otlpAttributes(short(attributes)),
      ...(failure !== undefined && { status: { code: STATUS_ERROR, message: cut(failure) } }),
    };
  }
}
