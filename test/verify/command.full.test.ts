// The command: how it finds the server, its reports and its exit codes.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { startHttpTap } from '../../src/observe/tap/http/http-tap.ts';
import { folder, runCli, writeConfig } from '../cli/run-cli.ts';
import { serveOurs } from '../fixtures/interop/serve.mjs';
import { later } from '../fixtures/later.ts';
import { newFile } from '../replay/record-tour.ts';
import { recordedVolatile, volatile } from './volatile.ts';

const [command, ...args] = volatile();
// A busy machine may take any time.
const steady = ['--slower-factor', '1000000', '--allow-calls', 'create'];

test('a server of the config is verified by its name, with reports as files', async () => {
  const file = await recordedVolatile();
  const config = writeConfig('verified.json', {
    notes: { command: command!, args },
    changed: { command: command!, args: [...args, 'text'] },
    fixed: { command: command!, args: [...args, 'fixed'] },
  });
  const [xml, html] = [`${folder}/verify.xml`, `${folder}/verify.html`];
  const run = (name: string, ...more: string[]) =>
    runCli(['verify', file, name, '--config', config, ...steady, '--junit', xml, '--html', html, ...more]);
  expect(await run('notes', '--learn')).toMatchObject({ code: 0, stderr: `Saved ${xml}\nSaved ${html}\n` });

  const same = await run('notes', '--strict');
  expect(same).toMatchObject({ code: 0, stdout: '15 same, 0 not run, 0 fixed, 0 different, 0 newly failing\n' });
  expect(readFileSync(xml, 'utf8')).toMatch(/^<\?xml[\s\S]*tests="15" failures="0" skipped="0" errors="0"/);
  expect(readFileSync(html, 'utf8')).toContain('No request failed: 15 same');

  const changed = await run('changed');
  expect(changed.stdout.split('\n').slice(0, 2)).toEqual([
    '~ tools/call forecast (request 4): different {"name":"forecast","arguments":{"city":"Oslo"}}',
    '    result.content[0].text: "Sunny in Oslo" → "Rainy in Oslo"',
  ]);
  expect(changed.code).toBe(1);
  expect(readFileSync(xml, 'utf8')).toContain('<failure type="different" message="different">');
  expect(readFileSync(html, 'utf8')).toContain('<h2>Different (1)</h2>');

  expect(await run('fixed')).toMatchObject({ code: 0, stdout: expect.stringContaining('fixed (tool-error → ok)') });
  expect(readFileSync(xml, 'utf8')).toContain('<system-out>fixed: ');
  expect((await run('fixed', '--strict')).code).toBe(1);
  expect(readFileSync(xml, 'utf8')).toContain('<failure type="fixed"');
});

test('a remote server is verified by its URL', async () => {
  const { url, close } = await serveOurs();
  later(async () => void (await close()));
  const file = newFile();
  const tap = await startHttpTap({ url, record: file, announce: false, name: 'remote' }, () => undefined);
  const client = await connect({ url: tap.address, auth: false });
  await client.listTools();
  await client.callTool('echo', { text: 'once' });
  await client.close();
  await tap.close();
  for (const place of [[url], ['--url', url]]) {
    const { code, stdout } = await runCli(['verify', file, ...place, '--allow-calls', 'echo', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { same: 2, different: 0, skipped: 0 }, server: url });
    expect(code).toBe(0);
  }
  const away = await runCli(['verify', file, 'http://127.0.0.1:1/mcp', '--timeout', '5s']);
  expect(away.code).toBe(3);
});
