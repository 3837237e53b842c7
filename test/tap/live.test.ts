// Running taps and hosts can be found and watched only by their user, and never wait for viewers.

import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { type Announced, type AnnounceOptions, announce } from '../../src/observe/live/announce.ts';
import { connectLive, findLive, watchLive } from '../../src/observe/live/find-live.ts';
import { ensureRuntimeFolder, runtimeFolder } from '../../src/observe/live/runtime-folder.ts';
import type { RecordingItem } from '../../src/observe/record/reader.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { lacks, privateMode } from '../fixtures/windows.ts';
import { until } from './tapped.ts';

const root = temporaryFolder('live');
const open: Announced[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});
let folders = 0;

async function announced(store: FlowStore, options: AnnounceOptions = {}) {
  const folder = options.folder ?? join(root, String(++folders));
  const live = await announce(store, { kind: 'host', name: 'here' }, { folder, ...options });
  open.push(live);
  return { live, folder };
}
const note = (store: FlowStore, text: string) => store.append('a', 1, { kind: 'note', text });

describe('the runtime folder', () => {
  test.skipIf(lacks.runtimeFolder)('is that of the session, and otherwise the same in every environment', () => {
    expect(runtimeFolder({ XDG_RUNTIME_DIR: '/run/user/7' })).toBe('/run/user/7/standpipe');
    const user = process.getuid?.();
    const usual = `/run/user/${user}`;
    const onLinux = existsSync(usual) ? `${usual}/standpipe` : `/tmp/standpipe-${user}`;
    const fallback = process.platform === 'darwin' ? runtimeFolder({}) : onLinux;
    const others = [{}, { XDG_RUNTIME_DIR: 'not/absolute' }, { TMPDIR: '/elsewhere' }];
    expect(new Set(others.map((env) => runtimeFolder(env)))).toEqual(new Set([fallback]));
  });

  test('is in the profile of the user on Windows, with and without the variable that names it', () => {
    const local = { LOCALAPPDATA: 'D:\\Ann\\Local', XDG_RUNTIME_DIR: 'C:\\elsewhere' };
    expect(runtimeFolder(local, 'win32')).toBe('D:\\Ann\\Local\\standpipe');
    const own = runtimeFolder({ LOCALAPPDATA: 'not absolute' }, 'win32', () => 'C:\\Users\\Ann');
    expect(own).toBe('C:\\Users\\Ann\\AppData\\Local\\standpipe');
  });

  test.skipIf(lacks.posixPaths)('is not cleaned by macOS, and leaves space for the name of a socket', () => {
    const of = (home: string, env = {}) => runtimeFolder(env, 'darwin', () => home);
    expect(of('/Users/ada')).toBe('/Users/ada/Library/Application Support/standpipe');
    expect(of('/Users/ada', { XDG_RUNTIME_DIR: '/run' })).toBe('/run/standpipe');
    const folders = [1, 20, 27, 28, 60].map((length) => of(`/Users/${'a'.repeat(length)}`));
    const longest = folders.map((folder) => `${folder}/control-node-0123456789abcdef.sock`.length);
    expect(Math.max(...longest)).toBeLessThanOrEqual(103);
  });

  test.skipIf(lacks.links)('is not taken from a link, from a file or from another user', () => {
    const link = join(root, 'link');
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), link);
    expect(() => ensureRuntimeFolder(link)).toThrow('is not a folder');
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => ensureRuntimeFolder(file)).toThrow();
    if (process.getuid?.() !== 0) return; // only root can change the owner
    const foreign = join(root, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, 12_345, 12_345);
    expect(() => ensureRuntimeFolder(foreign)).toThrow('belongs to the user');
  });
});

describe('an announced program', () => {
  test('is found with its descriptor until it closes', async () => {
    const { live, folder } = await announced(new FlowStore());
    expect(await findLive(folder)).toEqual([live.descriptor]);
    expect(live.descriptor).toMatchObject({ kind: 'host', name: 'here', pid: process.pid });
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(privateMode);
    await live.close();
    expect(await findLive(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is distinguished from an exited one, even if the pid is in use again', async () => {
    const { live, folder } = await announced(new FlowStore());
    const dead = { ...live.descriptor, socket: join(folder, 'dead.sock') };
    writeFileSync(join(folder, 'dead.json'), JSON.stringify(dead));
    writeFileSync(join(folder, 'gone.json'), JSON.stringify({ ...dead, pid: 2 ** 22 + 1 }));
    writeFileSync(join(folder, 'noise.json'), 'not a descriptor');
    expect(await findLive(folder)).toEqual([live.descriptor]);
    expect([existsSync(join(folder, 'dead.json')), existsSync(join(folder, 'gone.json'))]).toEqual([false, false]);
  });

  test('is removed with the socket beside its descriptor only, whatever path the descriptor names', async () => {
    const { live, folder } = await announced(new FlowStore());
    const precious = join(root, 'precious.txt');
    writeFileSync(precious, 'mine');
    const descriptor = { ...live.descriptor, pid: 2 ** 22 + 1, socket: precious };
    writeFileSync(join(folder, 'evil.json'), JSON.stringify(descriptor));
    await findLive(folder);
    expect([existsSync(join(folder, 'evil.json')), existsSync(precious)]).toEqual([false, true]);
  });
});

describe('a viewer', () => {
  test('receives earlier, current and final events', async () => {
    const store = new FlowStore();
    note(store, 'past');
    const { live } = await announced(store);
    const items: RecordingItem[] = [];
    const watched = (async () => {
      for await (const item of watchLive(live.descriptor)) items.push(item);
    })();
    await until('earlier events', () => items.length === 2);
    note(store, 'present');
    await until('current events', () => items.length === 3);
    note(store, 'last words');
    await live.close();
    await watched;
    expect(items).toMatchObject([
      { type: 'run', run: { about: { name: 'here' } } },
      { event: { text: 'past' } },
      { event: { text: 'present' } },
      { event: { text: 'last words' } },
    ]);
  });

  test('a viewer that falls behind misses events and can detect the gap', async () => {
    const store = new FlowStore({ maxEvents: 100 });
    const { live } = await announced(store);
    const socket = await connectLive(live.descriptor);
    const text = 'x'.repeat(10_000);
    for (let i = 0; i < 2000; i++) {
      note(store, text);
      if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const seqs: number[] = [];
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      for (const line of lines) seqs.push(JSON.parse(line).seq ?? 0);
    });
    await until('the newest events', () => seqs.at(-1) === 2000);
    expect(seqs.length).toBeLessThan(1500);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });

  test('a viewer that reads nothing is disconnected', async () => {
    const store = new FlowStore();
    const { live } = await announced(store, { stallMs: 100 });
    const socket = await connectLive(live.descriptor);
    await until('it is there', () => live.viewers === 1);
    for (let i = 0; i < 500; i++) note(store, 'x'.repeat(10_000));
    await until('it is released', () => live.viewers === 0);
    socket.destroy();
  });

  test('counts towards a limit', async () => {
    const { live } = await announced(new FlowStore(), { maxViewers: 2 });
    const sockets = await Promise.all([1, 2, 3].map(() => connectLive(live.descriptor)));
    await Promise.race(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(live.viewers).toBe(2);
    for (const socket of sockets) socket.destroy();
  });

  test('leaves no listener in the store after it has disconnected', async () => {
    const store = new FlowStore();
    const { live } = await announced(store);
    const socket = await connectLive(live.descriptor);
    await until('it is there', () => live.viewers === 1);
    socket.destroy();
    await until('it is gone', () => live.viewers === 0);
    note(store, 'nobody hears');
    expect(store.lastSeq).toBe(1);
  });
});
