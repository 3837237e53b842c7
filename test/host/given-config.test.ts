// A host from a config object, in the shape of the files in common use.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import type { GivenServer } from '../../src/config/given-config.ts';
import type { commandKeys, remoteKeys, settingKeys } from '../../src/config/read/keys.ts';
import type { CommandConfig } from '../../src/config/server-config.ts';
import { type GivenConfig, Host } from '../../src/entry/host.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { later } from '../fixtures/later.ts';
import { counting, folder } from './run-host.ts';

let host: Host | undefined;
afterEach(() => host?.stop());

const command = process.execPath;

describe.each(['mcpServers', 'servers'])('config object with %s', (key) => {
  test('starts the servers, with their env and the default settings', async () => {
    const { entry, lives } = counting(`given-${key}`);
    host = new Host({ [key]: { counts: entry } });
    expect(await host.start()).toMatchObject([{ name: 'counts', state: 'ready' }]);
    expect(lives()).toHaveLength(1);
    const [server] = host.config!.servers;
    expect(server).toMatchObject({ cwd: process.cwd(), requestTimeoutMs: 60_000, restart: { policy: 'always' } });
    expect(host.config!.problems).toEqual([]);
  });
});

test('reaches a remote server', async () => {
  const server = new Server({ name: 'far', version: '1.0.0' });
  server.tool('where', {}, () => 'far away');
  const http = await serveHttp(server);
  later(() => http.close());
  host = new Host({ mcpServers: { far: { url: http.url, headers: { Authorization: `Bearer ${http.token}` } } } });
  expect(await host.start()).toMatchObject([{ name: 'far', state: 'ready' }]);
  expect((await host.callTool('far', 'where')).content).toEqual([{ type: 'text', text: 'far away' }]);
  expect(JSON.stringify(host.status())).not.toContain(http.token);
});

test('Host.open accepts a config object', async () => {
  const opened = await Host.open({ mcpServers: { one: { command, autoStart: false } } });
  expect(opened.names).toEqual(['one']);
});

test('an invalid entry does not affect others, and is reported as in a file', () => {
  const given = {
    mcpServers: { good: { command }, wrong: { command, args: '-y server' }, slip: { command, arguments: [] } },
  };
  host = new Host(given as unknown as GivenConfig);
  expect(host.names).toEqual(['good', 'slip']);
  expect(host.config!.rejected).toMatchObject([{ name: 'wrong', message: expect.stringContaining('"args" must be') }]);
  expect(host.config!.problems).toMatchObject([
    { severity: 'error', server: 'wrong', file: 'the given config', suggestion: expect.stringContaining('"args": [') },
    { severity: 'warning', server: 'slip', message: 'Unknown key "arguments"' },
  ]);
});

test('variables, inputs and an envFile work as in a file', () => {
  const envFile = join(folder, 'given.env');
  writeFileSync(envFile, 'FROM_FILE=yes\n');
  host = new Host({
    inputs: [{ id: 'token', default: 'tok-123', password: true }],
    servers: {
      one: { command, args: ['${workspaceFolder}', '${input:token}'], envFile, env: { PORT: 8080, GONE: undefined } },
      two: { command, args: ['${NOBODY_HAS_SET_THIS}'] },
      three: { command, envFile: 'not-there.env' },
    },
  });
  expect(host.names).toEqual(['one']);
  const one = host.config!.servers[0] as CommandConfig;
  expect(one).toMatchObject({ args: [process.cwd(), 'tok-123'], secrets: ['tok-123'] });
  expect(one.env).toEqual({ FROM_FILE: 'yes', PORT: '8080' });
  expect(host.config!.problems.map(({ server, code }) => [server, code])).toEqual([
    ['two', 'VARIABLE_NOT_SET'],
    ['three', 'CONFIG_INVALID'],
  ]);
});

test.each([
  ['no servers', {}, 'CONFIG_INVALID', 'In the given config: There is no "mcpServers"'],
  ['no object', null, 'CONFIG_INVALID', 'In the given config: A config must be an object'],
  ['a file name', 'mcp.json', 'INVALID_OPTION', 'not a file name'],
  [
    'a value that is no plain data',
    { mcpServers: { a: { command, env: { N: 1n } } } },
    'CONFIG_INVALID',
    'cannot be written as JSON',
  ],
])('rejects %s with an error and a hint', (_what, given, code, message) => {
  expect(() => new Host(given as never)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message), hint: expect.stringMatching(/\w/) }),
  );
});

test('the type has every key that a server in a file may have', () => {
  expectTypeOf<keyof typeof settingKeys | keyof typeof commandKeys | keyof typeof remoteKeys>().toExtend<
    keyof GivenServer
  >();
});
