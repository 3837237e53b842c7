import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { folder, runCli } from '../cli/run-cli.ts';
import { recorded, replayFixture } from './recorded.ts';
import { WrittenRecording } from './written-recording.ts';

const versions = recorded([process.execPath, replayFixture('versions'), '1'], async (client) => {
  await client.listTools();
  await client.callTool('forecast', { city: 'Oslo' });
  await client.callTool('missing', {}).catch(() => undefined);
});
const hostile = recorded([process.execPath, replayFixture('hostile-names')], async (client) => {
  const [{ name } = { name: '' }] = (await client.listTools()).tools;
  await client.callTool(name, {});
});

async function converted(file: Promise<string>, format: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(['convert', await file, '--to', format, ...more]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

test('HAR has an entry with both messages for each request', async () => {
  const { log } = JSON.parse(await converted(versions, 'har'));
  expect(log.version).toBe('1.2');
  const call = log.entries.find(({ request }: { request: { url: string } }) => request.url.endsWith('/forecast'));
  expect(call.request.url).toBe('stdio://tested/tools%2Fcall/forecast');
  expect(JSON.parse(call.request.postData.text).params.arguments).toEqual({ city: 'Oslo' });
  expect(JSON.parse(call.response.content.text).result.content).toEqual([{ type: 'text', text: 'Sunny in Oslo' }]);
  expect(call).toMatchObject({ time: expect.any(Number), response: { status: 200, statusText: 'ok' } });
});

test('OTLP spans have the attributes of the conventions for MCP', async () => {
  const { resourceSpans } = JSON.parse(await converted(versions, 'otlp'));
  expect(resourceSpans[0].resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'tested' } }]);
  const { spans } = resourceSpans[0].scopeSpans[0];
  const span = (name: string) => spans.find((each: { name: string }) => each.name === name);
  const attributesOf = (name: string) =>
    Object.fromEntries(
      span(name).attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
    );
  expect(attributesOf('tools/call forecast')).toMatchObject({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2026-07-28',
    'gen_ai.tool.name': 'forecast',
    'gen_ai.operation.name': 'execute_tool',
    'jsonrpc.request.id': expect.any(String),
    'network.transport': 'pipe',
  });
  expect(attributesOf('tools/call missing')).toMatchObject({
    'error.type': '-32602',
    'rpc.response.status_code': '-32602',
  });
  expect(span('tools/call forecast')).toMatchObject({
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    spanId: expect.stringMatching(/^[\da-f]{16}$/),
    kind: 3,
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
  });
});

test('a sequence diagram names the requests and their outcomes', async () => {
  const text = await converted(versions, 'mermaid', '--server', 'tested');
  expect(text).toContain('  participant P1 as tested\n');
  expect(text).toMatch(
    / {2}H->>P1: tools\/call forecast #35;(\d+)\n {2}P1-->>H: result of tools\/call forecast #35;\1\n/,
  );
  expect(text).toMatch(/P1-->>H: error -32602 /);
});

test('text of a server cannot end the diagram, or add lines to it', async () => {
  const lines = (await converted(hostile, 'mermaid')).trimEnd().split('\n');
  expect(lines.filter((line) => line.includes('```'))).toEqual(['```mermaid', '```']);
  expect(lines.at(-1)).toBe('```');
  for (const line of lines.slice(1, -1))
    expect(line).toMatch(
      /^sequenceDiagram$|^ {2}(?:participant \w+ as |Note over \w+: |\w+-(?:>>|->>|\))\w+: )[^<>\p{Cc}]*$/u,
    );
});

test('writes a file that only the user can read', async () => {
  const output = `${folder}/converted.html`;
  expect(await converted(hostile, 'html', '--output', output)).toBe('');
  expect(readFileSync(output, 'utf8')).toContain('&lt;/script&gt;&lt;img src=x');
  if (process.platform !== 'win32') expect(statSync(output).mode & 0o777).toBe(0o600);
});

test.each([
  ['long answers', 'x"<\n'.repeat(4_000), 'tool'],
  ['text with many bytes', '漢\u202e'.repeat(5_000), '漢'.repeat(5_000)],
])('2,000 events with %s take less than 3 MB of HTML, and short messages stay whole', async (_, text, name) => {
  const recording = new WrittenRecording({ server: name.slice(0, 900) })
    .call(0, 'short', { city: 'Oslo' })
    .text(0, 'Sunny');
  for (let id = 1; id < 999; id++) recording.call(id, name, { text }).text(id, text);
  const file = recording.stderr(text).came(text.slice(0, 9_000)).write();
  const page = await converted(Promise.resolve(file), 'html');
  expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
  expect(page).toContain('&quot;city&quot;: &quot;Oslo&quot;');
  expect(page).toContain(' characters)');
});

test('refuses an unknown format, and a server that the recording does not have', async () => {
  expect(await runCli(['convert', await versions, '--to', 'pdf'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('html, har, otlp, mermaid'),
  });
  expect(await runCli(['convert', await versions, '--to', 'har', '--server', 'testet'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no server named "testet"'),
  });
});
