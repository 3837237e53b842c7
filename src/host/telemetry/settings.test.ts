import { describe, expect, test } from 'vitest';
import { telemetrySettings, wantsTelemetry } from './settings.ts';

const ENDPOINT = 'http://127.0.0.1:4318';
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT };

describe('the variables of OpenTelemetry', () => {
  test.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'tools' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [on, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ENDPOINT }, true],
    [{ ...on, OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ ...on, OTEL_SDK_DISABLED: 'false' }, true],
  ])('%j asks for telemetry: %s', (env, wanted) => {
    expect(wantsTelemetry(env)).toBe(wanted);
  });

  test('a path is added to the common address, and the own address of a kind is used as it is', () => {
    const common = telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.org/base/' });
    expect(common.traces!.url).toBe('https://collector.example.org/base/v1/traces');
    expect(common.metrics!.url).toBe('https://collector.example.org/base/v1/metrics');
    const own = telemetrySettings({ ...on, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/own?a=1' });
    expect([own.traces!.url, own.metrics!.url]).toEqual(['http://127.0.0.1:1/own?a=1', `${ENDPOINT}/v1/metrics`]);
  });

  test('an exporter that is none is not used', () => {
    const { traces, metrics } = telemetrySettings({ ...on, OTEL_TRACES_EXPORTER: 'none' });
    expect([traces, metrics?.url]).toEqual([undefined, `${ENDPOINT}/v1/metrics`]);
  });

  test('headers, timeouts and attributes are read, those of one kind first', () => {
    const settings = telemetrySettings({
      ...on,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-key = 1 ',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-key=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=given,team=a%2Cb',
    });
    expect(settings.traces).toMatchObject({ headers: { authorization: 'Bearer abc', 'x-key': '1' }, timeoutMs: 500 });
    expect(settings.metrics!.headers).toEqual({ 'x-key': '2' });
    expect(settings.resource).toEqual({ 'service.name': 'given', team: 'a,b' });
    expect(telemetrySettings(on).resource).toEqual({ 'service.name': 'standpipe' });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@127.0.0.1'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no-value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%zz'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '1e9'],
    ['OTEL_BSP_SCHEDULE_DELAY', '0'],
  ])('%s=%s is refused with its name and without secrets', (name, value) => {
    const read = () => telemetrySettings({ ...on, [name]: value });
    expect(read).toThrow(`${name} cannot be used`);
    expect(read).not.toThrow('secret');
  });
});
