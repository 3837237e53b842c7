import { expect, test } from 'vitest';
import type { Client } from '../../src/mcp/client/client.ts';
import { runCli } from '../cli/run-cli.ts';
import { recorded, replayFixture } from './recorded.ts';

async function use(client: Client): Promise<void> {
  await client.listTools();
  for (const tool of ['same', 'version', 'version']) await client.callTool(tool, {});
  await client.callTool('forecast', { city: 'Oslo' });
}

const version = (number: number, more?: (client: Client) => Promise<unknown>) =>
  recorded([process.execPath, replayFixture('versions'), String(number)], async (client) => {
    await use(client);
    await more?.(client);
  });

test('equal recordings do not differ', async () => {
  const [one, other] = await Promise.all([version(1), version(1)]);
  const { code, stdout, stderr } = await runCli(['diff', one, other]);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '',
    stderr: '0 definitions differ; calls: 4 same, 0 different, 0 added, 0 removed\n',
  });
});

test('shows changed definitions with their effects, and changed answers', async () => {
  const [one, other] = await Promise.all([version(1), version(2, (client) => client.callTool('further', {}))]);
  const { code, stdout, stderr } = await runCli(['diff', one, other]);
  const lines = stdout.split('\n').map((line) => line.replace(/ \d+ ms/g, ''));
  expect(lines).toEqual([
    '~ server',
    '    info is {"name":"versions","version":"2.0.0"} instead of {"name":"versions","version":"1.0.0"}',
    '~ tool forecast',
    '    description is "Weather of a town" instead of "Weather of a city"',
    '    annotations.readOnlyHint is false instead of true (breaking)',
    '    inputSchema.city was removed (breaking)',
    '    inputSchema.town was added, and is required (breaking)',
    '+ tool further',
    '~ tools/call version {"name":"version"}  ok → ok',
    '    result.content[0].text: "one" → "two"',
    '~ tools/call version {"name":"version"}  ok → ok',
    '    result.content[0].text: "one" → "two"',
    '~ tools/call forecast {"arguments":{"city":"Oslo"},"name":"forecast"}  ok → tool-error',
    '    result.content[0].text: "Sunny in Oslo" → "Invalid arguments for tool forecast: town is required"',
    '    result.isError: absent → true',
    '+ tools/call further {"name":"further"}  ok',
    '',
  ]);
  expect(code).toBe(1);
  expect(stderr).toBe('3 definitions differ; calls: 1 same, 3 different, 1 added, 0 removed\n');
});

test('prints one document with --json', async () => {
  const [one, other] = await Promise.all([version(2), version(1)]);
  const { code, stdout } = await runCli(['diff', one, other, '--json']);
  const { definitions, calls } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(definitions).toContainEqual({ what: 'tool', name: 'further', kind: 'removed', changes: [] });
  expect(calls).toContainEqual({
    method: 'tools/call',
    target: 'version',
    params: { name: 'version' },
    change: 'different',
    before: { outcome: 'ok', durationMs: expect.any(Number) },
    after: { outcome: 'ok', durationMs: expect.any(Number) },
    differences: [{ path: 'result.content[0].text', before: 'two', after: 'one' }],
  });
});

test('names a missing file and an unknown server', async () => {
  const file = await version(1);
  expect(await runCli(['diff', file, `${file}.missing`])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no recording .*missing/),
  });
  expect(await runCli(['diff', file, file, '--server', 'testet'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has no server named "testet"\nhint: Did you mean "tested"?'),
  });
});
