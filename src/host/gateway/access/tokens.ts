// `tokens(file)` authenticates clients with a token of the file. Changes apply while the file is watched: a removed or expired token is
// refused from then on, and its sessions end.

import { lstatSync } from 'node:fs';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { FileWatch } from '../../../config/files/watch-files.ts';
import { type Auth, type AuthRefusal, type AuthRequest, bearerToken, type Principal, wrongToken } from './auth.ts';
import {
  defaultTokenFile,
  hashOfToken,
  makeToken,
  readTokenFile,
  TOKEN_PREFIX,
  type TokenEntry,
} from './token-file.ts';

export interface TokensOptions {
  /** Called if the file becomes unreadable; the tokens read earlier stay valid. Default: a process warning. */
  onError?: (error: Error) => void;
  clock?: Clock;
  /** Current time in milliseconds since 1970. */
  now?: () => number;
}

/** `file` must exist. Default: the file of `standpipe token add`. */
export function tokens(file?: string, options: TokensOptions = {}): Auth {
  const path = file ?? defaultTokenFile();
  if (readTokenFile(path)) return futureTokens(path, options);
  throw new UsageError('INVALID_OPTION', `There is no token file at ${path}`, {
    hint: `Make one with \`${makeToken(file)}\`.`,
  });
}

/** Accepts a file that may be created later. Until then, every token is invalid. */
export function futureTokens(file: string, options: TokensOptions = {}): Auth {
  return new FileTokens(file, readTokenFile(file) ?? [], options);
}

interface KnownToken {
  principal: Principal;
  expiresMs: number;
  /** The entry as text, compared to detect changes. */
  text: string;
}

class FileTokens implements Auth {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #onError: (error: Error) => void;
  /** Entries by hash. The duration of a hash lookup reveals nothing about a token. */
  #byHash!: ReadonlyMap<string, KnownToken>;
  /** The result of `stampOf` for the file as it was read last. */
  #stamp: string | undefined;
  readonly #listeners = new Set<(principal: string) => void>();
  readonly #watches = new Set<FileWatch>();
  #expiry: Timer | undefined;

  constructor(file: string, entries: readonly TokenEntry[], { clock, now, onError }: TokensOptions) {
    this.#file = file;
    this.#clock = clock ?? systemClock;
    this.#now = now ?? Date.now;
    this.#onError = onError ?? ((error) => process.emitWarning(error));
    this.#take(entries);
  }

  authenticate(request: AuthRequest): Principal | AuthRefusal {
    const token = bearerToken(request);
    if (typeof token !== 'string') return token;
    const found = token.startsWith(TOKEN_PREFIX) ? this.#find(hashOfToken(token)) : undefined;
    return found && found.expiresMs > this.#now() ? found.principal : wrongToken;
  }

  watch(ended: (principal: string) => void): () => void {
    this.#listeners.add(ended);
    this.#awaitExpiry();
    // The file is replaced atomically, so it is always complete.
    const watching = new FileWatch([this.#file], [this.#file], async () => this.#read(), {
      clock: this.#clock,
      settleMs: 0,
      graceMs: 0,
    });
    this.#watches.add(watching);
    return () => {
      watching.close();
      this.#watches.delete(watching);
      this.#listeners.delete(ended);
      if (this.#listeners.size === 0) this.#expiry?.cancel();
    };
  }

  /** An unknown token may be new: file notifications are delayed, and there are none if the folder of the file is new. */
  #find(hash: string): KnownToken | undefined {
    if (!this.#byHash.has(hash) && stampOf(this.#file) !== this.#stamp) {
      this.#read();
      for (const watching of this.#watches) watching.look(); // the folder can be watched from now on
    }
    return this.#byHash.get(hash);
  }

  #read(): void {
    this.#stamp = stampOf(this.#file); // read before the content, so that a change in between is read again
    let entries: readonly TokenEntry[];
    try {
      entries = readTokenFile(this.#file) ?? [];
    } catch (error) {
      return this.#onError(toError(error));
    }
    const before = this.#byHash;
    this.#take(entries);
    for (const [hash, { principal, text }] of before) {
      if (this.#byHash.get(hash)?.text !== text) this.#end(principal);
    }
    if (this.#listeners.size > 0) this.#awaitExpiry();
  }

  #end({ name }: Principal): void {
    for (const ended of this.#listeners) ended(name);
  }

  #take(entries: readonly TokenEntry[]): void {
    this.#byHash = new Map(
      entries.map((entry) => {
        const { sha256, name, servers, tools, quotas, expires } = entry;
        const expiresMs = expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
        return [sha256, { principal: { name, servers, tools, quotas }, expiresMs, text: JSON.stringify(entry) }];
      }),
    );
  }

  #awaitExpiry(): void {
    this.#expiry?.cancel();
    const nowMs = this.#now();
    const left = [...this.#byHash.values()].map(({ expiresMs }) => expiresMs - nowMs).filter((ms) => ms > 0);
    const nextMs = Math.min(...left, Number.POSITIVE_INFINITY);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#expiry = this.#clock.after(nextMs, () => {
      for (const { principal, expiresMs } of this.#byHash.values()) {
        if (expiresMs <= this.#now()) this.#end(principal);
      }
      this.#awaitExpiry();
    });
    this.#expiry.keepAlive(false);
  }
}

/** Differs for each version of an atomically replaced file. Undefined if there is no file. */
function stampOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined; // readTokenFile reports unreadable files
  }
}
