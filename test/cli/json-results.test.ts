// Results with `--json`: the members from the server, and facts of the command.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingEntry, fixturePath, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const entry = { command: process.execPath, args: [fixturePath('extra-members.mjs')] };
const behindHost = ['--config', writeConfig('extra.json', { everything: everythingEntry, extra: entry })];
let host: Awaited<ReturnType<typeof startHost>>;
beforeAll(async () => {
  host = await startHost(behindHost);
});
afterAll(() => stopHost(host));

const own = { _meta: { 'example.org/cost': 3 }, cost: { units: [1, 2] } };

/** Members of 2026-07-28, which a host adds to each result. */
const ofHost = ['resultType', 'ttlMs', 'cacheScope'];
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

describe.each([
  ['of a server for one command', 'extra-members', [], ['--', entry.command, ...entry.args]],
  ['of a running host', 'extra', ['extra'], behindHost],
])('--json %s prints _meta and unknown members unchanged', (_how, server, name, options) => {
  const document = async (command: string, ...words: string[]) => {
    const { stdout, stderr } = await runCli([command, ...name, ...words, '--json', ...options]);
    expect(stderr).toBe('');
    const result = JSON.parse(stdout);
    if (options === behindHost) for (const member of ofHost) delete result[member];
    if (options === behindHost && result._meta) delete result._meta[SERVER_INFO];
    return result;
  };

  test('call prints unknown members unchanged', async () => {
    expect(await document('call', 'open')).toEqual({
      ...{ server, tool: 'open', isError: false, saved: [], ...own },
      content: [{ type: 'text', text: 'hi', extra: 1 }],
      ran: { server, pid: expect.any(Number), generation: 1 },
    });
  });

  test('tools prints unknown members unchanged', async () => {
    const tool = { name: 'open', address: 'open', sharedWith: [], inputSchema: { type: 'object' } };
    expect(await document('tools')).toEqual({ tools: [{ server, ...tool, ...own, saved: 'forged' }], failed: [] });
  });

  test('read prints unknown members unchanged', async () => {
    const contents = [{ uri: 'doc://a', text: 'one', extra: 1 }];
    expect(await document('read', 'doc://a')).toEqual({ server, uri: 'doc://a', saved: [], contents, ...own });
    expect((await document('read')).resources).toEqual([
      { uri: 'doc://a', name: 'a', ...own, server: 'forged', saved: 'forged' },
    ]);
  });

  test('prompt prints unknown members unchanged', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hello', extra: 1 } }];
    expect(await document('prompt', 'hello')).toEqual({ server, prompt: 'hello', messages, ...own, saved: 'forged' });
  });
});
