import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, soon } from './on-page.ts';
import { openInspector, openRecording } from './target.ts';

/** Members of an element that the tests use: they are compiled without the types of a browser. */
interface Scrolled {
  scrollHeight: number;
  scrollTop: number;
  clientHeight: number;
  scrollTo(x: number, y: number): void;
}

inBrowser('latency, stderr and problems', () => {
  test('latency has a row for each method and tool, a plot, and a link to the wire', async () => {
    const { url, host } = await openInspector('workbench');
    for (let at = 0; at < 20; at++) await host.callTool('workbench', 'echo', { text: String(at) });
    await host.callTool('workbench', 'fail', {});
    const page = await openPage(`${url}#/latency`);
    const row = page.getByRole('row').filter({ hasText: 'echo' });
    await row.getByRole('cell', { name: '20', exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'fail' }).getByText('1 (100.0%)').waitFor();
    await page.locator('.plot canvas').waitFor();
    await row.getByRole('button', { name: 'Plot' }).click();
    await page.getByRole('img', { name: /20 responses, 0 errors/ }).waitFor();
    await host.callTool('workbench', 'echo', { text: 'one more' });
    await row.getByRole('cell', { name: '21', exact: true }).waitFor();
    await row.getByRole('link', { name: 'Wire' }).click();
    await soon(() => page.locator('.figures').textContent()).toMatch(/^42 of/);
  });

  test('stderr can be searched, and every line links to its event on the wire', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/stderr`);
    await page.getByText('workbench: listening').waitFor();
    await host.callTool('workbench', 'pollute', {});
    await page.getByText('somebody prints to stdout').waitFor();
    await page.getByLabel('Find in stderr').fill('somebody');
    await page.getByText('1 line', { exact: true }).waitFor();
    await page.getByRole('link', { name: /somebody prints/ }).click();
    await detail(page).waitFor();
    expect(await page.locator('.row.cursor').getAttribute('class')).toContain('g-stderr');
  });

  test('stderr of all servers opens at its newest line and follows until the user scrolls', async () => {
    const { url, host } = await openInspector('workbench', 'hostile');
    for (let at = 0; at < 80; at++) await host.callTool('workbench', 'pollute', {});
    const page = await openPage(`${url}#/stderr`);
    const lines = page.getByRole('region', { name: 'Lines of stderr' });
    const fromEnd = () =>
      lines.evaluate((element) => {
        const { scrollHeight, scrollTop, clientHeight } = element as unknown as Scrolled;
        return scrollHeight - scrollTop - clientHeight;
      });
    await lines.getByText('workbench', { exact: true }).first().waitFor();
    await soon(fromEnd).toBeLessThan(22);
    await host.callTool('workbench', 'complain', {});
    await lines.getByText('the newest complaint').waitFor();
    await soon(fromEnd).toBeLessThan(22);
    await lines.evaluate((element) => (element as unknown as Scrolled).scrollTo(0, 0));
    await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor();
    await host.callTool('workbench', 'complain', {});
    await page.getByText('83 lines').waitFor();
    expect(await lines.evaluate((element) => (element as unknown as Scrolled).scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await soon(fromEnd).toBeLessThan(22);
  });

  test('problems are explained, with a link to their event', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/problems`);
    await live(page);
    await host.callTool('workbench', 'pollute', {});
    const problem = page.getByRole('listitem').filter({ hasText: 'stdout pollution' });
    await problem.getByText(/stderr/).waitFor();
    await problem.getByRole('link', { name: /Show on the wire/ }).click();
    await soon(() => page.locator('.row.cursor').textContent()).toContain('DEBUG: connected');
    await goTo(page, '#/problems');
    expect(await page.getByRole('listitem').count()).toBeGreaterThan(0);
  });

  test('a recording can be viewed, and explains why it cannot be called', async () => {
    const { url } = await openRecording(60);
    const page = await openPage(`${url}#/tools`);
    await page.getByText('A recording can only be watched').waitFor();
    await page.getByRole('link', { name: 'wire', exact: true }).click();
    await page.locator('.row').nth(1).waitFor();
    await goTo(page, '#/servers');
    await page.getByRole('region', { name: 'weather' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Start|Stop|Restart)/ }).count()).toBe(0);
  });
});
