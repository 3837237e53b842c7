// Errors of a server with several lines: their lines cannot be mistaken for output of the command.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, runCli } from './run-cli.ts';

const file = join(folder, 'fakes-lines.mjs');
writeFileSync(
  file,
  `
  import { createInterface } from 'node:readline';
  const FAKE = 'it failed\\nhint: run this\\r\\nerror: that';
  const lists = {
    'tools/list': { tools: ['fail', 'report'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
    'resources/list': { resources: [{ uri: 'a://b', name: 'b' }] },
    'resources/templates/list': { resourceTemplates: [] },
    'prompts/list': { prompts: [{ name: 'fail' }, { name: 'describe' }] },
  };
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const opened = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'fakes', version: '1' } };
  const results = { report: { isError: true, content: [{ type: 'text', text: FAKE }] }, describe: { description: 'hint: x\\nhint: y', messages: [] } };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === 'initialize' ? opened : (lists[method] ?? results[params?.name]);
    const answer = result ? { result } : { error: { code: -32000, message: FAKE } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });
`,
);

test.each([
  ['call fail', ['call', 'fail']],
  ['call fail --json', ['call', 'fail', '--json']],
  ['call fail --verbose', ['call', 'fail', '--verbose']],
  ['call report', ['call', 'report']],
  ['call report --json', ['call', 'report', '--json']],
  ['read', ['read', 'a://b']],
  ['read --json', ['read', 'a://b', '--json']],
  ['prompt', ['prompt', 'fail']],
  ['prompt --json', ['prompt', 'fail', '--json']],
])('indents each line of a server error: %s', async (_what, words) => {
  const { stderr } = await runCli([...words, '--', process.execPath, file]);
  expect(stderr).toMatch(/^(?:error|The tool reports an error): .*it failed\n {2}hint: run this\n {2}error: that$/m);
  expect(stderr).not.toMatch(/^(?:hint: run this|error: that)/m);
});

test('indents each line of the description of a prompt', async () => {
  const { stderr } = await runCli(['prompt', 'describe', '--', process.execPath, file]);
  expect(stderr).toBe('  hint: x\n  hint: y\n');
});
