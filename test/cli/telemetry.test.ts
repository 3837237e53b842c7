// `up` with the variables of OpenTelemetry: spans and histograms in a collector, compared with a table of the conventions for MCP.

import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startCollector } from '../fixtures/collector.ts';
import { until } from '../fixtures/server.ts';
import { everythingEntry, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

async function startHost(env: Record<string, string>, ...args: string[]) {
  const up = startCli(['up', '--no-inspector', '--http', '0', ...args], { env });
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  up.stderr.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  const stop = async () => {
    up.kill('SIGTERM');
    await ended;
    return log;
  };
  onTestFinished(() => stop().then(() => undefined));
  await until('it is ready', () => gatewayIn(log) !== undefined && log.includes('everything ready'));
  return { ...gatewayIn(log)!, stop, log: () => log };
}

async function clientAt(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'official', version: '1.2.3' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;

/** The attributes of the conventions, for a request with these. */
const server = (attributes: object) => ({
  'mcp.protocol.version': '2025-11-25',
  'network.transport': 'tcp',
  'network.protocol.name': 'http',
  'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
  'standpipe.server': 'everything',
  ...attributes,
});
const client = (attributes: object) => ({
  'mcp.protocol.version': '2026-07-28',
  'network.transport': 'pipe',
  'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
  'standpipe.server': 'everything',
  'standpipe.run': '1',
  ...attributes,
});
const socket = (attributes: object) => ({
  'mcp.protocol.version': '2026-07-28',
  'network.transport': 'pipe',
  'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
  ...attributes,
});
const call = (tool: string, attributes: object = {}) => ({
  'mcp.method.name': 'tools/call',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': tool,
  ...attributes,
});

test('sends spans and histograms by the conventions for MCP, with the context of _meta', async () => {
  const collector = await startCollector();
  const config = writeConfig('telemetry.json', { everything: everythingEntry });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    OTEL_SERVICE_NAME: 'tools',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
  };
  const { url, token, stop } = await startHost(env, '--config', config);
  const official = await clientAt(`${url}/everything`, token);
  const _meta = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'a=1' };
  await official.callTool({ name: 'greet', arguments: { name: 'Ada' }, _meta });
  await official.callTool({ name: 'fails' });
  await expect(official.callTool({ name: 'missing' })).rejects.toThrow();
  await official.listTools();
  await official.callTool({
    name: 'weather',
    _meta: { traceparent: `00-${TRACE}-${PARENT}-00` }, // the client does not record this trace
  });
  await runCli(['call', 'weather', '--config', config]);
  await stop();

  const failure = { 'error.type': '-32602', 'rpc.response.status_code': '-32602' };
  const shown = collector.spans.map(({ name, kind, status, attributes }) => ({ name, kind, status, attributes }));
  const error = (message: unknown) => ({ code: 2, message });
  const none = undefined;
  const unknown = expect.stringContaining('missing');
  expect(shown).toEqual([
    { name: 'tools/call greet', kind: CLIENT, status: none, attributes: client(call('greet')) },
    { name: 'tools/call greet', kind: SERVER, status: none, attributes: server(call('greet')) },
    {
      name: 'tools/call fails',
      kind: CLIENT,
      status: error(''),
      attributes: client(call('fails', { 'error.type': 'tool_error' })),
    },
    {
      name: 'tools/call fails',
      kind: SERVER,
      status: error(''),
      attributes: server(call('fails', { 'error.type': 'tool_error' })),
    },
    {
      name: 'tools/call missing',
      kind: CLIENT,
      status: error(unknown),
      attributes: client(call('missing', failure)),
    },
    {
      name: 'tools/call missing',
      kind: SERVER,
      status: error(unknown),
      attributes: server(call('missing', failure)),
    },
    { name: 'tools/list', kind: CLIENT, status: none, attributes: client({ 'mcp.method.name': 'tools/list' }) },
    { name: 'tools/list', kind: SERVER, status: none, attributes: server({ 'mcp.method.name': 'tools/list' }) },
    { name: 'tools/list', kind: SERVER, status: none, attributes: socket({ 'mcp.method.name': 'tools/list' }) },
    { name: 'tools/call weather', kind: CLIENT, status: none, attributes: client(call('weather')) },
    { name: 'tools/call weather', kind: SERVER, status: none, attributes: socket(call('weather')) },
  ]);
  const [below, above] = collector.spans;
  expect(above).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(below).toMatchObject({ traceId: TRACE, parentSpanId: above!.spanId });
  expect(BigInt(above!.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(above!.startTimeUnixNano));
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(6);

  expect([...collector.histograms.keys()].sort()).toEqual([
    'mcp.client.operation.duration',
    'mcp.server.operation.duration',
  ]);
  const points = collector.histograms.get('mcp.server.operation.duration')!;
  const greet = points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'greet')!;
  const { 'jsonrpc.request.id': _, ...ofMetric } = server(call('greet'));
  expect(greet.attributes).toEqual(ofMetric);
  expect(greet.explicitBounds).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]);
  expect([greet.count, greet.bucketCounts.reduce((sum, count) => sum + Number(count), 0)]).toEqual(['1', 1]);
  // A call that its client does not record is measured all the same.
  expect(points.filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'weather')).toHaveLength(2);
  expect(points.some(({ attributes }) => attributes['gen_ai.tool.name'] === 'missing')).toBe(false);

  const resource = { 'service.name': 'tools', 'deployment.environment.name': 'test' };
  for (const each of collector.resources) expect(each).toMatchObject(resource);
  expect(new Set(collector.requests.map(({ url }) => url))).toEqual(new Set(['/v1/traces', '/v1/metrics']));
  for (const { headers } of collector.requests) expect(headers['x-key']).toBe('a b');
  expect(JSON.stringify(collector.spans)).not.toContain('Ada');
});

test('a background host inherits the variables, and a collector that refuses everything does not affect calls', async () => {
  const collector = await startCollector();
  const config = writeConfig('telemetry-background.json', { everything: everythingEntry });
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/own`, OTEL_BSP_SCHEDULE_DELAY: '10' };
  expect(await runCli(['up', '--background', '--config', config, '--idle', '10m'], { env })).toMatchObject({ code: 0 });
  onTestFinished(() => runCli(['down', '--config', config]).then(() => undefined));
  await runCli(['call', 'weather', '--config', config]);
  await expect.poll(() => collector.spans.map(({ kind }) => kind)).toEqual([SERVER, CLIENT, SERVER]);
  collector.answer = (_, response) => {
    response.writeHead(401).end('no key');
    return true;
  };
  expect(await runCli(['call', 'weather', '--config', config])).toMatchObject({ code: 0 });
  await runCli(['down', '--config', config]);
  expect(new Set(collector.requests.map(({ url }) => url))).toEqual(new Set(['/own']));
});

test('reports an unreachable collector once, and unusable variables, while servers work', async () => {
  const config = writeConfig('telemetry-away.json', { everything: everythingEntry });
  const away = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_METRICS_EXPORTER: 'none',
  };
  const { url, token, stop, log } = await startHost(away, '--config', config);
  const official = await clientAt(`${url}/everything`, token);
  await official.callTool({ name: 'weather' });
  await until('the failure is reported', () => log().includes('Cannot send telemetry'));
  await official.callTool({ name: 'weather' });
  const text = await stop();
  expect(text.match(/Cannot send telemetry to http:\/\/127\.0\.0\.1:1\/v1\/traces/g)).toHaveLength(1);
  expect(text).toContain('4 spans were not delivered');

  const unusable = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const other = await startHost(unusable, '--config', config);
  expect(await other.stop()).toContain('No telemetry is sent. OTEL_EXPORTER_OTLP_PROTOCOL cannot be used');
});
