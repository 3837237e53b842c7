// Servers and other users that try to block the command line or to write control characters to its terminal.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Socket, type Server as SocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutputStream } from '../../src/app/cli/output/output.ts';
import { Activity, describeProgress, type Progress } from '../../src/app/cli/output/output.ts';
import { controlPathOf, findRunningHost } from '../../src/app/cli/servers/running-host.ts';
import type { PeerError } from '../../src/base/errors.ts';
import { findLive } from '../../src/observe/live/find-live.ts';
import { writeDescriptor } from '../../src/observe/live/runtime-folder.ts';
import { cleanEnv, dangerous, program, writeConfig } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';
import { hostileEntry, runToEnd } from './raw-server.ts';

test('the command line shows a schema that contains itself four times, and exits', async () => {
  const config = writeConfig('endless.json', { endless: hostileEntry('offers-a-schema-of-itself') });
  const { stdout } = await runToEnd([program, 'tools', '--config', config], cleanEnv);
  expect(stdout).toContain('endless');
});

describe('progress of wrong types', () => {
  const title = '\u001b]0;x\u0007';
  const odd: [string, object][] = [
    ['a message that is a number', { progress: 1, message: 5 }],
    ['a number that is a command to the terminal', { progress: title }],
    ['a total that is a command to the terminal', { progress: 1, total: title }],
    ['an object that cannot be made a string', { progress: { toString: 1 }, total: {}, message: { toString: 1 } }],
    ['a message that is a command to the terminal', { progress: 1, message: title }],
  ];

  test.each(odd)('%s is described without control characters', (_, progress) => {
    expect(dangerous(describeProgress(progress as Progress))).toEqual([]);
  });

  test.each(odd)('%s does not break the progress line', async (_, progress) => {
    let shown = '';
    const terminal: OutputStream = {
      columns: 80,
      write(text) {
        shown += text;
        return true;
      },
    };
    const activity = new Activity(terminal);
    try {
      activity.begin('Calling');
      activity.progress(progress as Progress);
      await until('the line was drawn twice', () => shown.split('Calling').length > 2);
    } finally {
      activity.end();
    }
    expect(shown).not.toContain('\u001b]');
  });
});

describe.skipIf(process.platform === 'win32')('a runtime folder that is writable by all', () => {
  let ofSession: string;
  let before: string | undefined;
  const heard: Socket[] = [];
  const listeners: SocketServer[] = [];

  beforeEach(() => {
    ofSession = mkdtempSync(join(tmpdir(), 'standpipe-hostile-'));
    before = process.env.XDG_RUNTIME_DIR;
    process.env.XDG_RUNTIME_DIR = ofSession;
  });

  afterEach(async () => {
    if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
    else process.env.XDG_RUNTIME_DIR = before;
    for (const socket of heard.splice(0)) socket.destroy();
    await Promise.all(listeners.splice(0).map((each) => new Promise((resolve) => each.close(resolve))));
    rmSync(ofSession, { recursive: true, force: true });
  });

  /** Listens like another user who created the folder first. */
  async function listensAt(path: string, mode: number): Promise<void> {
    mkdirSync(dirname(path), { recursive: true });
    const listener = createServer((socket) => {
      heard.push(socket);
      socket.on('error', () => undefined); // the program disconnects at once
      socket.resume();
    });
    listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(path, resolve));
    chmodSync(dirname(path), mode);
  }

  const announced = (socket: string) =>
    writeDescriptor(dirname(socket), 'tap-1', {
      standpipe: 'live',
      version: 1,
      kind: 'tap',
      name: 'forged',
      pid: process.pid,
      startedAt: new Date(0).toISOString(),
      socket,
    });

  test.each([
    ['is not searched for running programs', 0o777, []],
    ['is searched once only the user can write', 0o700, ['forged']],
  ])('%s', async (_, mode, names) => {
    const socket = join(ofSession, 'standpipe', 'tap-1.sock');
    await listensAt(socket, mode);
    announced(socket);
    expect((await findLive()).map(({ name }) => name)).toEqual(names);
    expect(heard).toHaveLength(names.length);
    expect(readdirSync(dirname(socket)).sort()).toEqual(['tap-1.json', 'tap-1.sock']);
  });

  test.each([
    ['is not searched for a host', 0o777, false],
    ['is searched for a host once only the user can write', 0o700, true],
  ])('%s', async (_, mode, isFound) => {
    const settings = { config: writeConfig('trusted.json', {}) };
    await listensAt(controlPathOf(settings)!, mode);
    const found = findRunningHost(settings).then(
      (host) => host,
      (error: PeerError) => error.code,
    );
    expect(await found).toBe(isFound ? 'HOST_VERSION' : undefined); // a host of a version without keys
    expect(heard.length > 0).toBe(isFound);
  });
});
