// The user's keyring: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. A locked keyring may wait for a person
// indefinitely, in native code that cannot be interrupted, so each access is a child process that is killed after a timeout. Secrets are
// passed through its pipes and never in its arguments.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { systemClock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';

export interface Keyring {
  /** Resolves to undefined if there is no such entry. */
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface KeyringOptions {
  /** The service name of the entries, visible to the user. */
  service: string;
  /** Limit for one access. Default: 5 s. */
  timeoutMs?: number | undefined;
}

/** There is no keyring, it is locked, or it refused the access. */
export class KeyringUnavailable extends Error {}

const PACKAGE = '@napi-rs/keyring';
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1024 * 1024;

/** Uses the Secret Service instead of the kernel keyring, which is empty after a reboot. */
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

/** Returns undefined if this machine has no reachable keyring. */
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

/** The addon is an optional dependency: it may be missing or lack a binary for this platform. */
function addonPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

/** Checks on Linux that there is a session bus. */
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
    child.stdin.on('error', () => undefined); // the child has exited; its output is checked instead
    child.stdin.end(JSON.stringify({ service, ...access }));
  });
}

/** Exceptions of `JSON.parse` must not be shown, because their message repeats the text. */
function secretIn(output: string): string | null {
  if (output === '') throw new Error('its process ended without an answer');
  const answer: unknown = JSON.parse(output);
  if (!isObject(answer)) return null;
  if (typeof answer.error === 'string') throw new Error(answer.error);
  return typeof answer.secret === 'string' ? answer.secret : null;
}
