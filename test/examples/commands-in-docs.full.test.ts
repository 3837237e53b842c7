// The command lines in docs that start a server of a file are run, as they are printed, beside files with these names. Those that the README has
// are run by readme-as-printed.full.test.ts.

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
/** One rule of each check: the rules have tests of their own. */
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

test('there are such command lines', () => {
  expect(runnable.length).toBeGreaterThan(10);
});

// One after the other: a baseline is written by one and read by the next.
test.each(runnable)('$page: $line', async ({ words }) => {
  const isLite = words.includes('--litemcp');
  const role = words.includes('--client') ? 'client' : 'server';
  const [command, ...rest] = words as [string, ...string[]];
  const added = command === 'check' ? opening[isLite ? (`litemcp ${role}` as const) : role] : [];
  const env = isLite ? { LITEMCP: '1' } : {};
  const ran = await runCli([command, ...added, ...rest], { cwd: folder, env });
  expect(ran).toMatchObject({ code: 0 });
});
