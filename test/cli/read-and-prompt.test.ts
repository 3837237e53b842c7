// `standpipe read` and `standpipe prompt`, as processes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  everything,
  everythingEntry,
  finished,
  folder,
  runCli,
  startCli,
  startHost,
  stopHost,
  writeConfig,
} from './run-cli.ts';

// Most reads use one host, because their subject does not depend on how the server was started.
const behindHost = ['--config', writeConfig('host.json', { everything: everythingEntry })];
let host: Awaited<ReturnType<typeof startHost>>;
beforeAll(async () => {
  host = await startHost(behindHost);
});
afterAll(() => stopHost(host));

describe('read and prompt', () => {
  test('read prints exactly the bytes of a resource in a pipe', async () => {
    expect(await runCli(['read', 'doc://readme', ...everything])).toEqual({
      code: 0,
      stdout: 'no newline at the end',
      stderr: '',
    });
    const child = startCli(['read', 'everything', 'doc://logo', ...behindHost]);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    await finished(child);
    expect([...Buffer.concat(chunks)]).toEqual([0, 1, 2, 255]);
    await runCli(['read', 'everything', 'doc://logo', '--output', 'logo.png', ...behindHost]);
    expect([...readFileSync(join(folder, 'logo.png'))]).toEqual([0, 1, 2, 255]);
  });

  test('read lists resources without a URI', async () => {
    const { stdout } = await runCli(['read', 'everything', ...behindHost]);
    expect(stdout).toBe('doc://readme\treadme\ttext/plain\t\ndoc://logo\tlogo\timage/png\t\n');
  });

  test('--json prints results with their server', async () => {
    const { stdout } = await runCli(['read', 'everything', 'doc://readme', '--json', ...behindHost]);
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'everything',
      uri: 'doc://readme',
      contents: [{ uri: 'doc://readme', mimeType: 'text/plain', text: 'no newline at the end' }],
      saved: [],
    });
    const prompt = await runCli(['prompt', 'everything', 'review', 'code=x', '--json', ...behindHost]);
    expect(JSON.parse(prompt.stdout)).toMatchObject({
      server: 'everything',
      prompt: 'review',
      description: 'Reviews code',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review x (any style)' } }],
    });
  });

  test('prompt checks the arguments and prints the prompt', async () => {
    writeFileSync(join(folder, 'code.py'), 'print(1)');
    const { stdout } = await runCli(['prompt', 'everything', 'review', 'code=@code.py', 'style=short', ...behindHost]);
    expect(stdout).toBe('user: Review print(1) (short style)\n');
    const missing = await runCli(['prompt', 'everything', 'review', ...behindHost]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('review needs "code"') });
    const unknown = await runCli(['prompt', 'everything', 'reviw', ...behindHost]);
    expect(unknown.stderr).toContain('Did you mean "review"?');
    expect((await runCli(['prompt', 'everything', ...behindHost])).stdout).toBe('review\tcode [style]\tReviews code\n');
  });
});
