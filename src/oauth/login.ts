// A login: what was agreed with the authorization server of one server, and the tokens that it gave.

/** Without secrets: may be shown. */
export interface LoginFacts {
  /** The URL of the server. Its tokens are sent nowhere else. */
  readonly server: string;
  /** Of the authorization server. Tokens and the client belong to it alone. */
  readonly issuer: string;
  /** For what the token is, as it was requested. */
  readonly resource: string | undefined;
  readonly clientId: string;
  /** How the client authenticates at the token endpoint, where it was registered with one. */
  readonly authMethod?: string | undefined;
  /** With which the client was registered. */
  readonly redirectUrl?: string | undefined;
  /** All that were asked for so far, and those granted. */
  readonly scope?: string | undefined;
  /** As ISO 8601. */
  readonly created: string;
  /** When the access token expires, if that is known. */
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

/** A token that expires sooner counts as expired: a request takes time. */
const EARLY_MS = 30_000;

export function isExpired({ expires }: LoginFacts, nowMs: number): boolean {
  return expires !== undefined && Date.parse(expires) - EARLY_MS <= nowMs;
}

/** The URL by which the login of a server is found: without a fragment and credentials. */
export function serverKey(url: string | URL): string {
  const key = new URL(url);
  key.hash = '';
  key.username = '';
  key.password = '';
  return key.href;
}

/** For messages: a query may contain a secret. */
export function shownUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
