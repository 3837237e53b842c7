// Authorizes the requests to one server with OAuth: sends the stored token, refreshes it, and asks a person if possible. Tokens are read
// again from the store before they are replaced, since another process may already have replaced them.

import { shellWords } from '../../base/command-line.ts';
import { toError, UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { learnSecret } from '../../base/secrets/mask-values.ts';
import type { Authorizer, Refusal } from '../transport/http/authorizer.ts';
import type { HttpClientOptions } from '../transport/http/http-client-options.ts';
import { type AuthFetch, authFailed, authFetch } from './auth-fetch.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { clientCredentials } from './client-credentials.ts';
import { type Interaction, logIn } from './log-in.ts';
import { isExpired, type Login, serverKey, urlWithoutQuery } from './login.ts';
import { type LoginKey, LoginStore } from './login-store.ts';
import type { OAuthOptions } from './options.ts';
import { refresh } from './refresh.ts';
import { union } from './token-request.ts';

export interface OAuthAuthorizerOptions extends OAuthOptions {
  url: string | URL;
  /** Name of the server in the config, for messages. */
  name?: string | undefined;
  store?: LoginStore | undefined;
  /** How to ask a person. If absent, a request that needs a login fails with LOGIN_REQUIRED. */
  interact?: (() => Promise<Interaction>) | undefined;
  fetch?: AuthFetch | undefined;
  /** The same option as for requests to the server. */
  ca?: HttpClientOptions['ca'];
  /** Current time in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** Limits the requests caused by a server that refuses each new token. */
const MAX_NEW_TOKENS = 3;
const PERIOD_MS = 60_000;
/** Times of new tokens by login, in all connections of this process: a server could otherwise get more by ending its connection. */
const newTokensAtMs = new Map<string, readonly number[]>();

export class OAuthAuthorizer implements Authorizer {
  readonly #options: OAuthAuthorizerOptions;
  readonly #server: URL;
  readonly #key: LoginKey;
  readonly #store: LoginStore;
  readonly #fetch: AuthFetch;
  readonly #now: () => number;
  #login: Login | undefined;
  #isRead = false;
  /** The renewal in progress. All refused requests wait for it. */
  #renewal: Promise<void> | undefined;

  constructor(options: OAuthAuthorizerOptions) {
    this.#options = options;
    this.#server = new URL(options.url);
    this.#key = { server: serverKey(options.url), client: options.clientId };
    this.#store = options.store ?? new LoginStore();
    this.#fetch = options.fetch ?? authFetch({ server: this.#server, ca: options.ca });
    this.#now = options.now ?? Date.now;
    for (const secret of [options.clientSecret, options.privateKey]) if (secret) learnSecret(secret);
  }

  header(): string | undefined | Promise<string | undefined> {
    if (this.#isRead && (!this.#login || !isExpired(this.#login, this.#now()))) return headerOf(this.#login);
    return this.#currentHeader();
  }

  async refused({ status, challenge, sent }: Refusal): Promise<boolean> {
    // Another request was refused at the same time and has already renewed the token.
    if (status === 401 && this.#login && sent !== headerOf(this.#login)) return true;
    const read = await readChallenge(challenge);
    if (status === 403 && read.error !== 'insufficient_scope') return false;
    await this.#renewOnce(() => (status === 403 ? this.#stepUp(read) : this.#renew(read, this.#login)));
    return true;
  }

  async #currentHeader(): Promise<string | undefined> {
    if (!this.#isRead) this.#adopt(await this.#store.read(this.#key));
    // An expired token that cannot be refreshed is sent anyway: the server's refusal names the required scopes.
    if (this.#login?.canRefresh && isExpired(this.#login, this.#now())) {
      await this.#renewOnce(() => this.#renew({}, this.#login)).catch((error: unknown) => {
        if (Date.parse(this.#login!.expires!) <= this.#now()) throw error;
      });
    }
    return headerOf(this.#login);
  }

  #adopt(login: Login | undefined): void {
    this.#login = login;
    this.#isRead = true;
  }

  #renewOnce(task: () => Promise<void>): Promise<void> {
    this.#renewal ??= task().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** `used`: the login that the server refused. */
  async #renew(challenge: Challenge, used: Login | undefined): Promise<void> {
    const renewed = (await this.#needsPerson()) ? undefined : await this.#renewAlone(challenge, used);
    if (renewed) this.#adopt(renewed);
    else await this.#askPerson(challenge, used);
  }

  async #needsPerson(): Promise<boolean> {
    return this.#options.grant !== 'client_credentials' && (await this.#store.read(this.#key)) === undefined;
  }

  #renewAlone(challenge: Challenge, used: Login | undefined): Promise<Login | undefined> {
    return this.#store.exclusively(this.#key, async () => {
      const stored = await this.#store.read(this.#key);
      const isOther = stored !== undefined && stored.secrets.accessToken !== used?.secrets.accessToken;
      if (isOther && !isExpired(stored, this.#now())) return stored;
      return this.#withoutPerson(challenge, stored);
    });
  }

  /** Resolves to undefined if a person is needed. */
  async #withoutPerson(challenge: Challenge, before: Login | undefined): Promise<Login | undefined> {
    const isProgram = this.#options.grant === 'client_credentials';
    if (!isProgram && !before?.canRefresh) return undefined;
    this.#admitNewToken();
    const request = { ...this.#options, server: this.#server, challenge, fetch: this.#fetch, nowMs: this.#now() };
    const login = isProgram
      ? await clientCredentials({ ...request, before })
      : await refresh({ ...request, login: before! });
    if (login) await this.#keep(login);
    return login;
  }

  /** A login that cannot be stored is used until this process ends. */
  async #keep(login: Login): Promise<void> {
    await this.#store.write(this.#key, login).catch((error: unknown) => process.emitWarning(toError(error)));
  }

  /** Called if the token lacks scopes. Scopes that were requested earlier without success are not requested again. */
  async #stepUp(challenge: Challenge): Promise<void> {
    const before = this.#login;
    const stored = await this.#store.read(this.#key);
    if (stored && stored.secrets.accessToken !== before?.secrets.accessToken) return this.#adopt(stored);
    if (union(before?.scope, challenge.scope) === before?.scope) {
      throw authFailed(
        `${urlWithoutQuery(this.#server)} refuses a token with the scopes that it asks for: ${before?.scope ?? 'none'}`,
      );
    }
    if (this.#options.grant === 'client_credentials') return this.#renew(challenge, before);
    await this.#askPerson(challenge, before);
  }

  async #askPerson(challenge: Challenge, before: Login | undefined): Promise<void> {
    const { interact } = this.#options;
    if (!interact) throw this.#loginRequired(challenge, before);
    this.#admitNewToken();
    const request = { ...this.#options, server: this.#server, challenge, fetch: this.#fetch, interact };
    const login = await logIn({ ...request, before, nowMs: this.#now() });
    await this.#keep(login);
    this.#adopt(login);
  }

  #admitNewToken(): void {
    const nowMs = this.#now();
    const account = JSON.stringify([this.#store.file, this.#key]);
    const recent = (newTokensAtMs.get(account) ?? []).filter((atMs) => atMs > nowMs - PERIOD_MS);
    if (recent.length >= MAX_NEW_TOKENS) {
      throw authFailed(`${urlWithoutQuery(this.#server)} refused ${MAX_NEW_TOKENS} new tokens within a minute`);
    }
    newTokensAtMs.set(account, [...recent, nowMs]);
  }

  #loginRequired({ error, scope = '' }: Challenge, before: Login | undefined): UsageError {
    const { name } = this.#options;
    const needsScope = error === 'insufficient_scope';
    const why = needsScope
      ? `requires the scopes ${scope}`
      : before
        ? 'no longer accepts the login'
        : 'requires a login';
    const words = ['login', name ?? urlWithoutQuery(this.#server), ...(needsScope ? ['--scope', scope] : [])];
    const hint = `Run \`${ownCommand} ${shellWords(words)}\`.`;
    return new UsageError('LOGIN_REQUIRED', `${name ?? 'The server'} at ${urlWithoutQuery(this.#server)} ${why}`, {
      hint: before ? hint : `${hint} If it takes a fixed token instead, set the header "Authorization".`,
    });
  }
}

function headerOf(login: Login | undefined): string | undefined {
  return login && `Bearer ${login.secrets.accessToken}`;
}
