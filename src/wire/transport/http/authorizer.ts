// Interface for the source of request credentials: OAuth, or any other credential that can expire.

import type { IncomingMessage } from 'node:http';

/** Describes why a server refused a request. */
export interface Refusal {
  /** 401: a credential is missing or invalid. 403: the credential lacks a required scope. */
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
  /** The `Authorization` header of the refused request. A newer one may exist by now. */
  readonly sent: string | undefined;
}

export interface Authorizer {
  /** The value of the `Authorization` header, if there is one. */
  header(): string | undefined | Promise<string | undefined>;
  /** Resolves to true if the request must be sent again with the current header. */
  refused(refusal: Refusal): Promise<boolean>;
}

/** Returns undefined if the response is not a 401, or a 403 for insufficient scope. */
export function refusalOf({ statusCode, headers }: IncomingMessage, sent: string | undefined): Refusal | undefined {
  const challenge = headers['www-authenticate'];
  const isRefused = statusCode === 401 || (statusCode === 403 && challenge?.includes('insufficient_scope'));
  return isRefused ? { status: statusCode as 401 | 403, challenge, sent } : undefined;
}
