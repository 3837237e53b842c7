// Access of a browser: through a file that redirects to the page, and from there in other tabs. The token is never in an argument.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCli, stopHost, writeConfig } from '../cli/run-cli.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { privateMode } from '../fixtures/windows.ts';
import { inBrowser, openPage } from './chromium.ts';
import { live, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

const folder = temporaryFolder('access');

/** A program that records its arguments in place of opening a browser. */
function fakeOpener(): { path: string; seen: string } {
  const seen = join(folder, 'arguments');
  const file = join(folder, 'xdg-open');
  writeFileSync(file, `#!/bin/sh\ntr '\\0' '\\n' </proc/$$/cmdline >"${seen}.new"\nmv "${seen}.new" "${seen}"\n`);
  chmodSync(file, 0o755);
  return { path: `${folder}:${process.env.PATH}`, seen };
}

inBrowser('getting in', () => {
  test.runIf(process.platform === 'linux')('the program that opens the browser does not get the token', async () => {
    const opener = fakeOpener();
    const host = startCli(['up', '--open', '--port', '0', '--config', writeConfig('open.json', {})], {
      env: { PATH: opener.path },
    });
    let log = '';
    host.stdout.on('data', (chunk) => (log += chunk));
    host.stderr.on('data', (chunk) => (log += chunk));
    const stopped = { done: false };
    later(async () => {
      if (!stopped.done) await stopHost(host);
    });
    await until(`the opener ran: ${log}`, () => existsSync(opener.seen), 60_000);
    const [token] = /(?<=token=)[\w-]+/.exec(log)!;
    const words = readFileSync(opener.seen, 'utf8').trim().split('\n');
    const file = words.at(-1)!;
    expect(words.join(' ')).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(privateMode);
    expect(readFileSync(file, 'utf8')).toContain(token);
    const ps = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(ps).not.toContain(token);

    const page = await openPage(`file://${file}`, { expects: /^asked for file:|ERR_/ }); // the host also ends during this test
    await live(page);
    expect(page.url()).not.toContain(token);
    await stopHost(host);
    stopped.done = true;
    expect(existsSync(file)).toBe(false);
  });

  test('opens a link in a new tab, but not the page of another Inspector', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'fail', {});
    const page = await openPage(url);
    await live(page);
    const opened = page.context().waitForEvent('page');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Wire/ })
      .click({ modifiers: ['ControlOrMeta'] });
    const tab = await opened;
    await live(tab);
    await rows(tab).first().waitFor();
    expect(tab.url()).not.toContain('token=');

    const other = await openInspector('workbench');
    const stranger = await page.context().newPage();
    await stranger.goto(new URL('/', other.url).href);
    await stranger.getByRole('heading', { name: 'This page requires a token' }).waitFor();
  });

  test('hides secrets until the user shows them, in this tab only', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'echo', { text: 'token=hunter22' });
    const page = await openPage(`${url}#/wire`);
    await live(page);
    const text = async () => ((await page.locator('.timeline').textContent()) ?? '').replaceAll(/\s+/g, ' ');
    await soon(text).toContain('token=[redacted]');
    expect(await text()).not.toContain('hunter22');
    await page.getByRole('button', { name: 'Show secrets' }).click();
    await soon(text).toContain('token=hunter22');
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByRole('button', { name: 'Show secrets' }).waitFor();
    await page.getByRole('button', { name: 'Hide secrets' }).click();
    await soon(text).toContain('token=[redacted]');
  });
});
