// Storage of logins: a file of mode 0600 with the displayable facts, and the tokens in the user's keyring. Without a usable keyring, the
// tokens are in the file too. A login is identified by the URL of its server, and by the client if that is configured.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { toError, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { learnSecret } from '../../base/secrets/mask-values.ts';
import { shortHash } from '../../base/short-hash.ts';
import { CONFIG_VARIABLE, configFile } from '../process/files/config-file.ts';
import { withFileLock } from '../process/files/file-lock.ts';
import { findKeyring, type Keyring } from '../process/files/keyring.ts';
import { readPrivately, replacePrivately } from '../process/files/private-file.ts';
import type { Login, LoginFacts, LoginSecrets } from './login.ts';

export interface LoginKey {
  readonly server: string;
  /** Set only if the config names the client. */
  readonly client?: string | undefined;
}

/** An entry of the file. */
export interface StoredLogin extends LoginFacts {
  readonly client?: string | undefined;
  readonly tokensIn: 'keyring' | 'file';
  readonly secrets?: LoginSecrets | undefined;
}

export interface LoginStoreOptions {
  file?: string | undefined;
  /** The keyring; false stores tokens in the file. */
  keyring?: Keyring | false | undefined;
}

const SERVICE = 'standpipe';
/** Limit of the lock: longer than all requests of a refresh can take. */
const MAX_REFRESH_MS = 60_000;

export class LoginStore {
  readonly file: string;
  #found: Keyring | false | undefined;

  constructor({ file = configFile('logins.json'), keyring }: LoginStoreOptions = {}) {
    this.file = file;
    this.#found = keyring;
  }

  /** The keyring, searched on first use, because most servers need no login. */
  get #keyring(): Keyring | undefined {
    this.#found ??= findKeyring({ service: SERVICE }) ?? false;
    return this.#found || undefined;
  }

  list(): readonly StoredLogin[] {
    const text = readPrivately(this.file);
    return text === undefined ? [] : loginsIn(text, this.file);
  }

  /** Resolves to undefined if there is no login, or if the keyring does not return its tokens. */
  async read(key: LoginKey): Promise<Login | undefined> {
    const found = this.list().find((login) => isOf(login, key));
    if (!found) return undefined;
    const secrets = found.secrets ?? (await this.#secretsInKeyring(key));
    if (!secrets) return undefined;
    for (const secret of Object.values(secrets)) if (secret) learnSecret(secret);
    const { client: _client, tokensIn: _tokensIn, ...facts } = found;
    return { ...facts, secrets };
  }

  /** Resolves to the place where the tokens are stored. */
  async write(key: LoginKey, { secrets, ...facts }: Login): Promise<StoredLogin['tokensIn']> {
    for (const secret of Object.values(secrets)) if (secret) learnSecret(secret);
    const isInKeyring = await this.#keepInKeyring(key, secrets);
    const place = isInKeyring ? { tokensIn: 'keyring' as const } : { tokensIn: 'file' as const, secrets };
    await this.#change((logins) => [
      ...logins.filter((login) => !isOf(login, key)),
      { ...facts, client: key.client, ...place },
    ]);
    return place.tokensIn;
  }

  /** Removes the login, and its tokens from the keyring. */
  async remove(key: LoginKey): Promise<void> {
    const found = this.list().find((login) => isOf(login, key));
    if (found?.tokensIn === 'keyring') await this.#keyring?.remove(accountOf(key));
    if (found) await this.#change((logins) => logins.filter((login) => !isOf(login, key)));
  }

  /** Runs the task in one process at a time, because many authorization servers end the login when a refresh token is used twice. */
  exclusively<T>(key: LoginKey, task: () => Promise<T>): Promise<T> {
    if (!this.#makeFolder()) return task(); // without the folder, no login is stored or shared
    return withFileLock(`${this.file}.${shortHash(accountOf(key))}`, task, systemClock, MAX_REFRESH_MS);
  }

  async #change(next: (logins: readonly StoredLogin[]) => readonly StoredLogin[]): Promise<void> {
    const folder = dirname(this.file);
    if (!this.#makeFolder()) {
      throw new UsageError('FILE_NOT_WRITABLE', `Logins cannot be stored: ${folder} is not writable`, {
        hint: `Make the folder writable, or set ${CONFIG_VARIABLE} to one that is.`,
      });
    }
    await withFileLock(this.file, async () => {
      replacePrivately(this.file, `${JSON.stringify({ version: 1, logins: next(this.list()) }, null, 2)}\n`);
    });
  }

  /** Returns whether the folder can be used. */
  #makeFolder(): boolean {
    const folder = dirname(this.file);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  async #secretsInKeyring(key: LoginKey): Promise<LoginSecrets | undefined> {
    try {
      const text = await this.#keyring?.get(accountOf(key));
      return text === undefined ? undefined : (JSON.parse(text) as LoginSecrets);
    } catch {
      return undefined; // the keyring is locked, or the entry is missing: a new login is needed, as after a removal
    }
  }

  async #keepInKeyring(key: LoginKey, secrets: LoginSecrets): Promise<boolean> {
    if (!this.#keyring) return false;
    try {
      await this.#keyring.set(accountOf(key), JSON.stringify(secrets));
      return true;
    } catch {
      return false; // the keyring is locked, or the value is too large: Windows takes 2,560 bytes
    }
  }
}

function isOf(login: StoredLogin, key: LoginKey): boolean {
  return login.server === key.server && login.client === key.client;
}

function accountOf({ server, client }: LoginKey): string {
  return client === undefined ? server : `${server} ${client}`;
}

function loginsIn(text: string, file: string): readonly StoredLogin[] {
  try {
    const document: unknown = JSON.parse(text);
    if (!isObject(document) || document.version !== 1) throw new Error('"version" must be 1');
    if (!Array.isArray(document.logins) || !document.logins.every(isLogin))
      throw new Error('"logins" has an invalid entry');
    return document.logins;
  } catch (error) {
    // The message of a parse error may contain a token.
    const why = error instanceof SyntaxError ? 'it is not JSON' : toError(error).message;
    throw new UsageError('LOGINS_FILE_INVALID', `${file} is not a valid login file: ${why}`, {
      hint: `Remove it and log in again with \`${ownCommand} login <server>\`.`,
    });
  }
}

function isLogin(entry: unknown): entry is StoredLogin {
  if (!isObject(entry)) return false;
  const { server, issuer, clientId, created, expires, secrets, tokensIn } = entry;
  const texts = [server, issuer, clientId, created, expires ?? ''];
  if (!texts.every((each) => typeof each === 'string')) return false;
  return tokensIn === 'keyring' || (isObject(secrets) && typeof secrets.accessToken === 'string');
}
