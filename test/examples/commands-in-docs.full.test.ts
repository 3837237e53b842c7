// Runs the command lines of docs that start a server from a file, unchanged, in a folder with files of these names.
// readme-as-printed.full.test.ts runs those of the README.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { root } from '../repository/files.ts';
import { documentedCommands } from './commands-in-docs.ts';

const folder = temporaryFolder('commands-in-docs');
const path = (...names: string[]) => JSON.stringify(join(root, ...names));
writeFileSync(
  join(folder, 'server.mjs'),
  `import { Server, serveStdio } from ${path('dist/entry/server.js')};
const server = new Server({ name: 'documented', version: '1.0.0' });
server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }, ({ a, b }) => String(a + b));
for (const name of ['search', 'list_notes', 'sleep']) server.tool(name, {}, () => name);
await serveStdio(server);
`,
);
copyFileSync(join(root, 'examples/servers/python/server.py'), join(folder, 'server.py'));
copyFileSync(join(root, 'examples/litemcp/calculator.py'), join(folder, 'calculator.py'));
writeFileSync(
  join(folder, 'client.mjs'),
  `await import(process.env.LITEMCP ? ${path('examples/litemcp/client.mjs')} : ${path('test/fixtures/check/client/drivers/standpipe.mjs')});\n`,
);
const files = ['server.mjs', 'server.py', 'calculator.py', 'client.mjs'];
/** One rule of each check, because the rules have their own tests. */
const opening = {
  server: ['--rule', 'lifecycle/opens'],
  client: ['--rule', 'client-lifecycle/opens'],
  'litemcp server': ['--rule', 'litemcp-messages/get-is-answered'],
  'litemcp client': ['--rule', 'litemcp-client/opens'],
};

const runnable = documentedCommands.filter(({ page, words }) => {
  const [command] = words;
  const started = words.slice(words.indexOf('--') + 1);
  const isRun = command === 'check' || command === 'tools' || command === 'call';
  return (
    page !== 'README.md' && page !== 'README.zh-CN.md' && isRun && words.includes('--') && files.includes(started[1]!)
  );
});

test('finds command lines that can run', () => {
  expect(runnable.length).toBeGreaterThan(10);
});

// One after the other, because one command writes a baseline that the next one reads.
test.each(runnable)('runs $line of $page', async ({ words }) => {
  const isLite = words.includes('--litemcp');
  const role = words.includes('--client') ? 'client' : 'server';
  const [command, ...rest] = words as [string, ...string[]];
  const added = command === 'check' ? opening[isLite ? (`litemcp ${role}` as const) : role] : [];
  const env = isLite ? { LITEMCP: '1' } : {};
  const ran = await runCli([command, ...added, ...rest], { cwd: folder, env });
  expect(ran).toMatchObject({ code: 0 });
});
