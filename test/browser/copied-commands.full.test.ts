// A command that the page copies does the same in a terminal as on the page: in any folder, beside other hosts.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/base/command-line.ts';
import { cleanEnv, folder, program, startCli, stopHost } from '../cli/run-cli.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, live, openTool, rows } from './on-page.ts';
import { serverFile } from './target.ts';

/** Starts the command line in a separate folder. Resolves to the address of its page. */
async function addressOf(args: readonly string[], cwd: string): Promise<string> {
  mkdirSync(cwd, { recursive: true });
  const child = startCli(args, { cwd });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  later(() => stopHost(child));
  const address = () => /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(log)?.[0];
  await until('the address is printed', () => address() !== undefined);
  return address()!;
}

/** Runs a command as if it was pasted into a terminal in another folder. */
async function run(command: string): Promise<string> {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  const quoted = `'${process.execPath}' '${program}'`;
  const words = ['-c', command.replace(/^standpipe/, quoted)];
  return (await promisify(execFile)('sh', words, { cwd: elsewhere, env: cleanEnv })).stdout;
}

function config(name: string): string {
  const file = join(folder, name, 'mcp.json');
  mkdirSync(join(folder, name), { recursive: true });
  const workbench = { command: process.execPath, args: [serverFile('workbench')] };
  writeFileSync(file, JSON.stringify({ mcpServers: { workbench } }));
  return file;
}

inBrowser('copied commands', () => {
  test('commands for a server after -- contain its command', async () => {
    const url = await addressOf(
      ['inspect', '--no-open', '--port', '0', '--', process.execPath, serverFile('workbench')],
      join(folder, 'own'),
    );
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'echo');
    await form.getByLabel(/^text/).fill('12');
    await page.getByRole('button', { name: 'Copy as command' }).click();
    await page.getByText('Command copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain(` -- ${shellWord(process.execPath)} `);
    expect(await run(copied)).toBe('12\n');
  });

  test('commands for one of two hosts contain its config', async () => {
    const file = config('first');
    const url = await addressOf(['up', '--port', '0', '--config', file], join(folder, 'first'));
    await addressOf(['up', '--port', '0', '--config', config('second')], join(folder, 'second'));
    const page = await openPage(`${url}#/tools`);
    await page.getByRole('link', { name: /^echo/ }).waitFor();
    const form = await openTool(page, 'echo');
    await form.getByLabel(/^text/).fill('first of two');
    await page.getByRole('button', { name: 'Copy as command' }).click();
    await page.getByText('Command copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain(`--config ${file}`);
    expect(await run(copied)).toBe('first of two\n');
    const all = await openPage(await addressOf(['inspect', '--no-open', '--port', '0'], join(folder, 'all')));
    await live(all);
    await all.goto(`${all.url().replace(/#.*/, '')}#/tools`);
    await all.getByRole('link', { name: /^echo/ }).first().click();
    await all.getByLabel(/^text/).fill('seen from outside');
    await all.getByRole('button', { name: 'Copy as command' }).click();
    await all.getByText('Command copied').waitFor();
    const other = String(await all.evaluate('navigator.clipboard.readText()'));
    expect(other).toContain('mcp.json');
    expect(await run(other)).toBe('seen from outside\n');
  });

  test('are not copied if they contain a masked secret', async () => {
    const url = await addressOf(
      ['inspect', '--no-open', '--port', '0', '--', process.execPath, serverFile('workbench')],
      join(folder, 'secret'),
    );
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'echo');
    await form.getByRole('tab', { name: 'JSON' }).click();
    await form.getByLabel('arguments as JSON').fill('{"text": "x", "password": "hunter2hunter2"}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/wire?method=tools/call'`);
    await rows(page).first().click();
    await detail(page).getByRole('button', { name: 'Copy as standpipe call' }).click();
    await page.getByText(/Not copied: the message contains secrets/).waitFor();
  });
});
