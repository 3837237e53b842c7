// The keyring of the user: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. A locked keyring may wait
// for a person for as long as it likes, in native code that cannot be stopped: each access is a child process, which is killed
// when its time is over. Secrets go through its pipes; its arguments have none.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { systemClock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';

export interface Keyring {
  /** Undefined where there is none. */
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface KeyringOptions {
  /** The name under which entries are listed for the user. */
  service: string;
  /** For one access. 5 s unless given. */
  timeoutMs?: number | undefined;
}

/** No keyring, a locked one, or one that refused. */
export class KeyringUnavailable extends Error {}

const PACKAGE = '@napi-rs/keyring';
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1024 * 1024;

/** Not the keyring of the kernel, which is empty after a restart. */
const SCRIPT = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (more) => (text += more)).on('end', () => {
  let answer;
  try {
    const { verb, service, account, secret } = JSON.parse(text);
    const { Entry } = require(process.argv[1]);
    const entry = new Entry(service, account, { linux: { store: 'secret-service' } });
    if (verb === 'set') entry.setPassword(secret);
    answer = { secret: verb === 'get' ? entry.getPassword() : verb === 'remove' ? void entry.deletePassword() : null };
  } catch (error) {
    answer = { error: String((error && error.message) || error) };
  }
  process.stdout.write(JSON.stringify(answer));
});`;

/** Undefined where this machine has none that could be reached. */
export function findKeyring(options: KeyringOptions): Keyring | undefined {
  const addon = addonPath();
  if (addon === undefined || !mayHaveKeyring()) return undefined;
  const access = (verb: string, account: string, secret?: string) =>
    runAccess(addon, options, { verb, account, secret });
  return {
    async get(account) {
      return (await access('get', account)) ?? undefined;
    },
    async set(account, secret) {
      await access('set', account, secret);
    },
    async remove(account) {
      await access('remove', account);
    },
  };
}

/** An optional dependency: it may be missing, or have no binary for this platform. */
function addonPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

/** On Linux: whether there is a session bus. */
function mayHaveKeyring({ env, platform } = process): boolean {
  if (env.STANDPIPE_KEYRING === 'off') return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env.DBUS_SESSION_BUS_ADDRESS) || existsSync(`${env.XDG_RUNTIME_DIR}/bus`);
}

function runAccess(addon: string, { service, timeoutMs = TIMEOUT_MS }: KeyringOptions, access: object) {
  return new Promise<string | null>((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', SCRIPT, addon], {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const fail = (why: string) => reject(new KeyringUnavailable(`The keyring ${why}`));
    const timer = systemClock.after(timeoutMs, () => {
      fail(`did not answer within ${timeoutMs / 1000} s; it may be locked`);
      child.kill('SIGKILL');
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_BYTES) child.kill('SIGKILL');
    });
    child.once('error', (error) => fail(`cannot be used: ${error.message}`));
    child.once('close', () => {
      timer.cancel();
      try {
        resolve(secretIn(output));
      } catch (error) {
        fail(`cannot be used: ${toError(error).message}`);
      }
    });
    child.stdin.on('error', () => undefined); // it has exited: reported by its output
    child.stdin.end(JSON.stringify({ service, ...access }));
  });
}

/** Of a parse error, the message would repeat the text. */
function secretIn(output: string): string | null {
  if (output === '') throw new Error('its process ended without an answer');
  const answer: unknown = JSON.parse(output);
  if (!isObject(answer)) return null;
  if (typeof answer.error === 'string') throw new Error(answer.error);
  return typeof answer.secret === 'string' ? answer.secret : null;
}
