// `standpipe tools --cost`: what the definitions and results of tools cost a model.

import { expect, test } from 'vitest';
import { recorded, replayFixture } from '../replay/recorded.ts';
import { everything, everythingEntry, runCli, writeConfig } from './run-cli.ts';

interface Report {
  tokenizer: string;
  total: { tools: number; tokens: number; bytes: number };
  servers: { server: string; tools: number; tokens: number }[];
  tools: {
    server: string;
    name: string;
    tokens: number;
    bytes: number;
    results?: { calls: number; mostTokens: number };
  }[];
}

test('lists the tools of a server by their cost, largest first', async () => {
  const { code, stdout } = await runCli(['tools', '--cost', '--json', ...everything]);
  expect(code).toBe(0);
  const { total, servers, tools, tokenizer } = JSON.parse(stdout) as Report;
  expect(tokenizer).toContain('o200k_base');
  expect(tools[0]!.name).toBe('typed'); // it has the longest schema
  expect(tools.map(({ tokens }) => tokens)).toEqual(tools.map(({ tokens }) => tokens).sort((a, b) => b - a));
  expect(total.tokens).toBe(tools.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(servers).toMatchObject([{ tools: tools.length, tokens: total.tokens }]);
  for (const { tokens, bytes } of tools) expect(bytes).toBeGreaterThan(tokens);
});

test('sums the cost of each server of a config', async () => {
  const config = writeConfig('cost.json', { one: everythingEntry, two: everythingEntry });
  const { code, stdout, stderr } = await runCli(['tools', '--cost', '--config', config]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(one|two)\ttyped\t\d+\t\d+/);
  expect(stderr).toMatch(/^one: \d+ tools, \d+ tokens, \d+ bytes\ntwo: .*\n\d+ tools, .*estimated\.$/m);
});

test('measures definitions and results in a recording', async () => {
  const file = await recorded([process.execPath, replayFixture('versions'), '1'], async (client) => {
    await client.listTools();
    for (const city of ['Oslo', 'Bergen']) await client.callTool('forecast', { city });
  });
  const { stdout } = await runCli(['tools', '--cost', '--recording', file, '--json']);
  const { tools } = JSON.parse(stdout) as Report;
  expect(tools.find(({ name }) => name === 'forecast')).toMatchObject({ results: { calls: 2 } });
  expect(tools.find(({ name }) => name === 'forecast')!.results!.mostTokens).toBeGreaterThan(0);
  expect(await runCli(['tools', '--recording', file])).toMatchObject({ code: 2 });
});
