// A host of another version runs for the config: every command reports that with a remedy. On Windows such a host listens at another name,
// and is not found.

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { controlPathOf } from '../../src/app/cli/servers/running-host.ts';
import { ensureRuntimeFolder, runtimeFolder } from '../../src/observe/live/runtime-folder.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { everythingEntry, folder, runCli, writeConfig } from './run-cli.ts';

const isWindows = process.platform === 'win32';
const config = writeConfig('versions.json', { everything: everythingEntry });
const before = process.env.XDG_RUNTIME_DIR;
let listener: Server;

/** The first version answered only methods that begin with `host/`. */
beforeAll(async () => {
  if (isWindows) return;
  process.env.XDG_RUNTIME_DIR = folder;
  ensureRuntimeFolder(runtimeFolder());
  listener = createServer((socket) => {
    const peer = new Peer(StreamTransport.over(socket));
    peer.handle('host/status', () => ({ servers: [{ name: 'everything' }] }));
    peer.handle('host/down', () => ({ pid: process.pid }));
    void peer.start();
  }).listen(controlPathOf({ config }));
  await once(listener, 'listening');
});
afterAll(() => {
  listener?.close();
  if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = before;
});

test
  .skipIf(isWindows)
  .each([[['ls']], [['call', 'everything', 'greet', 'name=x']], [['tools']], [['stop', 'everything']], [['down']]])(
  '%j reports the version and the remedy',
  async (command) => {
    const { code, stdout, stderr } = await runCli([...command, '--config', config]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: The running host of this config is an earlier version of Standpipe; this is \d/);
    expect(stderr).toContain('hint: End it with its own `standpipe down`');
  },
);

test.skipIf(isWindows)('up does not replace the running host', async () => {
  const { code, stderr } = await runCli(['up', '--config', config]);
  expect(code).toBe(2);
  expect(stderr).toContain('error: A host for this config or node is already running\n');
});
