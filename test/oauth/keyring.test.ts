// Tokens in the keyring of the user. The Secret Service is a real one if `gnome-keyring-daemon` and `dbus-run-session`
// are installed.

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Login } from '../../src/wire/oauth/login.ts';
import { LoginStore } from '../../src/wire/oauth/login-store.ts';
import { findKeyring, type Keyring, KeyringUnavailable } from '../../src/wire/process/files/keyring.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { privateMode } from '../fixtures/windows.ts';

const folder = temporaryFolder('keyring');
const key = { server: 'https://mcp.example/mcp' };
const login: Login = {
  server: key.server,
  issuer: 'https://issuer.example',
  resource: key.server,
  clientId: 'client',
  created: '2026-01-01T00:00:00.000Z',
  canRefresh: true,
  secrets: { accessToken: 'access-1', refreshToken: 'refresh-1' },
};

function inMemory(): Keyring & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (account) => entries.get(account),
    set: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => void entries.delete(account),
  };
}

test('with a keyring, the file has no tokens', async () => {
  const keyring = inMemory();
  const file = join(folder, 'with.json');
  const store = new LoginStore({ file, keyring });
  expect(await store.write(key, login)).toBe('keyring');
  expect(readFileSync(file, 'utf8')).not.toMatch(/access-1|refresh-1/);
  expect(await store.read(key)).toEqual(login);
  await store.remove(key);
  expect([keyring.entries.size, store.list()]).toEqual([0, []]);
});

test('a keyring that is locked or too small is not used, and lost tokens count as no login', async () => {
  const locked = { ...inMemory(), set: () => Promise.reject(new KeyringUnavailable('locked')) };
  const file = join(folder, 'without.json');
  expect(await new LoginStore({ file, keyring: locked }).write(key, login)).toBe('file');
  expect(statSync(file).mode & 0o777).toBe(privateMode);
  expect(await new LoginStore({ file, keyring: false }).read(key)).toEqual(login);
  const keyring = inMemory();
  const store = new LoginStore({ file: join(folder, 'lost.json'), keyring });
  await store.write(key, login);
  keyring.entries.clear();
  expect(await store.read(key)).toBeUndefined();
});

/**
 * Runs the built library in a separate environment: prints where the tokens are stored, and whether they can be read
 * again.
 */
function keepWith(env: NodeJS.ProcessEnv, ...before: string[]): string {
  const script = `import('standpipe/http').then(async ({ LoginStore }) => {
    const store = new LoginStore();
    const login = ${JSON.stringify(login)};
    const place = await store.write(login, login);
    const kept = await store.read(login);
    await store.remove(login);
    process.stdout.write([place, kept.secrets.accessToken, await store.read(login)].join(' '));
  });`;
  const [command, ...args] = [...before, process.execPath, '-e', script];
  const full = { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, ...env };
  return spawnSync(command!, args, {
    env: full,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  }).stdout;
}

test.runIf(process.platform === 'linux')('uses no keyring without a session bus, or if it is turned off', () => {
  expect(keepWith({})).toBe('file access-1 ');
  expect(keepWith({ STANDPIPE_KEYRING: 'off', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })).toBe('file access-1 ');
});

const hasService = ['dbus-run-session', 'gnome-keyring-daemon'].every(
  (command) => spawnSync(command, ['--version']).error === undefined,
);

test.runIf(hasService)(
  'a real Secret Service stores tokens (skipped without gnome-keyring and dbus-run-session)',
  () => {
    const unlock = 'echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$0" "$@"';
    expect(keepWith({}, 'dbus-run-session', '--', 'sh', '-c', unlock)).toBe('keyring access-1 ');
  },
);

test.runIf(process.platform === 'linux')('gives up a keyring that does not answer in time', async () => {
  // A bus that accepts connections and never answers.
  const { createServer } = await import('node:net');
  const bus = createServer(() => undefined).listen(join(folder, 'bus'));
  const before = process.env.DBUS_SESSION_BUS_ADDRESS;
  process.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(folder, 'bus')}`;
  try {
    const keyring = findKeyring({ service: 'standpipe-test', timeoutMs: 300 });
    await expect(keyring!.get('x')).rejects.toThrow('did not answer within 0.3 s');
  } finally {
    if (before === undefined) delete process.env.DBUS_SESSION_BUS_ADDRESS;
    else process.env.DBUS_SESSION_BUS_ADDRESS = before;
    bus.close();
  }
});
