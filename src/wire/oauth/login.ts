// A login: the facts agreed with the authorization server of one server, and the tokens that it issued.

/** Contains no secrets, so it may be displayed. */
export interface LoginFacts {
  /** The URL of the server. Its tokens are sent nowhere else. */
  readonly server: string;
  /** The issuer id of the authorization server. Tokens and client are valid only there. */
  readonly issuer: string;
  /** The resource for which the token was requested. */
  readonly resource: string | undefined;
  readonly clientId: string;
  /** Authentication method at the token endpoint, if the client was registered with one. */
  readonly authMethod?: string | undefined;
  /** The redirect URL of the registered client. */
  readonly redirectUrl?: string | undefined;
  /** All scopes requested so far, plus the granted ones. */
  readonly scope?: string | undefined;
  /** ISO 8601 time. */
  readonly created: string;
  /** ISO 8601 expiry time of the access token, if known. */
  readonly expires?: string | undefined;
  readonly canRefresh: boolean;
}

export interface LoginSecrets {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly clientSecret?: string | undefined;
}

export interface Login extends LoginFacts {
  readonly secrets: LoginSecrets;
}

/** A token that expires within this time counts as expired, because a request takes time. */
const EARLY_MS = 30_000;

export function isExpired({ expires }: LoginFacts, nowMs: number): boolean {
  return expires !== undefined && Date.parse(expires) - EARLY_MS <= nowMs;
}

/** The URL that identifies the login of a server, without a fragment and credentials. */
export function serverKey(url: string | URL): string {
  const key = new URL(url);
  key.hash = '';
  key.username = '';
  key.password = '';
  return key.href;
}

/** The URL for messages, without the query, which may contain a secret. */
export function urlWithoutQuery(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
