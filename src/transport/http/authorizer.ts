// Who vouches for our requests: OAuth, or anything else that has a credential which can expire.

import type { IncomingMessage } from 'node:http';

/** Why a server refused a request. */
export interface Refusal {
  /** 401: it wants a credential, or another one. 403: the credential does not allow enough. */
  readonly status: 401 | 403;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** The header `Authorization` of the request. Meanwhile there may be another one. */
  readonly sent: string | undefined;
}

export interface Authorizer {
  /** The value of the header `Authorization`, if there is one. */
  header(): string | undefined | Promise<string | undefined>;
  /** Resolves to true where the request is to be sent again, with the header that is valid then. */
  refused(refusal: Refusal): Promise<boolean>;
}

/** Undefined for any other response. */
export function refusalOf({ statusCode, headers }: IncomingMessage, sent: string | undefined): Refusal | undefined {
  const challenge = headers['www-authenticate'];
  const isRefused = statusCode === 401 || (statusCode === 403 && challenge?.includes('insufficient_scope'));
  return isRefused ? { status: statusCode as 401 | 403, challenge, sent } : undefined;
}
