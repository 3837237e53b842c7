// Errors of a host for invalid entries, failed servers, and unknown names.

import { expect, test } from 'vitest';
import { Host } from '../../src/entry/host.ts';
import { counting, openHost } from './run-host.ts';

const typo = { comand: 'x' };

test('a call of a rejected entry fails with the problem and its position', async () => {
  const host = await openHost({ good: { command: process.execPath, autoStart: false }, typo });
  const reason = {
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/\.json:1:\d+: server "typo": There is no "command"/),
    hint: 'Did you mean "command" instead of "comand"?',
  };
  await expect(host.callTool('typo', 'x')).rejects.toMatchObject(reason);
  await expect(host.startServer('typo')).rejects.toMatchObject(reason);
  await expect(host.listTools('typo')).rejects.toMatchObject(reason);
  expect(host.rejected()).toMatchObject([{ server: 'typo', severity: 'error' }]);
});

test('a call of a rejected entry of a given config fails with the problem', async () => {
  const host = new Host({ mcpServers: { typo } });
  await expect(host.callTool('typo', 'x')).rejects.toThrow('In the given config: server "typo": There is no "command"');
});

test('tools reports a failed server with its error', async () => {
  const host = await openHost({ gone: { command: 'no-such-command-anywhere' } });
  await host.start();
  const { failed } = await host.tools();
  expect(failed).toMatchObject([{ server: 'gone', error: { code: 'SERVER_FAILED' } }]);
  expect(failed[0]!.error.message).toContain('no-such-command-anywhere');
});

test('suggests the closest name of a server or a tool', async () => {
  const { entry } = counting('guessed');
  const host = await openHost({ clock: entry });
  await host.start();
  const [tool] = await host.listTools('clock');
  await expect(host.callTool('clok', 'x')).rejects.toMatchObject({
    code: 'NAME_UNKNOWN',
    hint: 'Did you mean "clock"? There are: clock',
  });
  await expect(host.callTool('clock', `${tool!.name}s`)).rejects.toMatchObject({
    name: 'RpcError',
    hint: expect.stringContaining(`Did you mean "${tool!.name}"?`),
  });
});

test('a call of a stopped server fails with the command that starts it', async () => {
  const { entry } = counting('by-hand');
  const host = await openHost({ clock: entry });
  await host.start();
  await host.stopServer('clock');
  await expect(host.callTool('clock', 'x')).rejects.toMatchObject({
    code: 'SERVER_STOPPED',
    hint: expect.stringContaining('`standpipe start clock`'),
  });
});
