// The examples work, and all code in docs/litemcp.md is part of one of them.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toolPrompt } from '../../src/entry/litemcp.ts';
import { calculatorTool } from '../../src/litemcp/memory.contract.ts';
import { makeTool } from '../../src/litemcp/tool.ts';
import { canRun, node, path, python } from './raw-process.ts';

const run = promisify(execFile);
const servers = [
  ['calculator.mjs', node('examples/litemcp/calculator.mjs')],
  ['calculator.py', python('examples/litemcp/calculator.py')],
] as const;

describe.each(servers.filter(canRun))('the client with %s', (_name, { command, args }) => {
  test('shows the prompt and the results', async () => {
    const client = node('examples/litemcp/client.mjs');
    const { stdout, stderr } = await run(client.command, [...client.args, command, ...args]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Tool "Calculator": A simple calculator\n/);
    expect(stdout).toMatch('\n2 + 3 = 5 \n40 + 2 = 42\nThe model gets: 1.5\n');
  });
});

test('the code in the documentation is that of the examples', () => {
  const sources = ['calculator.mjs', 'calculator.py', 'client.mjs', 'as-mcp.mjs', 'mcp-tool.mjs'].map((name) =>
    readFileSync(path(`examples/litemcp/${name}`), 'utf8'),
  );
  const page = readFileSync(path('docs/litemcp.md'), 'utf8');
  const snippets = [...page.matchAll(/```(?:js|python)\n(.*?)```/gs)].map(([, code]) => code!);
  expect(snippets.length).toBeGreaterThan(4);
  expect(page).toContain(`\`\`\`text\n${toolPrompt(makeTool(calculatorTool))}\n\`\`\``);
  for (const code of snippets)
    expect(
      sources.some((source) => source.includes(code)),
      code,
    ).toBe(true);
});
